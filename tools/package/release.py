#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a tree of dlc's sources can be released as a version: says what is in the way.

usage: release.py TREE VERSION

Figures that no test measures again stand on pages with a line "<!-- measured with VERSION -->". A release has none of
another version: they are measured again, and the line is changed with them.
"""
import re
import subprocess
import sys
from pathlib import Path

MEASURED = re.compile(r"<!-- measured with (\d\S*) -->")


def git(tree, *arguments):
    done = subprocess.run(["git", "-C", tree, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def read(tree, name):
    return (Path(tree) / name).read_text(encoding="utf-8")


def version_problems(tree, version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"'{version}' is no version: expected MAJOR.MINOR.PATCH"
    built = re.search(r"project\(dlc VERSION (\S+)", read(tree, "CMakeLists.txt"))[1]
    if built != version:
        yield f"CMakeLists.txt builds version {built}: change it to {version}"
    first = re.search(r"^## (.*)\n\s*([^#\s]?)", read(tree, "CHANGELOG.md"), re.M)
    if not first or first[1] != version:
        yield f"CHANGELOG.md begins with {first[1] if first else 'no version'}: write what {version} changes above it"
    elif not first[2]:
        yield f"CHANGELOG.md says nothing of {version}"


def figure_problems(tree, version):
    pages = 0
    for page in sorted(Path(tree, "docs").rglob("*.md")):
        for measured in MEASURED.findall(page.read_text(encoding="utf-8")):
            pages += 1
            if measured != version:
                yield f"{page.relative_to(tree)}: its figures were measured with {measured}: measure them again"
    if not pages:
        yield "no page of docs says what its figures were measured with"


def tree_problems(tree, version):
    if changed := git(tree, "status", "--porcelain").splitlines():
        yield f"{len(changed)} files are changed and not committed, such as {changed[0][3:]}"
    if git(tree, "tag", "--list", f"v{version}").strip():
        yield f"the tag v{version} exists: a version is released once"


def main():
    tree, version = sys.argv[1:]
    problems = [problem for find in (version_problems, figure_problems, tree_problems) for problem in find(tree, version)]
    for problem in problems:
        print(f"not released: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
