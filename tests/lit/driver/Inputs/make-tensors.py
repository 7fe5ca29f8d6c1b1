"""Writes the same 64 samples as a safetensors file and as NumPy files: make-tensors.py BOTH X TARGET. Part of dlc, under
the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import array
import json
import random
import struct
import sys

both, *files = sys.argv[1:]
random.seed(1)
points = [[random.uniform(-1, 1) for _ in range(4)] for _ in range(64)]
targets = [[2 * a - b, c, a + d] for a, b, c, d in points]
tensors = {"x": (4, points), "target": (3, targets)}
data, header = b"", {}
for (name, (width, rows)), path in zip(tensors.items(), files):
    values = array.array("f", [value for row in rows for value in row]).tobytes()
    header[name] = {"dtype": "F32", "shape": [64, width], "data_offsets": [len(data), len(data) + len(values)]}
    data += values
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (64, {width}), }}\n".encode()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + values)
text = json.dumps(header).encode()
with open(both, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
