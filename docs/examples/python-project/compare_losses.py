#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the losses that a program printed ("0 2.379924" ...) with PyTorch's.

usage: compare_losses.py FILE
"""
import json
import pathlib
import sys

stored = json.loads(pathlib.Path(__file__).with_name("losses.json").read_text())
lines = [line.split() for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
found = [float(line[1]) for line in lines if len(line) == 2 and line[0].isdigit()]
if len(found) != len(stored["float64"]):
    sys.exit(f"expected {len(stored['float64'])} losses, got {len(found)}")
off = {kind: max(abs(mine - other) for mine, other in zip(found, stored[kind])) for kind in ("float32", "float64")}
print(f"{len(found)} losses, off PyTorch's in float32 by at most {off['float32']:.6f}, off those in float64 by at most "
      f"{off['float64']:.6f}")
sys.exit(max(off.values()) > 1e-5)
