# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes PyTorch's numbers for the cases of the descriptions here, and stores them (README.md). Needs torch:

    make_references.py build/bin/dlc [NAME...]
"""
import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F  # noqa: F401: cases name it
from torch import nn

from check import cases_of, families
from numbers_of import INDEX, SIGN, TRUTH, numbers_of, sketch

FOLDER = pathlib.Path(__file__).parent


def cat(parts):
    """All elements of nested tuples in one row."""
    if isinstance(parts, torch.Tensor):
        return parts.flatten()
    return torch.cat([cat(part) for part in parts])


def rounded(numbers):
    return [float(f"{number:.12g}") for number in numbers]


def filled(key, shape, kind=0, high=0):
    numbers = numbers_of(key, math.prod(shape), kind, high)
    dtype = torch.int64 if kind == INDEX else torch.bool if kind == TRUTH else torch.float64
    return torch.tensor(numbers, dtype=dtype).reshape(shape)


def reference(case):
    key, names = case["key"], {"torch": torch, "nn": nn, "F": F, "cat": cat}
    python, _, call = key.rpartition(" of ")[0].partition(" -> ")
    torch.manual_seed(0)
    module = eval(python, names)
    x = [filled(f"{key}|{i}", **given) for i, given in enumerate(case["inputs"])]
    stored, gradients = {}, {}
    for tensor, given in zip(x, case["inputs"]):
        tensor.requires_grad_(given["kind"] not in (INDEX, TRUTH, SIGN))  # not all losses have gradients of signs
    if isinstance(module, nn.Module):
        parameters = dict(module.named_parameters())
        stored["text"] = repr(module)
        stored["initial"] = {}
        for name, parameter in parameters.items():
            values = parameter.detach().double().flatten().tolist()
            stored["initial"][name] = [list(parameter.shape), math.fsum(
                map(lambda a, b: a * b, values, numbers_of(f"{key}|{name}", len(values))))]
        module.double()
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(filled(f"{key}|{name}", list(parameter.shape)) / 4)
        gradients = parameters
        y = eval(call, names, {"m": module, "x": x}) if call else module(*x)
    else:
        y = module(*x)
    count = y.numel()
    weights = torch.tensor(numbers_of(f"{key}|r0", count), dtype=torch.float64).reshape(y.shape)
    (y * weights).sum().backward()
    stored["shape"] = list(y.shape)
    stored["y"] = rounded(sketch(key, y.detach().flatten().tolist()))
    of = lambda t: rounded(sketch(key, (torch.zeros_like(t) if t.grad is None else t.grad).flatten().tolist()))
    stored["gradients"] = {str(i): of(t) for i, t in enumerate(x) if t.requires_grad}
    stored["gradients"].update({name: of(t) for name, t in gradients.items()})
    return stored


def main():
    dlc = sys.argv[1]
    for family in sys.argv[2:] or families():
        cases = cases_of(dlc, family)
        lines = [json.dumps(case["key"]) + ": " + json.dumps(reference(case)) for case in cases]
        (FOLDER / f"{family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"{family}: {len(lines)} cases, torch {torch.__version__}")


if __name__ == "__main__":
    main()
