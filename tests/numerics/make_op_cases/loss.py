# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses. Both results: the loss and what a mean divides by."""
import torch
import torch.nn.functional as F

from cases import INF, NAN, given, integer, make, number

POINTWISE = {
    "mse_loss": ("", F.mse_loss, {}),
    "l1_loss": ("", F.l1_loss, {}),
    "huber_loss": ("{delta = 0.75 : f64}", lambda x, t, reduction: F.huber_loss(x, t, reduction=reduction, delta=0.75), {}),
    "bce_loss": ("", F.binary_cross_entropy, dict(low=0.0625, high=0.90625)),
    "bce_with_logits_loss": ("", F.binary_cross_entropy_with_logits, {}),
}


def count(x):
    return torch.tensor(float(x.numel()), dtype=torch.float64)


def pointwise_cases():
    for name, (attributes, function, data) in POINTWISE.items():
        for reduction in ("mean", "sum"):
            text = f"nn.{name} {reduction} %0, %1 {attributes}".strip()
            for shape in ((4, 3), (7,), (), (1, 1), (2, 3, 2), (3, 37)):
                x, target = number(shape, "x", **data), number(shape, "t", offset=0.0, **data)
                yield make(f"{reduction} {shape}", text, [x, target],
                           lambda x, t: (function(x, t, reduction=reduction), count(x)), differentiate=[0, 1])
            x = number((5, 1), "x", dims=("batch", None), **data)
            target = number((5, 1), "t", dims=("batch", None), offset=0.0, **data)
            yield make(f"{reduction} named", text, [x, target],
                       lambda x, t: (function(x, t, reduction=reduction), count(x)), differentiate=[0, 1])
        yield make("sum empty", f"nn.{name} sum %0, %1 {attributes}".strip(),
                   [number((0, 3), "x"), number((0, 3), "t")], lambda x, t: (function(x, t, reduction="sum"), count(x)))
    large = given([[50.0, -50.0, 0.0], [1e4, -1e4, 200.0], [-200.0, 89.0, -89.0]])
    hard = given([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.5]])
    yield make("extreme", "nn.bce_with_logits_loss sum %0, %1", [large, hard],
               lambda x, t: (F.binary_cross_entropy_with_logits(x, t, reduction="sum"), count(x)))
    # Infinite logits: what is infinite here and what NaN depends on the formula.
    for name in ("mse_loss", "l1_loss", "huber_loss", "bce_with_logits_loss"):
        attributes, function, _ = POINTWISE[name]
        values = [NAN, 1.0, 0.5] if name.startswith("bce") else [NAN, 1.0, 0.5, INF, -INF]
        yield make("special", f"nn.{name} sum %0, %1 {attributes}".strip(), [given(values), number((len(values),), "t")],
                   lambda x, t: (function(x, t, reduction="sum"), count(x) + 0 * t.sum()), kink=True)
    # The tie: PyTorch's derivative of |d| at 0 is 0, of Huber's loss at delta it is delta.
    x, target = given([1.0, 2.0, -1.0, 3.0]), given([1.0, 1.0, -1.75, 3.75])
    for name in ("l1_loss", "huber_loss"):
        attributes, function, _ = POINTWISE[name]
        yield make("kink", f"nn.{name} sum %0, %1 {attributes}".strip(), [x, target],
                   lambda x, t: (function(x, t, reduction="sum"), count(x) + 0 * x.sum()), kink=True)
    # Between the logarithm's bound and what a probability usually is: the target's gradient is ln(1 - x) - ln x.
    x, target = given([2.0**-36, 0.5, 2.0**-30]), given([0.5, 0.25, 1.0])
    yield make("small probabilities", "nn.bce_loss sum %0, %1", [x, target],
               lambda x, t: (F.binary_cross_entropy(x, t, reduction="sum"), count(x) + 0 * x.sum()), kink=True)


def class_cases():
    for shape in ((6, 5), (1, 1), (4, 1), (2, 3, 4), (2, 3, 2, 2), (0, 3), (9, 37)):
        label_shape = (shape[0], *shape[2:])
        x, labels = number(shape, "x"), integer(label_shape, 0, shape[1], "labels")
        rows = labels.tensor.numel()
        if rows > 2:
            labels.tensor.view(-1)[1] = -100
        weights = number((shape[1],), "weights", 0.25, 2.0)
        for reduction in ("mean", "sum") if rows else ("sum",):
            for weighted in (False, True):
                for dtype in ("i64", "i32") if shape == (6, 5) else ("i64",):
                    for smoothing in (0.0, 0.2):
                        yield from class_case(x, labels, weights, reduction, weighted, dtype, smoothing)
    yield from named_cases()


def class_case(x, labels, weights, reduction, weighted, dtype, smoothing, tag=""):
    labels = type(labels)(labels.tensor, dtype, labels.dims)
    inputs = [x, labels] + ([weights] if weighted else [])
    operands = "%0, %1" + (" weights %2" if weighted else "")

    def weight(y, w):
        counted = y[y != -100]
        return (w[counted] if w is not None else torch.ones_like(counted).double()).sum()

    def cross_entropy(v, y, w=None):
        return F.cross_entropy(v, y, w, reduction=reduction, label_smoothing=smoothing), weight(y, w)

    def likelihood(v, y, w=None):
        return F.nll_loss(v, y, w, reduction=reduction), weight(y, w)

    name = f"{tag or tuple(x.tensor.shape)} {reduction} {dtype}" + (" weighted" if weighted else "")
    # The weights' own gradient is none of the operation's business: they are constants of the data.
    attributes = f" {{label_smoothing = {smoothing} : f64}}" if smoothing else ""
    yield make(name + (" smoothed" if smoothing else ""),
               f"nn.softmax_cross_entropy {reduction} {operands} ignore_index -100{attributes}", inputs, cross_entropy,
               differentiate=[0])
    if not smoothing:
        yield make(name, f"nn.nll_loss {reduction} {operands} ignore_index -100", inputs, likelihood, differentiate=[0])


def named_cases():
    x = number((5, 3), "x", dims=("batch", None))
    labels = integer((5,), 0, 3, "labels", dims=("batch",))
    for reduction in ("mean", "sum"):
        yield from class_case(x, labels, None, reduction, False, "i64", 0.0, "named")


def cases():
    yield from pointwise_cases()
    yield from class_cases()
    ignored = given([2, 0, 2], "i64")
    yield make("other ignored", "nn.softmax_cross_entropy mean %0, %1 ignore_index 2", [number((3, 4)), ignored],
               lambda x, y: (F.cross_entropy(x, y, ignore_index=2), torch.tensor(1.0).double()), differentiate=[0])
    rows = [[NAN, 1.0, 2.0], [0.5, 1.0, -1.0], [INF, 1.0, 2.0], [-INF, 1.0, 2.0], [-INF, 1.0, 2.0]]
    labels = given([1, 2, 0, 0, 2], "i64")
    for name, function in (("softmax_cross_entropy", F.cross_entropy), ("nll_loss", F.nll_loss)):
        yield make("special", f"nn.{name} sum %0, %1 ignore_index 2", [given(rows), labels],
                   lambda x, y: (function(x, y, ignore_index=2, reduction="sum"), torch.tensor(3.0).double() + 0 * x[1].sum()),
                   kink=True)
