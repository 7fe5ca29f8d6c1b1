"""docs/line-by-line.md has as many lines of each kind as its first sentence says, and the tests that it names are there.

    python3 line_by_line_test.py ROOT

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import pathlib
import re
import sys

KINDS = {"works": "work", "nothing to do": "have nothing to do", "partly": "work in part", "missing": "are missing"}


def main(root):
    text = (root / "docs/line-by-line.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ") and not line.startswith("| PyTorch | dlc")]
    found = collections.Counter(row[2] for row in rows)
    said = re.search(r"in (\d+) lines.*?: (\d+) work, (\d+) have\s+nothing to do .*?, (\d+) work in part and (\d+) are missing", text, re.S)
    expected = [len(rows), *(found[kind] for kind in KINDS)]
    if not said or [int(number) for number in said.groups()] != expected or sum(found.values()) != sum(expected[1:]):
        sys.exit(f"docs/line-by-line.md: its first sentence should say {expected[0]} lines and, of {', '.join(KINDS)}, {expected[1:]}")
    sources = "\n".join(path.read_text(errors="replace") for path in (root / "tests").rglob("*.cpp"))
    tests = {".".join(name) for name in re.findall(r"\bTEST(?:_F|_P)?\((\w+), (\w+)\)", sources)}
    named = {name for row in rows for name in re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", row[-1])}
    if gone := sorted(named - tests):
        sys.exit(f"docs/line-by-line.md: no test is called {', '.join(gone)}")
    print(f"{len(rows)} lines, {len(named)} tests")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
