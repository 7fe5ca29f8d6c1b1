# Writes 4000 invented customers to credit.csv, and 1000 others to credit_test.csv.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import random

random.seed(0)
for path, rows in ("credit.csv", 4000), ("credit_test.csv", 1000):
    with open(path, "w") as file:
        print("age,income,debt,late,default", file=file)
        for _ in range(rows):
            age, income = random.randint(18, 75), round(random.lognormvariate(10.3, 0.5))
            debt, late = round(income * random.uniform(0, 1.5)), min(int(random.expovariate(1)), 9)
            risk = 2.5 * debt / income + 0.8 * late - 0.02 * age - 2.2
            print(f"{age},{income},{debt},{late},{int(random.random() < 1 / (1 + math.exp(-risk)))}", file=file)
