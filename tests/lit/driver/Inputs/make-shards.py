"""Writes tar files of images and labels, as WebDataset has them: shard-000.tar to shard-003.tar with the images of the folder
that is named and numbers of classes, words.tar with words, and arrays.tar with arrays of four numbers for the inputs x and
target, which ragged.tar has shorter. Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
LLVM-exception"""
import io
import os
import random
import struct
import sys
import tarfile

folder = sys.argv[1]
samples = [(name, label, f"{folder}/{name}/{file}") for label, name in enumerate(("blue", "red"))
           for file in sorted(os.listdir(f"{folder}/{name}"))]
random.seed(4)
random.shuffle(samples)


def add(archive, name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))


def npy(*values):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + struct.pack(f"<{len(values)}f", *values)


for shard in range(4):
    with tarfile.open(f"shard-{shard:03}.tar", "w") as archive:
        for i, (_, label, path) in enumerate(samples[shard::4]):
            with open(path, "rb") as image:
                add(archive, f"data/{i:04}.png", image.read())
            add(archive, f"data/{i:04}.cls", str(label).encode())
with tarfile.open("words.tar", "w", format=tarfile.GNU_FORMAT) as archive:
    for i, (name, _, path) in enumerate(samples):
        with open(path, "rb") as image:
            add(archive, f"{i:04}.png", image.read())
        add(archive, f"{i:04}.txt", name.encode() + b"\n")
with tarfile.open("arrays.tar", "w") as archive:
    for i in range(16):
        add(archive, f"{i}.x.npy", npy(i, -i, i % 3, 0.5))
        add(archive, f"{i}.target.npy", npy(i % 2, i % 3, 1))
# Shorter arrays, the same filled up with 0.5, and one that is too long.
for path, most, isWhole in (("ragged.tar", 4, False), ("whole.tar", 4, True), ("long.tar", 5, False)):
    with tarfile.open(path, "w") as archive:
        for i in range(16):
            values = [i, -i, i % 3, 2, 1][:most - (i - 1) % 3]
            add(archive, f"{i}.x.npy", npy(*values, *[0.5] * (4 - len(values) if isWhole else 0)))
            add(archive, f"{i}.target.npy", npy(i % 2, i % 3, 1))
