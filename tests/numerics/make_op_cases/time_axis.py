# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of different lengths."""
import torch

from cases import given, integer, make, number


def reverse_sequence(x, lengths, time, batch):
    x = x.movedim((time, batch), (0, 1))
    steps, lengths = torch.arange(len(x))[:, None], lengths.clamp(0, len(x))
    source = torch.where(steps < lengths, lengths - 1 - steps, steps)
    return x[source, torch.arange(x.shape[1])].movedim((0, 1), (time, batch))


def cases():
    for shape, time, batch in (((5, 3), 0, 1), ((3, 5), 1, 0), ((5, 3, 2), 0, 1), ((4, 37), 0, 1), ((37, 4, 19), 0, 1),
                               ((2, 3, 5, 4), 2, 0), ((2, 3, 5, 4), 1, 3), ((1, 3), 0, 1), ((4, 1), 0, 1),
                               ((1, 1), 1, 0), ((0, 3), 0, 1), ((4, 0, 2), 0, 1)):
        lengths = integer((shape[batch],), 0, shape[time] + 1, shape)
        yield make(f"{shape} {time} {batch}", f"nn.reverse_sequence %0, %1 time {time} batch {batch}",
                   [number(shape), lengths], lambda x, n: reverse_sequence(x, n, time, batch), differentiate=[0])
    yield make("named batch", "nn.reverse_sequence %0, %1 time 1 batch 0",
               [number((5, 3, 2), dims=("batch", None, None)), integer((5,), 0, 4, dims=("batch",))],
               lambda x, n: reverse_sequence(x, n, 1, 0), differentiate=[0])
    yield make("named time", "nn.reverse_sequence %0, %1 time 0 batch 1",
               [number((5, 3), dims=("batch", None)), integer((3,), 0, 6)],
               lambda x, n: reverse_sequence(x, n, 0, 1), differentiate=[0])
    out = given([-7, 0, 2, 3, 4, 2**40], "i64")
    yield make("lengths out of range", "nn.reverse_sequence %0, %1 time 0 batch 1", [number((3, 6)), out],
               lambda x, n: reverse_sequence(x, n, 0, 1), differentiate=[0])
    yield make("i32", "nn.reverse_sequence %0, %1 time 0 batch 1",
               [integer((4, 3), -9, 9, dtype="i32"), integer((3,), 0, 5, dtype="i32")],
               lambda x, n: reverse_sequence(x, n, 0, 1))
