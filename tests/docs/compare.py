"""Compares what a program printed with what a page shows.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
# What stands behind a number that another machine, or the same one in another hour, makes another.
TIME = re.compile(r"\s?(?:[nuµm]?s|min|h|seconds?|minutes?|\S+/s)(?![A-Za-z])")

SIZES = 0.1  # of numbers that every machine should print: counts, bytes, losses
# A factor: a page may show times of a slow or busy machine, and a test may run on a fast or quiet one (0.93 s were
# shown, and another CPU needed 0.07). What is left is to notice a time in another unit, or of another program.
TIMES = 100.0


def value(text):
    return float(text.replace(",", ""))


def same_number(old, new, is_time, tolerance):
    if is_time:  # printed as 0.00 it may be anything short
        return old <= TIMES * max(new, 0.01) and new <= TIMES * max(old, 0.01)
    return abs(new - old) <= tolerance * abs(old)


def same_line(shown, printed, tolerance):
    """Whether the lines agree but for white space, for what '...' stands for, and for small differences of numbers."""
    shown, printed = " ".join(shown.split()), " ".join(printed.split())
    pattern, end, numbers = "", 0, []
    for number in NUMBER.finditer(shown):
        pattern += re.escape(shown[end:number.start()]) + "(" + NUMBER.pattern + ")"
        end = number.end()
        numbers.append((value(number[0]), bool(TIME.match(shown, end))))
    pattern = (pattern + re.escape(shown[end:])).replace(re.escape("..."), ".*")
    match = re.fullmatch(pattern, printed)
    if not match or tolerance is None:
        return bool(match)
    return all(same_number(old, value(new), is_time, tolerance)
               for (old, is_time), new in zip(numbers, match.groups()))


def same(shown, printed, tolerance=SIZES):
    """Whether `printed` is what the page shows; a line '...' stands for any number of lines. Numbers may differ by the
    tolerance, a part of their value; None: they may be any numbers."""
    shown = [line for line in shown.splitlines() if line.strip()]
    printed = [line for line in printed.splitlines() if line.strip()]

    def rest(i, j):
        if i == len(shown):
            return j == len(printed)
        if shown[i].strip() == "...":
            return any(rest(i + 1, k) for k in range(j, len(printed) + 1))
        return j < len(printed) and same_line(shown[i], printed[j], tolerance) and rest(i + 1, j + 1)

    return rest(0, 0)
