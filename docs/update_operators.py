#!/usr/bin/env python3
"""Keeps the tables of operators in docs/onnx.md, docs/torch-export.md and docs/stablehlo.md what the importers really read.

usage: update_operators.py LIST [--check]      LIST: the tool, e.g. build/bin/list-operators

Puts what the tool prints between the markers <!-- operators --> (<!-- aten operators -->, <!-- stablehlo operators -->) and <!-- end -->. --check changes nothing and fails where
the page is out of date.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).parent
PAGES = [(DOCS / "onnx.md", "operators", []), (DOCS / "torch-export.md", "aten operators", ["--aten"]),
         (DOCS / "stablehlo.md", "stablehlo operators", ["--stablehlo"])]


def update(page, marker, command, check):
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    before = page.read_text()
    after, found = re.subn(rf"(<!-- {marker} -->\n\n).*?(\n?<!-- end -->)", lambda m: m[1] + table + "\n<!-- end -->",
                           before, flags=re.DOTALL)
    if found != 1:
        sys.exit(f"{page}: expected the markers <!-- {marker} --> and <!-- end --> once, found them {found} times")
    if after == before:
        return
    if check:
        sys.exit(f"{page}: the table of operators is out of date: run `ninja -C build update-docs`; expected\n{table}")
    page.write_text(after)


def main(tool, check):
    for page, marker, options in PAGES:
        update(page, marker, [tool, *options], check)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    main(sys.argv[1], len(sys.argv) == 3)
