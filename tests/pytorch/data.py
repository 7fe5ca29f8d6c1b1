# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of the reference modules: numbers that any machine computes alike, so that none are stored.

Part of the scripts that make the references (PyTorch) and of the test (Python's standard library alone). A
tensor is described by {"shape": [...], "kind": ..., "high": N}; its elements follow from a seed:

    normal    sums of four uniform numbers, which float32 holds exactly; deviation 1.15
    positive  1/256 to 256/256, in steps of 1/256
    binary    0 or 1, as floats
    index     integers from 0 to high - 1
"""
import math

MASK = (1 << 64) - 1


def scramble(number):
    """SplitMix64's output function."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def elements(tensor, seed):
    """The elements of a described tensor, row-major: floats, or integers of kind index."""
    start = scramble(seed)
    bits = [scramble(start + i) for i in range(math.prod(tensor["shape"]))]
    if tensor["kind"] == "normal":
        return [((b & 65535) + (b >> 16 & 65535) + (b >> 32 & 65535) + (b >> 48) - 131070) / 32768 for b in bits]
    if tensor["kind"] == "positive":
        return [((b >> 40 & 255) + 1) / 256 for b in bits]
    if tensor["kind"] == "binary":
        return [float(b >> 40 & 1) for b in bits]
    if tensor["kind"] == "index":
        return [(b >> 20) % tensor["high"] for b in bits]
    raise ValueError(f"a tensor of kind {tensor['kind']!r}")


def batch(tensors, step, batches, seed=0):
    """The elements of each of `tensors` in training step `step`: `batches` different ones, taken in turn."""
    return [elements(tensor, (seed * 1000 + step % batches) * 100 + i) for i, tensor in enumerate(tensors)]
