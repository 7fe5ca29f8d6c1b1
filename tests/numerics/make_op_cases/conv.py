# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and their gradients, which PyTorch computes in float64."""
import torch
from torch.nn.functional import conv1d, conv2d, conv3d, pad

from cases import make, number

# image (N, C, ...), output channels, kernel; strides, dilations, low, high, groups
ONES = (1, 1, 1)
CONFIGURATIONS = {
    "plain": ((2, 3, 7, 6), 4, (3, 3), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    "same": ((2, 3, 5, 6), 4, (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 1),
    "one element": ((1, 1, 1, 1), 1, (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    "one by one": ((2, 5, 4, 3), 3, (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    "one by one, stride": ((2, 3, 5, 4), 2, (1, 1), (2, 2), (1, 1), (0, 0), (0, 0), 1),
    "stride": ((2, 3, 8, 8), 4, (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), 1),
    "stride of an even kernel": ((1, 2, 8, 6), 3, (4, 2), (2, 2), (1, 1), (1, 0), (1, 0), 1),
    "stride of a long kernel": ((1, 1, 11, 12), 2, (7, 5), (2, 3), (1, 1), (3, 2), (3, 2), 1),
    "stride longer than the kernel": ((2, 2, 9, 7), 3, (2, 1), (3, 4), (1, 1), (0, 0), (0, 0), 1),
    "stride longer than the image": ((1, 2, 4, 3), 2, (3, 2), (9, 9), (1, 1), (0, 0), (0, 0), 1),
    "dilation": ((1, 2, 9, 8), 3, (3, 2), (1, 1), (2, 3), (0, 0), (0, 0), 1),
    "dilation and padding": ((1, 2, 5, 5), 3, (3, 3), (1, 1), (2, 2), (2, 2), (2, 2), 1),
    "dilation and stride": ((2, 2, 11, 12), 3, (3, 2), (2, 3), (3, 2), (1, 0), (2, 1), 1),
    "dilation and stride with a common factor": ((1, 2, 10, 9), 3, (3, 2), (2, 4), (2, 2), (1, 0), (0, 1), 1),
    "asymmetric padding": ((1, 2, 4, 5), 3, (3, 2), (1, 1), (1, 1), (2, 0), (0, 1), 1),
    "padding beyond the kernel": ((1, 2, 3, 2), 2, (2, 1), (1, 2), (1, 1), (3, 2), (2, 3), 1),
    "windows wholly in padding": ((1, 1, 1, 2), 2, (2, 2), (3, 3), (1, 1), (7, 4), (1, 6), 1),
    "an image no window meets": ((1, 2, 1, 1), 2, (1, 1), (3, 3), (1, 1), (1, 1), (4, 4), 1),
    "one position": ((2, 3, 3, 4), 5, (3, 4), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    "one position of a larger image": ((2, 2, 5, 4), 3, (3, 3), (4, 3), (1, 1), (0, 0), (0, 0), 1),
    "one position, dilation": ((1, 2, 6, 5), 2, (3, 3), (2, 1), (2, 2), (0, 0), (0, 0), 1),
    "one position, mostly padding": ((1, 2, 2, 1), 2, (3, 3), (5, 5), (1, 1), (2, 3), (1, 1), 1),
    "groups": ((2, 6, 5, 4), 4, (3, 2), (1, 1), (1, 1), (1, 0), (1, 1), 2),
    "groups, stride": ((2, 4, 6, 7), 6, (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), 2),
    "depthwise": ((2, 5, 6, 5), 5, (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 5),
    "depthwise, stride": ((2, 3, 7, 8), 3, (3, 3), (2, 2), (1, 1), (1, 1), (1, 1), 3),
    "depthwise with a multiplier": ((2, 3, 5, 5), 6, (3, 3), (1, 1), (1, 1), (0, 0), (0, 0), 3),
    "one channel": ((2, 1, 6, 7), 3, (5, 5), (1, 1), (1, 1), (2, 2), (2, 2), 1),
    "one output channel": ((2, 4, 5, 5), 1, (3, 3), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    "one row": ((1, 3, 1, 9), 2, (1, 3), (1, 2), (1, 1), (0, 1), (0, 1), 1),
    "many channels": ((1, 7, 4, 5), 19, (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 1),
    "wide": ((1, 2, 3, 37), 2, (3, 5), (1, 1), (1, 1), (1, 2), (1, 2), 1),
    "empty batch": ((0, 2, 5, 5), 3, (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 1),
    "line": ((2, 3, 10), 4, (3,), (1,), (1,), (1,), (1,), 1),
    "line, stride": ((2, 2, 11), 3, (4,), (3,), (1,), (2,), (1,), 1),
    "line, dilation and groups": ((2, 4, 12), 4, (3,), (1,), (2,), (0,), (2,), 2),
    "line, depthwise": ((1, 4, 9), 4, (3,), (2,), (1,), (1,), (1,), 4),
    "windows side by side, a remainder": ((1, 2, 5, 7), 3, (2, 3), (2, 3), (1, 1), (0, 0), (0, 0), 1),
    "line, stride of half the kernel, a remainder": ((2, 2, 5), 3, (4,), (2,), (1,), (2,), (2,), 1),
    "volume": ((1, 2, 4, 5, 4), 3, (2, 3, 3), ONES, ONES, (0, 1, 1), (1, 1, 1), 1),
    "volume, stride": ((1, 2, 5, 6, 4), 2, (3, 2, 3), (2, 2, 1), ONES, (1, 0, 1), (1, 0, 1), 1),
    "volume, groups": ((1, 4, 3, 4, 3), 2, (2, 2, 1), ONES, (1, 2, 1), (0, 1, 0), (0, 1, 0), 2),
}


def conv(x, w, strides, dilations, low, high, groups):
    sides = [count for pair in zip(reversed(low), reversed(high)) for count in pair]
    return (conv1d, conv2d, conv3d)[x.dim() - 3](pad(x, sides), w, None, strides, 0, dilations, groups)


def window_text(strides, dilations, low, high, groups):
    return (f"strides {list(strides)} dilations {list(dilations)} low {list(low)} high {list(high)} "
            f"groups {groups}")


def cases_of(name, shape, channels, kernel, window, dims=None):
    """The three operations, on one convolution."""
    text = window_text(*window)
    x = number(shape, "x", -1, 1, dims=dims)
    w = number((channels, shape[1] // window[4], *kernel), "w", -1, 1)
    result = conv(x.tensor, w.tensor, *window).shape
    dy = number(result, "dy", -1, 1, dims=dims)

    def gradient(x, w, dy, by):
        with torch.enable_grad():
            x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
            return torch.autograd.grad(conv(x, w, *window), (x, w)[by], dy)[0]

    yield make(name, f"nn.conv %0, %1 {text}", [x, w], lambda x, w: conv(x, w, *window), differentiate=[0, 1])
    yield make(name, f"nn.conv_transpose %0, %1 size {list(shape[2:])} {text}", [dy, w],
               lambda dy, w: gradient(x.tensor, w, dy, 0), differentiate=[0, 1])
    yield make(name, f"nn.conv_weight_gradient %0, %1 kernel {list(kernel)} {text}", [x, dy],
               lambda x, dy: gradient(x, w.tensor, dy, 1), differentiate=[0, 1])


def cases():
    for name, (shape, channels, kernel, *window) in CONFIGURATIONS.items():
        yield from cases_of(name, shape, channels, kernel, window)
    for name in ("same", "stride", "groups", "depthwise"):
        (_, *image), channels, kernel, *window = CONFIGURATIONS[name]
        yield from cases_of(f"named, {name}", (5, *image), channels, kernel, window, ("batch", None, None, None))
