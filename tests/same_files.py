"""Compares two files that other tests have written.

    same_files.py FILE FILE

Where one is missing, the test that writes it has been skipped (one that fails keeps its followers from running), for
lack of a CPU that runs its code: then there is nothing to compare, and the line "skipped: ..." says so.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

files = [pathlib.Path(name) for name in sys.argv[1:]]
for file in files:
    if not file.exists():
        sys.exit(f"skipped: {file} has not been written")
first, second = (file.read_bytes() for file in files)
if first != second:
    at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    sys.exit(f"{files[0]} and {files[1]} differ at byte {at} of {len(first)} and {len(second)}")
