# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators."""
import math

import numpy as np
from onnx import TensorProto

from cases import bools, floats, integers, one


def legacy_broadcast():
    """Before opset 7: `broadcast`, and `axis`, the dim of the first operand that the second one's first belongs to."""
    positive = dict(low=0.5, high=2.0)
    arithmetic = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power}
    for op, function in arithmetic.items():
        data = positive if op in ("Div", "Pow") else {}
        a, b = floats(2, 3, 4, **data), floats(3, **data)
        one(f"{op.lower()}_6_axis", 6, op, [a, b], [function(a, b[:, None])], broadcast=1, axis=1,
            consumed_inputs=[0, 0])
    a, b = floats(2, 3, 4), floats(3, 4)
    one("add_6_suffix", 6, "Add", [a, b], [a + b], broadcast=1)
    one("add_6_same", 6, "Add", [a, a[::-1].copy()], [a + a[::-1]])
    tests = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal,
             "Less": np.less, "Greater": np.greater}
    for op, function in tests.items():
        make = bools if op in ("And", "Or", "Xor") else (lambda *s: integers(*s, low=0, high=3)) if op == "Equal" else floats
        a, b = make(2, 3, 4), make(3)
        one(f"{op.lower()}_6_axis", 6, op, [a, b], [function(a, b[:, None])], broadcast=1, axis=1,
            consumed_inputs=[0, 0])
    parts = [floats(3, 4) for _ in range(3)]
    one("sum_6", 6, "Sum", parts, [parts[0] + parts[1] + parts[2]], consumed_inputs=[0, 0, 0])
    one("mean_6", 6, "Mean", parts, [(parts[0] + parts[1] + parts[2]) / np.float32(3)], consumed_inputs=[0, 0, 0])
    one("max_6", 6, "Max", parts, [np.maximum(np.maximum(*parts[:2]), parts[2])], consumed_inputs=[0, 0, 0])
    one("min_6", 6, "Min", parts, [np.minimum(np.minimum(*parts[:2]), parts[2])], consumed_inputs=[0, 0, 0])


def elementwise():
    x = floats(3, 4)
    one("clip_6", 6, "Clip", [x], [np.clip(x, -0.75, 1.25)], min=-0.75, max=1.25)
    one("clip_6_low", 10, "Clip", [x], [np.maximum(x, np.float32(0.25))], min=0.25)
    one("cast_9", 9, "Cast", [x], [x.astype(np.int64)], to=TensorProto.INT64)
    one("cast_24", 24, "Cast", [x], [x.astype(np.int32)], to=TensorProto.INT32, saturate=1, round_mode="up")
    numbers = integers(3, 4)
    one("castlike_24", 24, "CastLike", [numbers, x], [numbers.astype(np.float32)], saturate=1, round_mode="up")
    three = floats(2, 3, 4)
    slope = floats(3)
    one("prelu_6", 6, "PRelu", [three, slope], [np.where(three < 0, slope[:, None] * three, three)])
    truth = bools(3, 4)
    one("not_13", 13, "Not", [truth], [~truth])
    one("erf_13", 13, "Erf", [x], [np.vectorize(math.erf)(x).astype(np.float32)])
    one("mish_18", 18, "Mish", [x], [x * np.tanh(np.log1p(np.exp(x)))])
    x = floats(4, 5)
    one("swish_24_alpha", 24, "Swish", [x], [x / (1 + np.exp(-np.float32(0.5) * x))], alpha=0.5)
    a, b = integers(12, low=-9, high=10), np.array([3, -3, 2, -2, 4, -4, 5, -5, 7, -7, 1, -1], np.int64)
    one("mod_13", 13, "Mod", [a, b], [np.mod(a, b)])
    one("mod_13_fmod", 13, "Mod", [a, b], [np.fmod(a, b)], fmod=1)
    # Quotients that round to a whole number, large ones, and divisors that are no numbers.
    a = np.array([0.7, -0.7, 2.1, -2.1, 1, -1, 1e6, -1e6, 3, 3, -3, 3, np.inf, np.nan, 0, 1e-20], np.float32)
    b = np.array([0.1, 0.1, 0.7, -0.7, 0.1, 0.1, 0.7, -0.7, np.inf, -np.inf, np.inf, 0, 2, 2, 2, 3], np.float32)
    one("mod_13_floats", 13, "Mod", [a, b], [np.fmod(a, b)], fmod=1)
    one("mod_13_doubles", 13, "Mod", [a.astype(np.float64), np.float64(0.1)], [np.fmod(a.astype(np.float64), 0.1)], fmod=1)


def make():
    legacy_broadcast()
    elementwise()
