#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tools/package/release.py refuses: a small tree in which one thing at a time is of another version.

usage: release.py TOOL
"""
import subprocess
import sys
import tempfile
from pathlib import Path

tool = sys.argv[1]
RIGHT = {"CMakeLists.txt": "project(dlc VERSION 1.2.3 LANGUAGES C)\n",
         "CHANGELOG.md": "# Changes\n\n## 1.2.3\n\nMends.\n\n## 1.2.2\n\nBegins.\n",
         "docs/performance.md": "# Speed\n\n<!-- measured with 1.2.3 -->\n"}
WRONG = [({"CMakeLists.txt": "project(dlc VERSION 1.2.2 LANGUAGES C)\n"}, "builds version 1.2.2"),
         ({"CHANGELOG.md": "# Changes\n\n## 1.2.2\n\nBegins.\n"}, "begins with 1.2.2"),
         ({"CHANGELOG.md": "# Changes\n\n## 1.2.3\n\n## 1.2.2\n\nBegins.\n"}, "says nothing of 1.2.3"),
         ({"docs/performance.md": "<!-- measured with 1.2.2 -->\n"}, "performance.md: its figures were measured with 1.2.2"),
         ({"docs/performance.md": "# Speed\n"}, "no page of docs says")]


def git(tree, *arguments):
    subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments], check=True,
                   capture_output=True)


def answer(changes, then=None, version="1.2.3"):
    with tempfile.TemporaryDirectory() as tree:
        git(tree, "init")
        for name, text in {**RIGHT, **changes}.items():
            path = Path(tree, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        git(tree, "add", "--all")
        git(tree, "commit", "-m", "all")
        if then:
            then(tree)
        done = subprocess.run([sys.executable, tool, tree, version], capture_output=True, text=True)
        return done.returncode, done.stderr


def expect(found, status, sentence):
    lines = found[1].splitlines()
    if found[0] != status or len(lines) != status or any(sentence not in line for line in lines):
        sys.exit(f"expected exit status {status} and '{sentence}', found {found}")


def main():
    expect(answer({}), 0, "")
    for changes, sentence in WRONG:
        expect(answer(changes), 1, sentence)
    expect(answer({}, lambda tree: git(tree, "tag", "v1.2.3")), 1, "the tag v1.2.3 exists")
    expect(answer({}, lambda tree: Path(tree, "CHANGELOG.md").write_text(RIGHT["CHANGELOG.md"] + "More.\n")), 1,
           "1 files are changed and not committed, such as CHANGELOG.md")
    print(f"{len(WRONG) + 2} trees were refused, and one was not")


main()
