# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions."""

import numpy as np

from cases import floats, one


def windows(kernel, strides, dilations, result):
    """For each element of the kernel: its place, and the slice of the padded image that meets it."""
    for place in np.ndindex(*kernel):
        yield place, tuple(slice(k * d, k * d + (r - 1) * s + 1, s)
                           for k, d, r, s in zip(place, dilations, result, strides))


def convolve(x, w, strides, dilations, low, high, group=1):
    padded = np.pad(x, [(0, 0), (0, 0), *zip(low, high)])
    kernel, size = w.shape[2:], padded.shape[2:]
    result = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(size, kernel, dilations, strides)]
    y = np.zeros((x.shape[0], w.shape[0], *result), np.float32)
    for m in range(w.shape[0]):
        first = m // (w.shape[0] // group) * w.shape[1]
        for place, part in windows(kernel, strides, dilations, result):
            for c in range(w.shape[1]):
                y[:, m] += w[(m, c, *place)] * padded[(slice(None), first + c, *part)]
    return y


def spread(x, w, strides, dilations, group=1):
    """A transposed convolution before padding is taken away."""
    kernel, size = w.shape[2:], x.shape[2:]
    whole = [(n - 1) * s + (k - 1) * d + 1 for n, k, d, s in zip(size, kernel, dilations, strides)]
    y = np.zeros((x.shape[0], w.shape[1] * group, *whole), np.float32)
    for c in range(x.shape[1]):
        first = c // (x.shape[1] // group) * w.shape[1]
        for place, part in windows(kernel, strides, dilations, size):
            for m in range(w.shape[1]):
                y[(slice(None), first + m, *part)] += w[(c, m, *place)] * x[:, c]
    return y


def resized(y, low, size):
    """From `low` on, with zeros where there is nothing."""
    padded = np.pad(y, [(0, 0), (0, 0), *((0, n) for n in size)])
    return padded[(slice(None), slice(None), *(slice(l, l + n) for l, n in zip(low, size)))].copy()


def convolutions():
    one_one, two_three = dict(strides=(1, 1), dilations=(1, 1)), dict(strides=(2, 3), dilations=(1, 1))
    image = floats(2, 4, 7, 8)
    for opset, name, shape, group, bias, strides, dilations, pads, more in (
            (6, "all", (6, 2, 3, 2), 2, True, (2, 1), (1, 2), (1, 0, 2, 1), dict(kernel_shape=[3, 2], auto_pad="NOTSET")),
            (11, "bias", (3, 4, 3, 3), 1, True, (1, 1), (1, 1), (0, 0, 0, 0), {}),
            (22, "depthwise", (4, 1, 3, 3), 4, True, (1, 1), (1, 1), (1, 1, 1, 1), {}),
            (22, "dilations", (2, 4, 2, 3), 1, False, (1, 2), (3, 2), (0, 1, 1, 0), {}),
            (13, "valid", (2, 4, 3, 3), 1, False, (2, 2), (1, 1), (0, 0, 0, 0), dict(auto_pad="VALID")),
            (13, "one_output", (1, 4, 1, 1), 1, True, (3, 4), (1, 1), (0, 0, 0, 0), {})):
        w, b = floats(*shape), floats(shape[0])
        y = convolve(image, w, strides, dilations, pads[:2], pads[2:], group)
        attributes = dict(strides=strides, dilations=dilations, group=group, **more)
        if "auto_pad" not in more or more["auto_pad"] == "NOTSET":
            attributes["pads"] = pads
        one(f"conv_{opset}_{name}", opset, "Conv", [image, w, b] if bias else [image, w],
            [y + b[:, None, None] if bias else y], **attributes)
    for side, (low, high) in dict(upper=((0, 1), (1, 1)), lower=((1, 1), (0, 1))).items():
        # 7 elements, stride 2: 4 positions, which read 8; 8 elements, stride 3: 3 positions, which read 10
        w = floats(3, 4, 2, 4)
        y = convolve(image, w, (2, 3), (1, 1), low, high)
        one(f"conv_11_same_{side}", 11, "Conv", [image, w], [y], auto_pad=f"SAME_{side.upper()}", **two_three)
    line, volume = floats(2, 3, 9), floats(1, 2, 4, 5, 3)
    w = floats(4, 3, 3)
    one("conv_13_1d", 13, "Conv", [line, w], [convolve(line, w, (2,), (1,), (1,), (0,))], strides=[2], pads=[1, 0])
    w = floats(3, 2, 2, 3, 2)
    one("conv_13_3d", 13, "Conv", [volume, w], [convolve(volume, w, (1, 2, 1), (1, 1, 2), (1, 0, 1), (0, 1, 0))],
        strides=[1, 2, 1], dilations=[1, 1, 2], pads=[1, 0, 1, 0, 1, 0])
    small = floats(2, 4, 3, 4)
    for opset, name, shape, group, strides, dilations, pads, beyond, more in (
            (6, "all", (4, 3, 3, 2), 2, (2, 3), (1, 2), (1, 0, 2, 1), (1, 2), dict(kernel_shape=[3, 2], auto_pad="NOTSET")),
            (11, "depthwise", (4, 1, 3, 3), 4, (2, 2), (1, 1), (1, 1, 1, 1), (1, 1), {}),
            (22, "dilations", (4, 2, 3, 2), 1, (2, 2), (2, 3), (0, 1, 1, 0), (0, 0), {}),
            (22, "valid", (4, 2, 2, 1), 1, (3, 2), (1, 1), (0, 0, 0, 0), (0, 0), dict(auto_pad="VALID")),
            (13, "beyond", (4, 2, 1, 2), 1, (1, 2), (1, 1), (0, 0, 0, 0), (2, 3), {})):
        w, b = floats(*shape), floats(shape[1] * group)
        whole = spread(small, w, strides, dilations, group)
        size = [n - l - h + o for n, l, h, o in zip(whole.shape[2:], pads[:2], pads[2:], beyond)]
        attributes = dict(strides=strides, dilations=dilations, group=group, output_padding=beyond, **more)
        if "auto_pad" not in more or more["auto_pad"] == "NOTSET":
            attributes["pads"] = pads
        one(f"convtranspose_{opset}_{name}", opset, "ConvTranspose", [small, w, b],
            [resized(whole, pads[:2], size) + b[:, None, None]], **attributes)
    w = floats(4, 2, 4, 3)
    whole = spread(small, w, (3, 2), (1, 1))  # 10x9
    for side, low in dict(upper=(0, 0), lower=(1, 1)).items():
        one(f"convtranspose_11_same_{side}", 11, "ConvTranspose", [small, w], [resized(whole, low, (9, 8))],
            auto_pad=f"SAME_{side.upper()}", strides=(3, 2))
    one("convtranspose_11_output_shape", 11, "ConvTranspose", [small, w], [resized(whole, (2, 0), (7, 12))],
        output_shape=(7, 12), strides=(3, 2))
    one("convtranspose_11_output_shape_upper", 11, "ConvTranspose", [small, w], [resized(whole, (1, 0), (7, 8))],
        output_shape=(7, 8), strides=(3, 2), auto_pad="SAME_UPPER")
    w = floats(3, 2, 3)
    one("convtranspose_13_1d", 13, "ConvTranspose", [line, w], [spread(line, w, (1,), (1,))], **{
        key: [1] for key in one_one})
    w = floats(2, 3, 2, 1, 3)
    one("convtranspose_13_3d", 13, "ConvTranspose", [volume, w], [spread(volume, w, (2, 1, 1), (1, 1, 1))],
        strides=[2, 1, 1])


def make():
    convolutions()
