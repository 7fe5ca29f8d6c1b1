"""Fails where a line of numbers of one file is not near that of another: near-numbers.py FILE OTHER. Part of dlc, under the
Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import sys

ours, others = (open(path).read().splitlines() for path in sys.argv[1:3])
if len(ours) != len(others) or ours[0] != others[0]:
    sys.exit("near-numbers.py: other lines")
for line, other in zip(ours[1:], others[1:]):
    for a, b in zip(line.split(","), other.split(",")):
        if not abs(float(a) - float(b)) <= 1e-5 * abs(float(b)):
            sys.exit(f"near-numbers.py: {line} and {other}")
