#!/usr/bin/env python3
"""Writes a small data set in CIFAR-10's binary format, for trying the example without the real one.

usage: make_images.py FOLDER [--images N] [--seed S]

Five training files and a test file with N images each. An image of class c shows stripes in one of ten directions
and colors, moved and disturbed at random. Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import math
import os
import random

SIDE = 32
NAMES = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]


def record(numbers, label):
    """A label and the image's three color planes, each 32 rows of 32 pixels."""
    angle, shift = math.pi * label / 10, numbers.uniform(0, 2 * math.pi)
    across, down = 0.8 * math.cos(angle), 0.8 * math.sin(angle)
    stripes = [math.sin(across * x + down * y + shift) for y in range(SIDE) for x in range(SIDE)]
    pixels = bytearray([label])
    for color in range(3):
        weight = 60 * math.cos(2 * math.pi * (label / 10 + color / 3))
        pixels += bytes(min(255, max(0, int(128 + weight * wave + numbers.gauss(0, 25)))) for wave in stripes)
    return pixels


def main():
    parser = argparse.ArgumentParser(description="Writes a small data set in CIFAR-10's binary format.")
    parser.add_argument("folder")
    parser.add_argument("--images", type=int, default=200, help="in each of the six files (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    arguments = parser.parse_args()
    numbers = random.Random(arguments.seed)
    os.makedirs(arguments.folder, exist_ok=True)
    for name in NAMES:
        path = os.path.join(arguments.folder, name)
        with open(path + ".tmp", "wb") as file:
            for i in range(arguments.images):
                file.write(record(numbers, i % 10))
        os.replace(path + ".tmp", path)


if __name__ == "__main__":
    main()
