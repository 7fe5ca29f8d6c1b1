#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes precision.json: how far PyTorch's training is from float64 where the operands of its products are rounded (README.md).

Needs what make_references.py needs; the models, data and losses are its own. For each model and precision: of the first
step's gradients the relative norm of the difference, by parameter, and the largest difference of a loss. They are the
largest of several runs, in which the rows of the batch stand in other orders: other sums are rounded. `autocast`
are the same numbers for torch.autocast in bfloat16; no test reads them.
"""
import json

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

import example_nets
import make_references as references
import small_nets

STEPS, RUNS, LOSS_SCALE = 50, 4, 1024
aten = torch.ops.aten


def to_bf16(x):
    return x.bfloat16().float()


def to_fp16(x):
    return x.half().float()


def to_tf32(x):
    """The nearest number with 10 bits behind the point, halves away from zero."""
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


class Rounded(TorchDispatchMode):
    """Rounds the operands of each product, forward and backward. Its sums, and what is added to it, are float32."""

    PRODUCTS = {aten.mm.default: (0, 1), aten.bmm.default: (0, 1), aten.addmm.default: (1, 2),
                aten.convolution.default: (0, 1), aten.convolution_backward.default: (0, 1, 2)}

    def __init__(self, low):
        super().__init__()
        self.low = low

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        rounded = list(args)
        for i in self.PRODUCTS.get(function, ()):
            rounded[i] = self.low(args[i].contiguous())
        results = function(*rounded, **(kwargs or {}))
        if function is aten.convolution_backward.default:  # the bias is no operand of a product
            results = (*results[:2], args[0].sum((0, 2, 3)))
        return results


class Autocast(torch.nn.Module):
    """The model with the products that PyTorch gives low precision; losses are computed in float32."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.model(x).float()

    def named_parameters(self, *arguments, **options):
        return self.model.named_parameters(*arguments, **options)


def errors(case, exact, train):
    losses, gradients = exact
    worst = {"loss_error": 0.0, "gradient_error": dict.fromkeys(gradients, 0.0)}
    for seed in range(RUNS):
        loss, gradient, *_ = train(references.shuffled(case, seed))
        worst["loss_error"] = max(worst["loss_error"], float(np.abs(loss - losses).max()))
        for name, error in worst["gradient_error"].items():
            worst["gradient_error"][name] = max(error, references.relative_norm(gradient[name], gradients[name]))
    return worst


def rounded(low):
    def train(case):
        with sdpa_kernel(SDPBackend.MATH), Rounded(low):
            return references.train(case, torch.float32)
    return train


def autocast(case):
    return references.train({**case, "model": Autocast(case["model"])}, torch.float32)


def of_model(build):
    torch.manual_seed(0)
    case = {**build(), "steps": STEPS}
    exact = references.train(case, torch.float64)[:2]
    return {"tf32": errors(case, exact, rounded(to_tf32)), "bf16": errors(case, exact, rounded(to_bf16)),
            "fp16": errors({**case, "loss_scale": LOSS_SCALE}, exact, rounded(to_fp16)),
            "autocast": errors(case, exact, autocast)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    builds = (small_nets.mlp, small_nets.convolutions, example_nets.gpt_narrow)
    found = {build.__name__: of_model(build) for build in builds}
    (references.HERE / "precision.json").write_text(json.dumps(found, indent=2) + "\n")
    for name, by_precision in found.items():
        for precision, worst in by_precision.items():
            gradients = worst["gradient_error"].values()
            print(f"{name}, {precision}: loss error {worst['loss_error']:.2e}, "
                  f"gradient errors {min(gradients):.2e} to {max(gradients):.2e}")
