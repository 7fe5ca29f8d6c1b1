#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ctc_cases.inc: sequences of labels with their loss and a part of its gradient, by PyTorch in float64.

usage: make_ctc_cases.py        needs PyTorch

The numbers of the model are those of CtcCases.cpp.
"""
import math
import pathlib

import torch

# name, places, batch, classes, labels, input lengths, label lengths, options
CASES = [
    ("one_sequence", 5, 1, 3, [[1, 2]], [5], [2], {}),
    ("repeated_labels", 6, 2, 3, [[1, 1, 1], [2, 2, 1]], [6, 6], [3, 3], {}),
    ("shorter_than_the_bound", 6, 3, 3, [[1, 2, 1], [2, 1, 0], [1, 0, 2]], [6, 4, 3], [3, 2, 1], {}),
    ("no_labels", 4, 2, 3, [[1, 2], [2, 1]], [4, 3], [0, 2], {}),
    ("no_labels_at_all", 3, 2, 3, [[1], [2]], [3, 2], [0, 0], {}),
    ("last_class_is_blank", 5, 2, 3, [[0, 1], [1, 0]], [5, 4], [2, 2], {"blank": 2}),
    ("middle_class_is_blank", 5, 2, 4, [[0, 3], [2, 2]], [5, 5], [2, 2], {"blank": 1}),
    ("sum", 5, 3, 3, [[1, 2], [2, 0], [1, 1]], [5, 5, 4], [2, 1, 2], {"reduction": "sum"}),
    ("one_label_and_blank", 5, 2, 2, [[1, 1], [1, 0]], [5, 5], [2, 1], {}),
    ("one_place", 1, 2, 3, [[1], [2]], [1, 1], [1, 0], {}),
    ("just_long_enough", 3, 2, 3, [[1, 1], [1, 2]], [3, 2], [2, 2], {}),
    ("too_short", 3, 3, 3, [[1, 1, 1], [1, 2, 0], [2, 2, 0]], [3, 3, 2], [3, 2, 2], {}),
    ("too_short_is_zero", 3, 3, 3, [[1, 1, 1], [1, 2, 0], [2, 2, 0]], [3, 3, 2], [3, 2, 2], {"zero_infinity": True}),
    ("too_short_is_zero_sum", 3, 2, 3, [[1, 2, 1, 2], [1, 2, 0, 0]], [3, 3], [4, 2],
     {"zero_infinity": True, "reduction": "sum"}),
    ("no_places", 4, 3, 3, [[1, 2], [2, 1], [1, 1]], [0, 4, 0], [0, 2, 2], {"zero_infinity": True}),
    ("batch_first", 5, 3, 4, [[1, 2], [3, 3], [2, 0]], [5, 4, 3], [2, 2, 1], {"order": "btc"}),
    ("classes_before_places", 5, 3, 4, [[1, 2], [3, 3], [2, 0]], [5, 4, 3], [2, 2, 1], {"order": "bct"}),
    ("classes_first", 5, 2, 3, [[1, 2], [2, 2]], [5, 4], [2, 2], {"order": "ctb", "label_type": "i32"}),
    ("any_label_behind_the_end", 4, 2, 3, [[1, -100, -100], [2, 1, -100]], [4, 4], [1, 2], {}),
]


def logits(places, batch, classes):
    t = torch.arange(places).reshape(-1, 1, 1)
    b = torch.arange(batch).reshape(-1, 1)
    c = torch.arange(classes)
    x = ((7 * t + 11 * b + 13 * c + 5 * t * c * (b + 1)) % 48 - 24) / 16
    w = ((3 * t + 5 * c) % 16 - 8) / 16
    return x.double(), w.double()


def line(name, places, batch, classes, labels, lengths, label_lengths, options):
    options = dict(options)
    order, label_type = options.pop("order", "tbc"), options.pop("label_type", "i64")
    x, w = logits(places, batch, classes)
    bias = torch.zeros(classes, dtype=torch.float64, requires_grad=True)
    loss = torch.nn.CTCLoss(**options)(torch.log_softmax(x + w + bias, -1), torch.tensor(labels), torch.tensor(lengths),
                                       torch.tensor(label_lengths))
    loss.backward()
    slope = bias.grad[0].item()
    listed = "{" + ", ".join(str(each) for row in labels for each in row) + "}"
    number = lambda value: repr(value) if math.isfinite(value) else "infinity" if value > 0 else "NAN"
    return (f'{{"{name}", {places}, {batch}, {classes}, {len(labels[0])}, {listed}, {{{str(lengths)[1:-1]}}}, '
            f'{{{str(label_lengths)[1:-1]}}}, {options.get("blank", 0)}, "{options.get("reduction", "mean")}", '
            f'{str(options.get("zero_infinity", False)).lower()}, "{order}", "{label_type}", {number(loss.item())}, '
            f'{number(slope)}}},')


if __name__ == "__main__":
    path = pathlib.Path(__file__).parent / "ctc_cases.inc"
    path.write_text("// Written by make_ctc_cases.py, with PyTorch.\n" + "\n".join(line(*case) for case in CASES) + "\n")
