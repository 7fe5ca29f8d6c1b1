# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions."""
import torch

from cases import INF, NAN, distinct, given, integer, make, number

SLICES = (((3, 5), [1]), ((3, 5), [0]), ((3, 5), [0, 1]), ((2, 3, 4), [1]), ((2, 3, 4), [0, 2]), ((7,), [0]), ((), []),
          ((3, 5), []), ((1, 1), [0]), ((3, 1), [1]), ((0, 3), [1]), ((3, 37), [1]), ((37, 3), [0]))
EMPTY = (((3, 0), [1]), ((0,), [0]))


def largest(x, axes, keepdim):
    return torch.amax(x, axes, keepdim) if axes else x.clone()


def smallest(x, axes, keepdim):
    return torch.amin(x, axes, keepdim) if axes else x.clone()


def total(x, axes, keepdim):
    return torch.sum(x, axes, keepdim) if axes else x.clone()


def average(x, axes, keepdim):
    return torch.mean(x, axes, keepdim) if axes else x.clone()


def product(x, axes, keepdim):
    for axis in reversed(axes):
        x = torch.prod(x, axis, keepdim)
    return x.clone()


def first_best(x, axis, keepdim, better, last):
    """Position of the best element, by the text's rule for equal ones (PyTorch promises none)."""
    rows = x.movedim(axis, -1).reshape(-1, x.shape[axis]).tolist()
    places = []
    for row in rows:
        best = 0
        for i, value in enumerate(row):
            if better(value, row[best]) or (last and value == row[best]):
                best = i
        places.append(best)
    shape = list(x.movedim(axis, -1).shape[:-1])
    y = torch.tensor(places, dtype=torch.int64).reshape(shape)
    return y.unsqueeze(axis) if keepdim else y


def cases():
    operations = dict(sum=total, mean=average, reduce_max=largest, reduce_min=smallest, prod=product)
    for name, function in operations.items():
        data = distinct if name.startswith("reduce") else lambda s, k="", dims=None: number(s, k, -1.5, 1.5, dims=dims)
        empty = EMPTY if name in ("sum", "prod") else ()
        for shape, axes in (*SLICES, *empty):
            for keepdims in (False, True):
                flag = " keepdims" if keepdims else ""
                yield make(f"{shape} {axes}{flag}", f"nn.{name} %0 axes {axes}{flag}", [data(shape, name)],
                           lambda x: function(x, axes, keepdims), differentiate=[0])
        for axes in ([0], [1], [0, 1]):
            yield make(f"named {axes}", f"nn.{name} %0 axes {axes}", [data((5, 3), name, dims=("batch", None))],
                       lambda x: function(x, axes, False), differentiate=[0])
        if name != "mean":
            for dtype in ("i64", "i32"):
                yield make(dtype, f"nn.{name} %0 axes [1]", [integer((3, 5), -5, 5, name, dtype)],
                           lambda x: function(x, [1], False))
        rows = [[1.0, NAN, 2.0], [1.0, 2.0, INF], [-INF, 1.0, 2.0], [-INF, INF, 3.0]]
        yield make("special", f"nn.{name} %0 axes [1]", [given(rows)], lambda x: function(x, [1], False), kink=True)
    zeros = given([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    yield make("zeros", "nn.prod %0 axes [1]", [zeros], lambda x: torch.prod(x, 1), differentiate=[0])
    yield make("zeros all", "nn.prod %0 axes [0, 1]", [zeros], lambda x: product(x, [0, 1], False), differentiate=[0])
    ties = given([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [5.0, 0.0, 0.0]])
    yield make("ties", "nn.reduce_max %0 axes [1]", [ties], lambda x: torch.amax(x, 1), kink=True)
    yield make("ties", "nn.reduce_min %0 axes [1]", [ties], lambda x: torch.amin(x, 1), kink=True)
    for name, better in (("argmax", lambda a, b: a > b), ("argmin", lambda a, b: a < b)):
        for x, label in ((distinct((3, 5)), ""), (ties, "ties"), (distinct((2, 3, 4)), ""), (distinct((1, 1)), ""),
                         (integer((4, 9), 0, 3), "i64"), (distinct((0, 3)), ""), (distinct((3, 37)), "")):
            for axis in range(x.tensor.dim()):
                if x.tensor.shape[axis] == 0:
                    continue
                for keepdims, last in ((False, False), (True, False), (False, True)):
                    flags = (" keepdims" if keepdims else "") + (" last" if last else "")
                    yield make(f"{label} {tuple(x.tensor.shape)} {axis}{flags}".strip(),
                               f"nn.{name} %0 axis {axis}{flags}", [x],
                               lambda v: first_best(v, axis, keepdims, better, last))
