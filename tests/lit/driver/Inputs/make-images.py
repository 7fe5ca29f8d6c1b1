"""Writes 40 images of 4x4 pixels and a number for each as NumPy files: make-images.py KIND IMAGES TARGETS. All pixels of
`any` images differ, `even` ones are the same from left and from right, and only the four in the middle of `small` ones are
not black. Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import array
import random
import struct
import sys

kind, *files = sys.argv[1:]
random.seed(1)


def pixel(y, x, row):
    if kind == "small" and (x in (0, 3) or y in (0, 3)):
        return 0
    return row[3 - x] if kind == "even" and x > 1 else row[x]


images = []
for _ in range(40):
    for y in range(4):
        row = [random.random() for _ in range(4)]
        images += [pixel(y, x, row) for x in range(4)]
for path, shape, values in zip(files, ("(40, 1, 4, 4)", "(40,)"), (images, [random.random() for _ in range(40)])):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array.array("f", values).tobytes())
