# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When numbers of the file are the module's."""
import torch

# The file has float32 numbers where the module, in float64, has more digits: an epsilon, a scale. Numbers that
# are wrong for another reason are far more off.
RELATIVE = 1e-5
# A gradient may cancel to nothing, and is then as large as the roundings of the others.
OF_LARGEST = 1e-6
# And what one rounding of the numbers costs this module: its own distance between float32 and float64.
OF_SPREAD = 5
# Where the module computes in float32 only, its own roundings are all that is known of it.
OF_FLOAT32 = 100


def largest(tensor):
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def bound_of(expected, rounded, among):
    """How far a number may be from `expected`; `rounded`: the module's own in float32; `among`: the largest number of
    all tensors of this kind."""
    if expected.dtype == torch.float32:
        return OF_FLOAT32 * (RELATIVE * largest(expected.nan_to_num(0.0)) + OF_LARGEST * among)
    spread = largest((expected - rounded.double()).nan_to_num(0.0)) if rounded is not None else 0.0
    return RELATIVE * largest(expected.nan_to_num(0.0)) + OF_LARGEST * among + OF_SPREAD * spread


def difference(found, expected, bound):
    """"" where they are equal, else the end of a sentence."""
    if found is None or list(found.shape) != list(expected.shape):
        return f"has the shape {None if found is None else tuple(found.shape)} instead of {tuple(expected.shape)}"
    if not expected.is_floating_point():
        count = int((found.to(expected.dtype) != expected).sum())
        return f"has {count} of {expected.numel()} other numbers" if count else ""
    found, expected = found.double(), expected.double()
    if (odd := found.isfinite() != expected.isfinite()).any():
        return f"is {float(found[odd][0]):g} where PyTorch has {float(expected[odd][0]):g}"
    off = largest((found - expected).nan_to_num(0.0))
    largest_one = largest(expected.nan_to_num(0.0))
    return "" if off <= bound else f"is off by up to {off:.2g}, of numbers up to {largest_one:.2g}"


def compared(found, expected, rounded):
    """{name: the end of a sentence} of the tensors of {name: tensor} that differ."""
    among = max([largest(tensor.nan_to_num(0.0)) for tensor in expected.values() if tensor.is_floating_point()] + [0.0])
    differences = {}
    for name, tensor in expected.items():
        floats = tensor.is_floating_point()
        bound = bound_of(tensor, rounded.get(name), among) if floats else 0.0
        if text := difference(found.get(name), tensor, bound):
            differences[name] = text
    return differences
