"""Writes two NumPy files, of samples of a megabyte and of a number for each: make-large.py X TARGET SAMPLES. All but a few
numbers of the first samples are zero: holes of the file, which take no room on the disk. Part of dlc, under the Apache License
v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import random
import struct
import sys

*paths, samples = sys.argv[1:]
for path, width, few in zip(paths, (262144, 1), (4, 1)):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({samples}, {width}), }}\n".encode()
    random.seed(1)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
        file.truncate(file.tell() + 4 * int(samples) * width)
        for sample in range(min(int(samples), 1000)):
            file.seek(10 + len(text) + 4 * width * sample)
            file.write(struct.pack(f"<{few}f", *(random.uniform(-1, 1) for _ in range(few))))
