# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra."""
import torch

from cases import integer, make, number

PRODUCTS = (((1, 1), (1, 1)), ((2, 3), (3, 4)), ((1, 7), (7, 1)), ((5, 1), (1, 3)), ((17, 33), (33, 19)),
            ((3, 0), (0, 2)), ((0, 3), (3, 2)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (3, 4, 2)),
            ((2, 3, 4), (2, 4, 1)), ((8, 16), (16, 16)))


def exchanged(shape, flag):
    return (*shape[:-2], shape[-1], shape[-2]) if flag else shape


def cases():
    for left, right in PRODUCTS:
        for ta in (False, True):
            for tb in (False, True):
                a, b = number(exchanged(left, ta), "a", -1, 1), number(exchanged(right, tb), "b", -1, 1)
                flags = (" transpose_a" if ta else "") + (" transpose_b" if tb else "")
                yield make(f"{left} {right}{flags}", f"nn.matmul %0, %1{flags}", [a, b],
                           lambda a, b: (a.mT if ta else a) @ (b.mT if tb else b), differentiate=[0, 1])
    named = number((5, 4), "a", dims=("batch", None))
    yield make("named", "nn.matmul %0, %1 transpose_b", [named, number((3, 4), "b")], lambda a, b: a @ b.mT,
               differentiate=[0, 1])
    yield make("named depth", "nn.matmul %0, %1 transpose_a",
               [named, number((5, 3), "b", dims=("batch", None))], lambda a, b: a.mT @ b, differentiate=[0, 1])
    for dtype in ("i64", "i32"):
        yield make(dtype, "nn.matmul %0, %1", [integer((3, 5), -9, 9, "a", dtype), integer((5, 2), -9, 9, "b", dtype)],
                   torch.matmul)
