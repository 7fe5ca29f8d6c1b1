"""Code blocks of Markdown pages, with the comments that say how they are tested (see run_blocks.py).

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses
import re

FENCE = re.compile(r"^(```+|~~~+)(.*)$")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$")
LIST_ITEM = re.compile(r"^ {0,3}([-*+]|\d+[.)])\s")


class PageError(Exception):
    """The page is not written as it should be."""


@dataclasses.dataclass
class Block:
    line: int  # of its first line of code, or of the comment `hidden`
    marker: str  # "run", "file", "hidden" ...
    argument: str  # what follows the marker
    code: str


def blocks(text):
    """All code blocks of a page, in order; raises PageError for one whose test is not said."""
    lines, found, number, comment = text.splitlines(), [], 0, None
    in_list = False
    while number < len(lines):
        line = lines[number]
        number += 1
        fence = FENCE.match(line)
        if fence:
            end = next((i for i in range(number, len(lines)) if lines[i].rstrip() == fence[1]), None)
            if end is None:
                raise PageError(f"{number}: a code block without an end")
            if comment is None:
                raise PageError(f"{number}: no comment above this code block says how it is tested, such as <!-- run -->")
            marker, _, argument = comment.partition(":")
            words = marker.split(maxsplit=1)
            # "run: needs torch", "file: train.c", "dump import: everything"
            found.append(Block(number + 1, marker if marker in MARKERS else words[0], argument.strip(),
                               "\n".join(lines[number:end]) + "\n"))
            number, comment = end + 1, None
        elif line.startswith("<!-- hidden"):
            end = next((i for i in range(number, len(lines)) if lines[i].rstrip() == "-->"), None)
            if end is None:
                raise PageError(f"{number}: <!-- hidden has no end: a line with --> alone")
            found.append(Block(number, "hidden", line[len("<!-- hidden"):].strip(" :"), "\n".join(lines[number:end]) + "\n"))
            number = end + 1
        elif COMMENT.match(line):
            comment = COMMENT.match(line)[1]
            comment = comment if re.split(r"[: ]", comment)[0] in FIRST_WORDS else None
        elif line.strip():
            if line.startswith("    ") and not in_list and (number < 2 or not lines[number - 2].strip()):
                raise PageError(f"{number}: an indented code block; put ``` around it, and above it how it is tested")
            in_list = bool(LIST_ITEM.match(line)) or (in_list and line.startswith(" "))
            comment = None
    return found


# What may stand above a code block.
MARKERS = {"run", "file", "append", "output", "excerpt", "by hand", "not run", "dump"}
FIRST_WORDS = {marker.split()[0] for marker in MARKERS}
