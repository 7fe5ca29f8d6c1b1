"""Writes a table of points: make-table.py FILE ROWS [--classes]. Columns a to d; then y0, y1, y2, linear in them, or
the class of the point in words. Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import random
import sys

path, rows = sys.argv[1], int(sys.argv[2])
random.seed(rows)
with open(path, "w") as file:
    file.write("a,b,c,d," + ("kind" if "--classes" in sys.argv else "y0,y1,y2") + "\n")
    for _ in range(rows):
        a, b, c, d = point = [round(random.uniform(-1, 1), 3) for _ in range(4)]
        if "--classes" in sys.argv:
            values = [["red", "green", "blue"][[a, b, c].index(max(a, b, c))]]
        else:
            values = [2 * a - b + 0.5, c, -a - 0.25]
        file.write(",".join(str(value) for value in point + values) + "\n")
