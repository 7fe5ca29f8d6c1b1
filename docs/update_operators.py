#!/usr/bin/env python3
"""Keeps the table of operators in docs/onnx.md what the importer really reads.

usage: update_operators.py LIST [--check]      LIST: the tool, e.g. build/bin/list-operators

Puts what the tool prints between the markers <!-- operators --> and <!-- end -->. --check changes nothing and fails where
the page is out of date.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).parent / "onnx.md"


def main(tool, check):
    table = subprocess.run([tool], check=True, capture_output=True, text=True).stdout
    before = PAGE.read_text()
    after, found = re.subn(r"(<!-- operators -->\n\n).*?(\n<!-- end -->)", lambda m: m[1] + table + m[2], before,
                           flags=re.DOTALL)
    if found != 1:
        sys.exit(f"{PAGE}: expected the markers <!-- operators --> and <!-- end --> once, found them {found} times")
    if after == before:
        return
    if check:
        sys.exit(f"{PAGE}: the table of operators is out of date: run `ninja -C build update-docs`; expected\n{table}")
    PAGE.write_text(after)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    main(sys.argv[1], len(sys.argv) == 3)
