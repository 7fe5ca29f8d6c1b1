#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts the shipped subset out of the full Fashion-MNIST: the first images of each file, in file order.

usage: make_subset.py FOLDER_OF_THE_FULL_SET [OUTPUT_FOLDER]

Only the Python standard library is needed. The gzip files carry no time stamp, so the result is the
same bytes every time (for one version of zlib).
"""
import gzip
import struct
import sys
from pathlib import Path

TRAIN, TEST = 10_000, 2_000
FILES = {
    "train-images-idx3-ubyte.gz": TRAIN,
    "train-labels-idx1-ubyte.gz": TRAIN,
    "t10k-images-idx3-ubyte.gz": TEST,
    "t10k-labels-idx1-ubyte.gz": TEST,
}


def cut(idx: bytes, count: int) -> bytes:
    """The first `count` samples of an IDX file: magic 0x000008RR (bytes, rank RR), then R sizes."""
    zero, dtype, rank = struct.unpack(">HBB", idx[:4])
    if zero != 0 or dtype != 8:
        raise ValueError("not an IDX file of unsigned bytes")
    shape = struct.unpack(f">{rank}I", idx[4 : 4 + 4 * rank])
    if shape[0] < count:
        raise ValueError(f"expected at least {count} samples, found {shape[0]}")
    sample = 1
    for size in shape[1:]:
        sample *= size
    header = struct.pack(f">HBB{rank}I", 0, 8, rank, count, *shape[1:])
    start = 4 + 4 * rank
    return header + idx[start : start + count * sample]


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    source = Path(sys.argv[1])
    output = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).resolve().parent
    for name, count in FILES.items():
        data = cut(gzip.decompress((source / name).read_bytes()), count)
        (output / name).write_bytes(gzip.compress(data, compresslevel=9, mtime=0))
        print(f"{name}: {count} samples, {(output / name).stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
