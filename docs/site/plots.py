"""Pictures of tables: bars for a column of ratios, put behind the table.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import html
import math
import re

ROW = 22        # pixels from bar to bar
NAMES = 190     # for the names at the left
WIDTH = 640
PLOTTED = ("ratio", "ratio to the faster")


def with_plots(text):
    """The page with a picture behind each table that has a column of ratios."""
    lines, at = text.splitlines(), 0
    made = []
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        made += lines[at:max(end, at + 1)]
        if end > at:
            picture = plot([cells(line) for line in lines[at:end]])
            made += ["", picture, ""] if picture else []
        at = max(end, at + 1)
    return "\n".join(made) + "\n"


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def plot(rows):
    header, bars = rows[0], []
    column = next((i for i, name in enumerate(header) if name in PLOTTED), None)
    if column is None:
        return None
    for row in rows[2:]:
        number = re.match(r"\d+(\.\d+)?", row[column])
        if number:
            bars.append((row[0], float(number[0])))
    return bars and svg(bars)


def svg(bars):
    """On a scale of logarithms: twice as fast is as far to the right as half as fast is to the left."""
    low = min(1, *(ratio for _, ratio in bars)) / 1.1
    high = max(1.2, *(ratio for _, ratio in bars))
    place = lambda ratio: NAMES + (WIDTH - NAMES - 90) * math.log(ratio / low) / math.log(high / low)
    height = ROW * len(bars) + 24
    parts = [f'<svg class="plot" role="img" aria-label="How many times as fast as PyTorch" '
             f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
             f'<line x1="{place(1):.1f}" y1="0" x2="{place(1):.1f}" y2="{height - 18}"/>',
             f'<text x="{place(1):.1f}" y="{height - 4}" text-anchor="middle">as fast as PyTorch</text>']
    for i, (name, ratio) in enumerate(bars):
        begin, end = sorted((place(1), place(ratio)))
        kind = ' class="slower"' if ratio < 1 else ""
        parts += [f'<text x="{NAMES - 8}" y="{i * ROW + 15}" text-anchor="end">{html.escape(name)}</text>',
                  f'<rect{kind} x="{begin:.1f}" y="{i * ROW + 4}" width="{max(end - begin, 1):.1f}" height="{ROW - 8}"/>',
                  f'<text x="{max(end, place(1)) + 6:.1f}" y="{i * ROW + 15}">{ratio:g} times</text>']
    return "".join(parts) + "</svg>"
