"""Fails where tensors of one safetensors file are not near those of another of the same names.

    python3 near.py FILE OTHER [SUFFIX]       SUFFIX: of the names in OTHER

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import json
import sys


def tensors(path):
    with open(path, "rb") as file:
        raw = file.read()
    size = int.from_bytes(raw[:8], "little")
    for name, entry in json.loads(raw[8:8 + size]).items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            yield name, array.array("f", raw[8 + size + begin:8 + size + end])


ours, others = dict(tensors(sys.argv[1])), dict(tensors(sys.argv[2]))
for name, values in ours.items():
    other = others[name + "".join(sys.argv[3:])]
    if len(values) != len(other) or any(abs(a - b) > 1e-5 for a, b in zip(values, other)):
        sys.exit(f"near.py: {name} differs")
