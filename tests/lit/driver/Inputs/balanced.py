"""Whether brackets of Swift close in the order in which they were opened, and texts and comments end.

usage: balanced.py FILE...

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import sys

# What holds no brackets that count: comments, texts with what is escaped (an interpolation is looked at by itself), labels.
PARTS = re.compile(r'//[^\n]*|"(?:[^"\\\n(]|\\[^(]|\((?!\\))*?"|\\\(|[][(){}"]')
CLOSES = {")": "(", "]": "[", "}": "{"}


def check(name):
    with open(name, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\\\([^()]*(?:\([^()]*\)[^()]*)*\)", "", text)  # interpolations, which are in texts alone
    opened = []
    for part in PARTS.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        token = part[0]
        if token in "([{":
            opened.append((token, line))
        elif token in ")]}":
            if not opened or opened.pop()[0] != CLOSES[token]:
                sys.exit(f"{name}:{line}: '{token}' closes nothing")
        elif token == '"':
            sys.exit(f"{name}:{line}: a text does not end")
    if opened:
        sys.exit(f"{name}:{opened[-1][1]}: '{opened[-1][0]}' is not closed")
    print(f"balanced: {text.count(chr(10))} lines")


for path in sys.argv[1:]:
    check(path)
