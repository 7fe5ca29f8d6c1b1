"""Compares what a program printed with what a page shows.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def same_line(shown, printed, tolerance):
    """Whether the lines agree but for white space, for numbers, and for what '...' stands for."""
    shown, printed = " ".join(shown.split()), " ".join(printed.split())
    pattern, end = "", 0
    for number in NUMBER.finditer(shown):
        pattern += re.escape(shown[end:number.start()]) + "(" + NUMBER.pattern + ")"
        end = number.end()
    pattern = (pattern + re.escape(shown[end:])).replace(re.escape("..."), ".*")
    match = re.fullmatch(pattern, printed)
    if not match or tolerance is None:
        return bool(match)
    value = lambda text: float(text.replace(",", ""))
    return all(abs(value(new) - value(old)) <= tolerance * abs(value(old))
               for old, new in zip(NUMBER.findall(shown), match.groups()))


def same(shown, printed, tolerance=None):
    """Whether `printed` is what the page shows; a line '...' stands for any number of lines."""
    shown = [line for line in shown.splitlines() if line.strip()]
    printed = [line for line in printed.splitlines() if line.strip()]

    def rest(i, j):
        if i == len(shown):
            return j == len(printed)
        if shown[i].strip() == "...":
            return any(rest(i + 1, k) for k in range(j, len(printed) + 1))
        return j < len(printed) and same_line(shown[i], printed[j], tolerance) and rest(i + 1, j + 1)

    return rest(0, 0)
