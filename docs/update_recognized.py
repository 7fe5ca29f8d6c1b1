#!/usr/bin/env python3
"""Keeps the table of recognized functions in docs/exporting-from-pytorch.md what `dlc check` prints.

usage: update_recognized.py DLC [--check]      DLC: the compiler, e.g. build/bin/dlc

Puts a line for each model of tests/pytorch/transformers between the markers <!-- recognized --> and <!-- end -->; two where
the files of PyTorch's exporters differ. --check changes nothing and fails where the page is out of date.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MODELS = FOLDER.parent / "tests" / "pytorch" / "transformers"
PAGE = FOLDER / "exporting-from-pytorch.md"
EXPORTERS = {"dynamo": "newer", "torchscript": "older"}


def checked(dlc, reference, exporter):
    """What is found and what is missed, as two cells of the table."""
    options = [option for option in json.loads(reference.read_text())["options"]
               if option.startswith(("--batch", "--loss"))]
    file = MODELS / f"{reference.stem}.{exporter}.train.plain.onnx"
    run = subprocess.run([dlc, "check", file, *options], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{file}: dlc check failed:\n{run.stderr}")
    found = re.findall(r"^ +(\d+) (.+)$", run.stdout, flags=re.MULTILINE)
    reasons = collections.Counter(line.split("': ", 1)[1] for line in run.stderr.splitlines() if ": remark: at '" in line)
    return ("; ".join(f"{count} {name}" for count, name in found),
            "; ".join(f"{count} times {reason}" if count > 1 else reason for reason, count in reasons.items()))


def table(dlc):
    lines = ["| model | found | missed |", "|---|---|---|"]
    for reference in sorted(MODELS.glob("*.json")):
        cells = {exporter: checked(dlc, reference, exporter) for exporter in EXPORTERS}
        same = len(set(cells.values())) == 1
        for exporter, (found, missed) in cells.items():
            if not same or exporter == "dynamo":
                model = reference.stem if same else f"{reference.stem}, {EXPORTERS[exporter]} exporter"
                lines.append(f"| {model} | {found} | {missed} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def main(dlc, check):
    new = table(dlc)
    before = PAGE.read_text()
    after, found = re.subn(r"(<!-- recognized -->\n\n).*?(\n<!-- end -->)", lambda m: m[1] + new + m[2], before,
                           flags=re.DOTALL)
    if found != 1:
        sys.exit(f"{PAGE}: expected the markers <!-- recognized --> and <!-- end --> once, found them {found} times")
    if after == before:
        return
    if check:
        sys.exit(f"{PAGE}: the table of recognized functions is out of date: run `ninja -C build update-docs`; expected\n{new}")
    PAGE.write_text(after)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    main(sys.argv[1], len(sys.argv) == 3)
