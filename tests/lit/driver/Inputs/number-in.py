"""Fails where a checkpoint has another number of a name.

    python3 number-in.py FILE NAME NUMBER

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    raw = file.read()
size = int.from_bytes(raw[:8], "little")
entry = json.loads(raw[8:8 + size])[sys.argv[2]]
found, = struct.unpack_from("<d", raw, 8 + size + entry["data_offsets"][0])
if abs(found - float(sys.argv[3])) > 1e-9:
    sys.exit(f"number-in.py: {sys.argv[2]} is {found}")
