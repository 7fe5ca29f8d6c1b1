"""Code and constants of some object files, as `size` counts them, are not more than a limit.

    size.py SIZE KILOBYTES OBJECT...

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import subprocess
import sys
from pathlib import Path

size, limit, *objects = sys.argv[1:]
lines = subprocess.run([size, *objects], check=True, capture_output=True, text=True).stdout.splitlines()[1:]
sizes = {Path(line.split()[5]).name: int(line.split()[3]) for line in lines}
total = sum(sizes.values())
for name, count in sorted(sizes.items(), key=lambda entry: -entry[1]):
    print(f"{count:8} {name}")
print(f"{total:8} in all")
if not sizes or len(sizes) != len(objects):
    sys.exit("error: expected a line for each object file")
if total > int(limit) * 1000:
    sys.exit(f"error: expected at most {limit} KB")
