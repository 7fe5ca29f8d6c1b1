# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cross entropy with probabilities in place of labels, as PyTorch's exporters write it, computed in float64."""
import numpy as np

from cases import floats, one


def probabilities():
    for name, shape in (("rows", (4, 5)), ("image", (2, 3, 4))):
        x, targets, weights = floats(*shape), floats(*shape, low=0, high=1), floats(shape[1], low=0, high=2)
        wide = x.astype(np.float64)
        logs = wide - np.log(np.exp(wide).sum(1, keepdims=True))
        for weighted in (False, True):
            scale = weights.reshape([1, -1] + [1] * (len(shape) - 2)) if weighted else 1.0
            rows = -(logs * targets * scale).sum(1)
            for reduction, y in (("none", rows), ("sum", rows.sum()), ("mean", rows.mean())):
                one(f"sce_probabilities_{name}_{reduction}{'_weighted' * weighted}", 13, "SoftmaxCrossEntropyLoss",
                    [x, targets], [np.float32(y), logs.astype(np.float32)], [("w", weights)] if weighted else (),
                    reduction=reduction, ignore_index=-100)


def make():
    probabilities()
