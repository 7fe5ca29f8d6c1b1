#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts passages of two plays out of the whole "tinyshakespeare": passages.tsv, a play and a passage in each line.

usage: make_passages.py TINYSHAKESPEARE [FILE]

The text has no titles: where a play begins and ends is known by the first words that are spoken.
"""
import re
import sys
from pathlib import Path

PLAYS = {"Coriolanus": ("Before we proceed any further", "Now is the winter of our discontent"),
         "Romeo and Juliet": ("Gregory, o' my word", "I wonder how the king escaped")}
WORDS, PASSAGES = 31, 750  # of a passage; of a play


def passages(play):
    """Some, from all of the play, without the names of those who speak."""
    spoken = [part.split("\n", 1)[1] for part in re.split(r"\n\n+", play) if re.match(r"[^\n]*:\n", part)]
    words = " ".join(spoken).split()
    found = [" ".join(words[i:i + WORDS]) for i in range(0, len(words) - WORDS, WORDS)]
    return [found[i * len(found) // PASSAGES] for i in range(PASSAGES)]


def main():
    text = Path(sys.argv[1]).read_text()
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parent / "passages.tsv"
    part = lambda first, after: text[text.index(f":\n{first}"):text.index(f":\n{after}")]
    lines = [[f"{title}\t{passage}\n" for passage in passages(part(*bounds))] for title, bounds in PLAYS.items()]
    output.write_text("".join(line for pair in zip(*lines) for line in pair))


if __name__ == "__main__":
    main()
