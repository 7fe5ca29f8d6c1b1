# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements."""
import numpy
import torch

from cases import Input, given, integer, make, number, truth

BYTES = given([[0, 1, 127], [128, 255, 200]], "ui8")


def reshape_cases():
    for source, target in (((2, 3), (3, 2)), ((6,), (1, 2, 3)), ((2, 3, 4), (24,)), ((), (1,)), ((1, 1), ()),
                           ((0, 3), (3, 0)), ((3, 37), (37, 3)), ((7,), (7,))):
        to = Input(torch.zeros(target))
        yield make(f"{source} {target}", f"nn.reshape %0 : {Input(torch.zeros(source))} -> {to}", [number(source)],
                   lambda x: x.reshape(target), differentiate=[0])
    x = number((5, 2, 3), dims=("batch", None, None))
    yield make("named flatten", f"nn.reshape %0 : {x} -> tensor<?x6xf32, #nn.dims<batch, _>>", [x],
               lambda v: v.reshape(5, 6), differentiate=[0])
    yield make("named product", f'nn.reshape %0 : {x} -> tensor<?x3xf32, #nn.dims<"2*batch", _>>', [x],
               lambda v: v.reshape(10, 3), differentiate=[0])


def movement_cases():
    for shape, permutation in (((3, 5), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4), [0, 2, 1]), ((7,), [0]), ((), []),
                               ((0, 3), [1, 0]), ((1, 4), [1, 0]), ((33, 17), [1, 0]), ((2, 3, 2, 2), [3, 1, 0, 2])):
        yield make(f"{shape} {permutation}", f"nn.transpose %0 {permutation}", [number(shape)],
                   lambda x: x.permute(permutation), differentiate=[0])
    yield make("named", "nn.transpose %0 [1, 0]", [number((5, 3), dims=("batch", None))], lambda x: x.mT,
               differentiate=[0])
    yield make("i64", "nn.transpose %0 [1, 0]", [integer((2, 3), 0, 9)], lambda x: x.mT)
    yield make("ui8", "nn.transpose %0 [1, 0]", [BYTES], lambda x: x.mT)
    for source, target in (((3,), (2, 3)), ((), (2, 3)), ((2, 1), (2, 5)), ((1, 3), (4, 3)), ((1,), (1,)), ((1,), (0,)),
                           ((4, 1, 33), (4, 2, 33))):
        yield make(f"{source} {target}", f"nn.expand %0 : {Input(torch.zeros(source))} -> {Input(torch.zeros(target))}",
                   [number(source)], lambda x: x.expand(target), differentiate=[0])
    for shape, axes in (((7,), [0]), ((3, 5), [1]), ((3, 5), [0, 1]), ((3, 5), []), ((1,), [0]), ((0, 2), [0]),
                        ((2, 3, 17), [2])):
        yield make(f"{shape} {axes}", f"nn.reverse %0 axes {axes}", [number(shape)], lambda x: x.flip(axes),
                   differentiate=[0])


def concat_cases():
    for shapes, axis in ((((2, 3), (2, 5)), 1), (((2, 3), (1, 3)), 0), (((4,),), 0), (((2,), (0,), (3,)), 0),
                         (((2, 1, 3), (2, 2, 3), (2, 1, 3)), 1), (((3, 33), (3, 2)), 1)):
        inputs = [number(s, i) for i, s in enumerate(shapes)]
        operands = ", ".join(f"%{i}" for i in range(len(shapes)))
        yield make(f"{shapes} {axis}", f"nn.concat {operands} axis {axis}", inputs, lambda *v: torch.cat(v, axis),
                   differentiate=list(range(len(shapes))))
    inputs = [number((5, 2), i, dims=("batch", None)) for i in range(2)]
    yield make("named", "nn.concat %0, %1 axis 1", inputs, lambda *v: torch.cat(v, 1), differentiate=[0, 1])
    yield make("i64", "nn.concat %0, %1 axis 0", [integer((2,), 0, 9, 1), integer((3,), 0, 9, 2)],
               lambda *v: torch.cat(v))
    yield make("ui8", "nn.concat %0, %1 axis 1", [BYTES, given([[7], [250]], "ui8")], lambda *v: torch.cat(v, 1))


def slice_cases():
    for shape, starts, limits, steps in (
            ((7,), [2], [6], [1]), ((7,), [0], [7], [3]), ((7,), [1], [7], [3]), ((7,), [3], [3], [1]),
            ((3, 10), [0, 2], [3, 8], [1, 3]), ((3, 10), [1, 0], [2, 10], [1, 1]), ((2, 3, 4), [0, 1, 0], [2, 3, 4],
                                                                                    [1, 2, 3]),
            ((3, 37), [0, 5], [3, 36], [1, 1]), ((0, 3), [0, 1], [0, 3], [1, 1]), ((), [], [], [])):
        index = tuple(slice(*s) for s in zip(starts, limits, steps))
        yield make(f"{shape} {starts} {limits} {steps}", f"nn.slice %0 starts {starts} limits {limits} steps {steps}",
                   [number(shape)], lambda x: x[index].clone(), differentiate=[0])
    yield make("named", "nn.slice %0 starts [0, 1] limits [-1, 3] steps [1, 1]",
               [number((5, 4), dims=("batch", None))], lambda x: x[:, 1:3], differentiate=[0])
    yield make("ui8", "nn.slice %0 starts [0, 1] limits [2, 3] steps [1, 1]", [BYTES], lambda x: x[:, 1:3])


def constant_pad(x, low, high, interior, value):
    sizes = [low[d] + high[d] + n + max(n - 1, 0) * interior[d] for d, n in enumerate(x.shape)]
    y = torch.full(sizes, value, dtype=x.dtype)
    places = tuple(slice(low[d], low[d] + (n - 1) * (interior[d] + 1) + 1 if n else low[d], interior[d] + 1)
                   for d, n in enumerate(x.shape))
    y[places] = x
    return y


def pad_cases():
    text = "nn.pad {} %0 low {} high {} interior {} value {:e}"
    for shape, low, high, interior, value in (
            ((5,), [1], [2], [0], 0.0), ((5,), [0], [0], [2], 0.5), ((3, 4), [0, 1], [2, 0], [1, 0], -1.0),
            ((1,), [1], [1], [3], 0.0), ((), [], [], [], 0.0), ((0,), [2], [1], [0], 1.5), ((3, 33), [1, 1], [1, 1], [0, 0], 0.0),
            ((2, 3, 2), [1, 0, 0], [0, 1, 2], [0, 1, 1], 0.0)):
        yield make(f"constant {shape} {low} {high} {interior}", text.format("constant", low, high, interior, value),
                   [number(shape)], lambda x: constant_pad(x, low, high, interior, value), differentiate=[0])
    for mode in ("edge", "reflect", "wrap"):
        for shape, low, high in (((5,), [1], [2]), ((5,), [4], [4]), ((3, 4), [0, 1], [2, 0]), ((2, 3), [1, 2], [1, 2]),
                                 ((3, 33), [2, 2], [2, 2]), ((4,), [0], [0])):
            places = [numpy.pad(numpy.arange(n), (low[d], high[d]), mode) for d, n in enumerate(shape)]
            grid = torch.meshgrid(*(torch.tensor(p) for p in places), indexing="ij")
            yield make(f"{mode} {shape} {low} {high}", text.format(mode, low, high, [0] * len(shape), 0.0),
                       [number(shape)], lambda x: x[tuple(grid)], differentiate=[0])
    yield make("named", text.format("constant", [0, 1], [0, 2], [0, 0], 0.0),
               [number((5, 3), dims=("batch", None))], lambda x: torch.nn.functional.pad(x, (1, 2)), differentiate=[0])
    for value in (0, 200):
        yield make(f"ui8 {value}", text.format("constant", [0, 1], [1, 0], [0, 0], value), [BYTES],
                   lambda x: torch.nn.functional.pad(x, (1, 0, 0, 1), value=value))


def take(x, indices, axis):
    y = torch.index_select(x, axis, indices.flatten() % x.shape[axis])
    return y.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1:]))


def gather_cases():
    for shape, index_shape, axis in (((7, 3), (5,), 0), ((3, 7), (2, 2), 1), ((7,), (), 0), ((2, 5, 3), (4,), 1),
                                     ((4, 2), (0,), 0), ((1, 3), (2,), 0), ((11, 33), (6,), 0)):
        indices = integer(index_shape, -shape[axis], shape[axis], "indices")
        for dtype in ("i64", "i32"):
            yield make(f"{shape} {index_shape} {axis} {dtype}", f"nn.gather %0, %1 axis {axis}",
                       [number(shape), Input(indices.tensor, dtype)], lambda x, i: take(x, i, axis), differentiate=[0])
        result = (*shape[:axis], *index_shape, *shape[axis + 1:])
        updates = number(result, "updates")
        to = Input(torch.zeros(shape))
        index = Input(indices.tensor, "i64")
        yield make(f"{shape} {index_shape} {axis}",
                   f"nn.scatter_add %0, %1 axis {axis} : {index}, {updates} -> {to}", [index, updates],
                   lambda i, u: torch.zeros(shape).double().index_add(
                       axis, i.flatten() % shape[axis], u.reshape(*shape[:axis], i.numel(), *shape[axis + 1:])),
                   differentiate=[1])
    repeated = given([2, 0, 2, 2, -1], "i64")
    yield make("repeated", "nn.gather %0, %1 axis 0", [number((3, 4)), repeated], lambda x, i: take(x, i, 0),
               differentiate=[0])
    ids = integer((5, 2), 0, 7, "ids", dims=("batch", None))
    yield make("named", "nn.gather %0, %1 axis 0", [number((7, 3)), ids], lambda x, i: take(x, i, 0),
               differentiate=[0])
    yield make("i1", "nn.gather %0, %1 axis 0", [truth((4,)), given([3, 0], "i64")], lambda x, i: x[i])
    yield make("ui8", "nn.gather %0, %1 axis 0", [given([0, 127, 128, 255], "ui8"), given([3, 0, 2], "i64")], lambda x, i: x[i])


def iota_cases():
    for shape, axis, dtype in (((7,), 0, "i64"), ((2, 3), 1, "f32"), ((2, 3), 0, "i32"), ((1,), 0, "i64"),
                               ((0, 2), 1, "f32"), ((3, 37), 1, "i64")):
        line = torch.arange(shape[axis], dtype=torch.float64 if dtype == "f32" else torch.int64)
        view = [-1 if d == axis else 1 for d in range(len(shape))]
        yield make(f"{shape} {axis} {dtype}", f"nn.iota axis {axis} : {Input(torch.zeros(shape), dtype)}", [],
                   lambda: line.view(view).expand(shape))


def cases():
    for group in (reshape_cases, movement_cases, concat_cases, slice_cases, pad_cases, gather_cases, iota_cases):
        yield from group()
