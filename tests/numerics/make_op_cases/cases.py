# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The form of a case, and its data.

A case is {name, op, text, inputs, outputs}: `text` is an operation on %0, %1 ... (the inputs); inputs
have a `type` as in MLIR's tensor types (tensor<2x3xf32>), a `shape` and row-major `data`; outputs are what
PyTorch computes in float64 from them (NaN and infinities are strings). Optional:

- differentiate: the inputs whose gradient finite differences must confirm (default: none);
- kink: gradients by PyTorch, one per output and input, at places where finite differences say nothing, such as NaN:
  {dy: [data per output], dx: [data or null per input]};
- dims: actual sizes of named dims (bound 16).

Numbers are multiples of 1/32 plus 1/64, or of 1/32: exact in float32, and never on the usual kinks or on
each other where two inputs are compared.
"""
import json
import math
import re
import zlib

import torch

BOUND = 16
NAN, INF = float("nan"), float("inf")


class Input:
    """A tensor with its MLIR type. `dims` names dynamic dims: ("batch", None)."""

    def __init__(self, tensor, dtype="f32", dims=None):
        self.tensor, self.dtype, self.dims = tensor, dtype, dims or (None,) * tensor.dim()
        sizes = "".join(("?" if name else str(size)) + "x" for size, name in zip(tensor.shape, self.dims))
        names = ", ".join(f'"{name}"' if name and "*" in name else name or "_" for name in self.dims)
        encoding = f", #nn.dims<{names}>" if any(self.dims) else ""
        self.type = f"tensor<{sizes}{dtype}{encoding}>"

    def __str__(self):
        return self.type


def generator(*key):
    return torch.Generator().manual_seed(zlib.crc32(repr(key).encode()))


def number(shape, key="", low=-3.0, high=3.0, offset=0.5, away=0.0, dims=None, dtype="f32"):
    """Multiples of 1/32 plus offset/32 in [low, high), at least `away` from 0."""
    lowest, highest = math.ceil(low * 32), math.floor(high * 32)
    whole = torch.randint(lowest, highest, tuple(shape), generator=generator(shape, key, low, high))
    x = (whole.double() + offset) / 32
    x = torch.where(x.abs() < away, torch.where(x < 0, x - away, x + away), x)
    return Input(x, dtype, dims)


def distinct(shape, key="", dims=None):
    """All different, in no order: for largest and smallest elements."""
    count = math.prod(shape)
    order = torch.randperm(count, generator=generator(shape, key))
    return Input(((order.double() - count // 2) / 16 + 1 / 64).reshape(tuple(shape)), "f32", dims)


def integer(shape, low, high, key="", dtype="i64", dims=None):
    x = torch.randint(low, high, tuple(shape), generator=generator(shape, low, high, key))
    return Input(x, dtype, dims)


def truth(shape, key=""):
    return Input(torch.randint(0, 2, tuple(shape), generator=generator(shape, key)).bool(), "i1")


def given(values, dtype="f32"):
    kinds = {"i1": torch.bool, "ui8": torch.uint8}
    kind = kinds.get(dtype) or (torch.int64 if dtype.startswith("i") else torch.float64)
    return Input(torch.tensor(values, dtype=kind), dtype)


def flat(tensor):
    numbers = tensor.detach().flatten().tolist()
    if tensor.dtype != torch.float64:
        return [int(n) for n in numbers]
    return [n if math.isfinite(n) else str(n) for n in (float(f"{n:.15g}") for n in numbers)]


def make(name, text, inputs, function, differentiate=None, kink=False):
    """`function` takes the inputs' tensors and gives one tensor or several."""
    op = text.split()[0]
    floats = [i for i, x in enumerate(inputs) if x.tensor.dtype == torch.float64]
    tensors = [x.tensor.clone().requires_grad_(i in floats and kink) for i, x in enumerate(inputs)]
    outputs = function(*tensors)
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    if " : " not in re.sub("{.*}", "", text):  # the types follow from the inputs
        text += " : " + ", ".join(map(str, inputs))
    case = dict(name=f"{op[3:]} {name}".strip(), op=op, text=text,
                inputs=[dict(type=str(x), shape=list(x.tensor.shape), data=flat(x.tensor)) for x in inputs],
                outputs=[dict(shape=list(y.shape), data=flat(y)) for y in outputs])
    dims = {n: s for x in inputs for s, n in zip(x.tensor.shape, x.dims) if n and "*" not in n}
    if dims:
        case["dims"] = dims
    if kink:
        dy = [number(y.shape, ("dy", name, i), -1, 1).tensor for i, y in enumerate(outputs)]
        real = [i for i, y in enumerate(outputs) if y.dtype == torch.float64]
        gradients = torch.autograd.grad([outputs[i] for i in real], [tensors[i] for i in floats],
                                        [dy[i] for i in real], allow_unused=True)
        by_input = dict(zip(floats, gradients))
        case["kink"] = dict(dy=[flat(y) for y in dy],
                            dx=[flat(by_input[i]) if by_input.get(i) is not None else None
                                for i in range(len(inputs))])
    if differentiate is not None:
        case["differentiate"] = differentiate
    return case


def dumps(case):
    return json.dumps(case, separators=(", ", ": "))
