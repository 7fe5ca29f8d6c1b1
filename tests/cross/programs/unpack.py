#!/usr/bin/env python3
"""Decompresses the .gz files of a folder into another, under the same names.  usage: unpack.py FROM TO"""
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import gzip
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:])
target.mkdir(parents=True, exist_ok=True)
for file in source.glob("*.gz"):
    (target / file.name).write_bytes(gzip.decompress(file.read_bytes()))
