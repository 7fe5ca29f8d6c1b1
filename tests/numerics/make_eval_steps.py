#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes eval_steps.json: what an evaluation step gives, by PyTorch in float64.

usage: make_eval_steps.py        needs PyTorch

A case is a loss with the options of `dlc compile`, scores and targets of 16 rows, and for the first 1, 5 and 16 of
them: the sum of the losses, what a mean divides it by, and how many predictions are right. That a mean is the one
divided by the other is checked here.
"""
import json
import pathlib
import random

import torch
import torch.nn.functional as F

ROWS = 16
POINTWISE = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "huber": lambda x, t, reduction: F.huber_loss(x, t, reduction=reduction, delta=0.75),
    "bce": F.binary_cross_entropy,
    "bce-with-logits": F.binary_cross_entropy_with_logits,
}
generator = random.Random(1)


def numbers(shape, low=-3.0, high=3.0):
    """Multiples of 1/64, which float32 has too."""
    count = torch.Size(shape).numel()
    values = [generator.randint(int(low * 64), int(high * 64)) / 64 for _ in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def close(a, b):
    return torch.isclose(torch.as_tensor(a, dtype=torch.float64), torch.as_tensor(b, dtype=torch.float64), rtol=1e-12)


def pointwise(loss, options, shape):
    function = POINTWISE[loss]
    probabilities = dict(low=1 / 64, high=63 / 64) if loss == "bce" else {}
    x = numbers(shape, **probabilities)
    target = numbers(shape)
    if loss.startswith("bce"):  # of some rows all elements are on the target's side
        target = torch.where(x > (0.5 if loss == "bce" else 0), 0.75, 0.25).double()
        target[::3] = numbers(target[::3].shape, 0, 1)

    def row(count):
        v, t = x[:count], target[:count]
        total, weight = function(v, t, reduction="sum"), float(v.numel())
        assert close(total / weight, function(v, t, reduction="mean"))
        right = 0
        if loss.startswith("bce"):
            agrees = (v > (0.5 if loss == "bce" else 0)) == (t > 0.5)
            right = agrees.reshape(count, -1).all(1).sum()
        return [float(total), weight, int(right)]

    return case(loss, options, x, {"target": target.flatten().tolist()}, row)


def classes(loss, options, shape):
    x = numbers(shape)
    ignored = options.get("ignore-index", -100)
    if 0 <= ignored < shape[1]:  # the best guess of an ignored row may be its label
        x[3, ignored] = 3.5
    if loss == "nll":
        x = F.log_softmax(x, 1).float().double()
    label_shape = (shape[0], *shape[2:])
    labels = torch.tensor([generator.randrange(shape[1]) for _ in range(torch.Size(label_shape).numel())])
    labels[::2] = x.argmax(1).flatten()[::2]
    labels[3] = labels[6] = ignored
    labels[0] = 0  # counts, so that no mean is that of nothing
    labels = labels.reshape(label_shape)
    weights = torch.tensor(options["class-weights"]).double() if "class-weights" in options else None
    extra = {"label_smoothing": options["label-smoothing"]} if "label-smoothing" in options else {}
    function = F.nll_loss if loss == "nll" else F.cross_entropy

    def row(count):
        v, y = x[:count], labels[:count]
        total = function(v, y, weights, ignore_index=ignored, reduction="sum", **extra)
        counted = y[y != ignored]
        weight = (weights[counted] if weights is not None else torch.ones_like(counted).double()).sum()
        assert close(total / weight, function(v, y, weights, ignore_index=ignored, reduction="mean", **extra))
        return [float(total), float(weight), int(((v.argmax(1) == y) & (y != ignored)).sum())]

    return case(loss, options, x, {"labels": labels.flatten().tolist()}, row)


def case(loss, options, x, target, row):
    return {"loss": loss, "options": options, "shape": list(x.shape), "input": x.flatten().tolist(), **target,
            "rows": {str(count): row(count) for count in (1, 5, ROWS)}}


def cases():
    for loss in POINTWISE:
        more = {"huber-delta": 0.75} if loss == "huber" else {}
        yield pointwise(loss, {"reduction": "mean", **more}, (ROWS, 3))
        yield pointwise(loss, {"reduction": "sum", **more}, (ROWS, 1))
    weights = {"class-weights": [0.25, 1.5, 1.0, 0.0, 2.0]}
    for loss in ("softmax-cross-entropy", "nll"):
        yield classes(loss, {"reduction": "mean"}, (ROWS, 5))
        yield classes(loss, {"reduction": "sum"}, (ROWS, 5))
        yield classes(loss, {"reduction": "mean", **weights}, (ROWS, 5))
        yield classes(loss, {"reduction": "sum", **weights}, (ROWS, 5))
        yield classes(loss, {"reduction": "mean", "ignore-index": 2}, (ROWS, 5))
        yield classes(loss, {"reduction": "mean", "label-type": "i32"}, (ROWS, 3, 2))
    smooth = {"label-smoothing": 0.125}
    yield classes("softmax-cross-entropy", {"reduction": "mean", **smooth}, (ROWS, 5))
    yield classes("softmax-cross-entropy", {"reduction": "sum", **smooth}, (ROWS, 3, 2))
    yield classes("softmax-cross-entropy", {"reduction": "mean", **smooth, **weights, "ignore-index": 1}, (ROWS, 5))


if __name__ == "__main__":
    path = pathlib.Path(__file__).parent / "eval_steps.json"
    path.write_text("[\n" + ",\n".join(json.dumps(each) for each in cases()) + "\n]\n")
