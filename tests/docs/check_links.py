#!/usr/bin/env python3
"""Checks the paths in the project's documentation: links of Markdown, and names of files and folders in the text.

usage: check_links.py ROOT
       check_links.py --installed FOLDER     links only: the installed pages name files of the sources, too

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# compiler/fuse/Verify.cpp, tests/lit: a path that begins with a folder of the project.
PATH = re.compile(r"(?<![\w/.-])((?:compiler|dialects|docs|frontends|runtime|tests|tools)/[\w./*-]*[\w*])")


def pages_of(root, installed):
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root,
                             capture_output=True, text=True)
    if listing.returncode == 0 and not installed:
        return listing.stdout.split()
    return ["README.md"] + [str(page.relative_to(root)) for page in root.glob("docs/**/*.md")]


def problems(root, installed):
    for name in pages_of(root, installed):
        page = root / name
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for target in LINK.findall(line):
                if "://" not in target and not (page.parent / target).exists():
                    yield f"{name}:{number}: links to {target}, which does not exist"
            for target in PATH.findall(line):
                if not installed and not any(root.glob(target)):
                    yield f"{name}:{number}: names {target}, which does not exist"


def main():
    installed = "--installed" in sys.argv
    folders = [argument for argument in sys.argv[1:] if argument != "--installed"]
    if len(folders) != 1:
        sys.exit(__doc__)
    found = list(problems(pathlib.Path(folders[0]).resolve(), installed))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
