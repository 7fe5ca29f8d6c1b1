"""Writes a folder of CIFAR-10's binary files with 8 images each: make-cifar.py FOLDER. Part of dlc, under the Apache
License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import os
import random
import sys

folder = sys.argv[1]
os.makedirs(folder)
random.seed(1)
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    with open(os.path.join(folder, name + ".bin"), "wb") as file:
        for _ in range(8):
            pixels = random.randbytes(3072)  # green is darker than red, blue than green
            file.write(bytes([random.randrange(10)]) + bytes(pixel >> place // 1024 for place, pixel in enumerate(pixels)))
