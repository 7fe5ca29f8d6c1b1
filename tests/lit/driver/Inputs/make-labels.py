"""Writes 64 samples with a label of three classes each, of which 24 do not count: make-labels.py FILE. Part of dlc, under the
Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import array
import json
import random
import struct
import sys

random.seed(2)
points = [[random.uniform(-1, 1) for _ in range(4)] for _ in range(64)]
labels = [-100 if i < 24 else max(range(3), key=point.__getitem__) for i, point in enumerate(points)]
x, y = array.array("f", (value for point in points for value in point)).tobytes(), array.array("q", labels).tobytes()
text = json.dumps({"x": {"dtype": "F32", "shape": [64, 4], "data_offsets": [0, len(x)]},
                   "labels": {"dtype": "I64", "shape": [64], "data_offsets": [len(x), len(x) + len(y)]}}).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + x + y)
