"""Prints which stages have said something in the files of --remarks-json, and the numbers of the first tile."""
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from pathlib import Path

said = [json.loads(line) for path in sys.argv[1:] for line in Path(path).read_text().splitlines()]
print(sorted({one["stage"] for one in said}))
print(next(one["numbers"] for one in said if one["name"] == "tile"))
