# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers of inputs and parameters, and what is kept of results: the same as cases.h has. Python's standard library."""
import math

MASK = (1 << 64) - 1
REAL, PROBABILITY, POSITIVE, INDEX, TRUTH, SIGN, HALF = range(7)


def numbers_of(key, count, kind=REAL, high=0):
    """`count` numbers that follow from the key: FNV-1a, then SplitMix64, 21 bits each."""
    state = 0xcbf29ce484222325
    for byte in key.encode():
        state = (state ^ byte) * 0x100000001b3 & MASK
    numbers = []
    for _ in range(count):
        state = state + 0x9e3779b97f4a7c15 & MASK
        z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        bits = (z ^ z >> 31) >> 43
        unit = bits / (1 << 21)
        numbers.append({REAL: lambda: 4 * unit - 2, PROBABILITY: lambda: 0.05 + 0.9 * unit,
                        POSITIVE: lambda: 0.1 + 2 * unit, INDEX: lambda: bits % high, TRUTH: lambda: unit < 0.75,
                        SIGN: lambda: -1 if unit < 0.5 else 1,
                        HALF: lambda: (bits % 9 - 4) / 2}[kind]())
    return numbers


def sketch(key, values):
    """Two sums of products with fixed numbers, and the norm: an error of any element changes the sums."""
    sums = [math.fsum(map(lambda a, b: a * b, values, numbers_of(f"{key}|r{i}", len(values)))) for i in (0, 1)]
    return [*sums, math.sqrt(math.fsum(v * v for v in values))]
