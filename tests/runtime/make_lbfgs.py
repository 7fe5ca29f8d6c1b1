#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes lbfgs.inc: the losses that torch.optim.LBFGS gives, step by step, and the values after the last step.

Each line is CASE(function, options, first values, losses, last values). Needs torch; what is stored is from PyTorch 2.13.
"""
from pathlib import Path

import torch

torch.set_default_dtype(torch.float64)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def logistic(x):
    """Of 12 rows, whose signs are not separable."""
    i, j = torch.arange(12.0)[:, None], torch.arange(len(x))
    rows = torch.sin(1 + 3 * i + 7 * j + 2 * i * j)
    signs = torch.where(torch.arange(12) % 3 == 0, -1.0, 1.0)
    return torch.log1p(torch.exp(-signs * (rows @ x))).mean() + 0.01 * (x * x).sum()


CASES = [
    (logistic, 6, 6, dict()),
    (logistic, 6, 8, dict(max_iter=3, history_size=2, lr=0.5)),
    (logistic, 5, 4, dict(max_iter=6, history_size=3, line_search_fn="strong_wolfe")),
    (logistic, 4, 3, dict(max_iter=10, max_eval=4)),
    (logistic, 3, 3, dict(max_iter=30, tolerance_grad=1e-3)),
    (logistic, 3, 3, dict(max_iter=30, tolerance_change=1e-2)),
    (rosenbrock, 2, 6, dict(max_iter=4, line_search_fn="strong_wolfe")),
    (rosenbrock, 4, 5, dict(max_iter=5, history_size=4, line_search_fn="strong_wolfe")),
    (rosenbrock, 7, 3, dict(max_iter=10, max_eval=30, lr=0.3, line_search_fn="strong_wolfe")),
    (rosenbrock, 2, 3, dict(max_iter=7, lr=8, line_search_fn="strong_wolfe")),
    (rosenbrock, 2, 12, dict(max_iter=2, lr=0.05)),
]


def braces(numbers):
    return "({" + ", ".join(repr(float(n)) for n in numbers) + "})"


def main():
    lines = []
    for function, count, steps, given in CASES:
        first = [round(-1.2 + 0.7 * i - 0.13 * i * i, 6) for i in range(count)]
        x = torch.tensor(first, requires_grad=True)
        optimizer, losses = torch.optim.LBFGS([x], **given), []
        for _ in range(steps):
            def closure():
                optimizer.zero_grad()
                loss = function(x)
                loss.backward()
                return loss
            losses.append(optimizer.step(closure).item())
        group = optimizer.param_groups[0]
        options = "({%r, %r, %r, %d, %d, %d, %d})" % (
            float(group["lr"]), group["tolerance_grad"], group["tolerance_change"], group["max_iter"], group["max_eval"],
            group["history_size"], group["line_search_fn"] is not None)
        lines.append(f"CASE({function.__name__}, {options}, {braces(first)},\n     {braces(losses)},\n"
                     f"     {braces(x.detach())})")
    Path(__file__).with_name("lbfgs.inc").write_text("// By make_lbfgs.py, from PyTorch " + torch.__version__ +
                                                     ".\n" + "\n".join(lines) + "\n")


main()
