"""Writes 1000 points on two circles, with noise: 800 to points.csv for training, 200 to more.csv for validation.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import random

random.seed(0)
for path, rows in ("points.csv", 800), ("more.csv", 200):
    with open(path, "w") as file:
        print("x,y,inner", file=file)
        for row in range(rows):
            angle, radius = random.uniform(0, 2 * math.pi), 0.8 if row % 2 else 1.0
            x, y = (radius * f(angle) + random.gauss(0, 0.03) for f in (math.cos, math.sin))
            print(f"{x:.4f},{y:.4f},{row % 2}", file=file)
