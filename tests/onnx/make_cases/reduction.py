# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions."""
import numpy as np

from cases import floats, integers, one


REDUCTIONS = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceL1": lambda x, **k: np.sum(np.abs(x), **k), "ReduceL2": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
    "ReduceSumSquare": lambda x, **k: np.sum(x * x, **k), "ReduceLogSum": lambda x, **k: np.log(np.sum(x, **k)),
    "ReduceLogSumExp": lambda x, **k: np.log(np.sum(np.exp(x), **k)),
}


def reductions():
    for op, function in REDUCTIONS.items():
        x = floats(2, 3, 4, low=0.25) if op == "ReduceLogSum" else floats(2, 3, 4)
        before = 12 if op == "ReduceSum" else 17
        name = op.lower()
        one(f"{name}_{before}_axes", before, op, [x], [function(x, axis=(0, 2))], axes=[0, -1], keepdims=0)
        one(f"{name}_{before}_all", before, op, [x], [function(x, keepdims=True)])
        one(f"{name}_{before + 1}_axes", before + 1, op, [x], [function(x, axis=1)],
            [("axes", np.array([1], np.int64))], keepdims=0)
        if op in ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin"):
            one(f"{name}_{before + 1}_noop", before + 1, op, [x], [x], noop_with_empty_axes=1)
        else:  # a reduction of each element alone
            one(f"{name}_{before + 1}_noop", before + 1, op, [x], [function(x[None], axis=0)],
                noop_with_empty_axes=1)
    x = integers(4, 5, low=0, high=3).astype(np.float32)  # with ties
    for op, function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
        one(f"{op.lower()}_11", 11, op, [x], [function(x, 1)], axis=1, keepdims=0)
        one(f"{op.lower()}_12_last", 12, op, [x], [4 - function(x[:, ::-1], 1)[:, None]], axis=1,
            select_last_index=1)


def make():
    reductions()
