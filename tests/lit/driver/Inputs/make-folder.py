"""Writes PNG images in the folders red and blue below the folders that are named, 20 in each, and 8 without classes in the
folder `new`: make-folder.py FOLDER ... Images of a class are of that colour, and of many sizes. Part of dlc, under the Apache
License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import os
import random
import struct
import sys
import zlib

random.seed(3)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(height, width, colour):
    pixel = lambda: bytes(min(255, max(0, c + random.randrange(-40, 40))) for c in colour)
    rows = b"".join(b"\0" + b"".join(pixel() for _ in range(width)) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write(path, colour):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(png(random.randrange(6, 20), random.randrange(6, 20), colour))


for folder in sys.argv[1:]:
    for name, colour in ("red", (200, 60, 60)), ("blue", (60, 60, 200)):
        for i in range(20):
            write(f"{folder}/{name}/{i:02}.png", colour)
for i in range(8):
    write(f"new/{i}.png", (200, 60, 60) if i % 3 == 0 else (60, 60, 200))
