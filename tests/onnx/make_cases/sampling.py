# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GridSample of operator set 16 and DeformConv, computed point by point."""
import math

import numpy as np

from cases import floats, one
from resize import weight_of


def moved(x, size, padding, aligned):
    if padding == "zeros":
        return x
    if padding == "reflection":
        low, high = (0, size - 1) if aligned else (-0.5, size - 0.5)
        while not low <= x <= high:
            x = 2 * low - x if x < low else 2 * high - x
    return min(max(x, 0), size - 1)


def taps(x, size, mode, padding, aligned):
    """Places (None: outside) and weights for a coordinate of the grid."""
    x = (x + 1) / 2 * (size - 1) if aligned else ((x + 1) * size - 1) / 2
    if mode == "bicubic":
        found = [(moved(p, size, padding, aligned), weight_of(p - x)) for p in range(math.floor(x) - 1, math.floor(x) + 3)]
    else:
        x = moved(x, size, padding, aligned)
        found = [(math.floor(x) + i, abs(1 - i - (x - math.floor(x)))) for i in range(2)]
        found = [(np.rint(x), 1.0)] if mode == "nearest" else found
    return [(int(p), w) for p, w in found if 0 <= p <= size - 1]


def sample(image, grid, **ways):
    y = np.zeros(image.shape[:2] + grid.shape[1:-1])
    for n, *place in np.ndindex(grid.shape[:-1]):
        for row, a in taps(grid[(n, *place, 1)], image.shape[2], **ways):
            for column, b in taps(grid[(n, *place, 0)], image.shape[3], **ways):
                y[(n, slice(None), *place)] += a * b * image[n, :, row, column]
    return y.astype(np.float32)


def deformed(x, w, offset, mask, group, offset_group, stride, dilation, pad):
    """Of images with any number of spatial dims, which share a stride, a dilation and a padding."""
    spatial, kernel, outputs = x.ndim - 2, w.shape[2:], offset.shape[2:]
    offset = offset.reshape(len(x), offset_group, *kernel, spatial, *outputs)
    mask = mask.reshape(len(x), offset_group, *kernel, *outputs)
    y = np.zeros((len(x), len(w), *outputs))
    for n, o, i, *rest in np.ndindex(len(x), len(w), w.shape[1], *kernel, *outputs):
        inside, place = tuple(rest[:spatial]), tuple(rest[spatial:])
        channel = o // (len(w) // group) * w.shape[1] + i
        g = channel // (x.shape[1] // offset_group)
        value = x[n, channel]
        for moved_by, k, p in zip(offset[(n, g, *inside, slice(None), *place)], inside, place):
            at = p * stride + k * dilation - pad + moved_by
            low = math.floor(at)
            value = sum(weight * value[row] if 0 <= row < len(value) else 0 * value[0]
                        for row, weight in ((low, 1 - (at - low)), (low + 1, at - low)))
        y[(n, o, *place)] += w[(o, i, *inside)] * value * mask[(n, g, *inside, *place)]
    return y


def make_deformed():
    x, w, b = floats(2, 4, 5, 6), floats(6, 2, 3, 2), floats(6)
    offset, mask = floats(2, 2 * 6 * 2, 3, 3), floats(2, 2 * 6, 3, 3)
    ways = dict(strides=[2, 2], dilations=[2, 2], pads=[2, 1, 2, 1], group=2, offset_group=2)
    y = deformed(np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0)]), w, offset, mask, 2, 2, 2, 2, 1)
    one("deform_conv_22", 22, "DeformConv", [x, w, offset, b, mask], [(y + b[:, None, None]).astype(np.float32)],
        kernel_shape=[3, 2], **ways)
    line, weight, moves = floats(1, 1, 5), floats(1, 1, 2), floats(1, 2, 4)
    y = deformed(line, weight, moves, np.ones((1, 2, 4)), 1, 1, 1, 1, 0)
    one("deform_conv_line", 19, "DeformConv", [line, weight, moves], [y.astype(np.float32)])


def make():
    make_grids()
    make_deformed()


def make_grids():
    image, grid = floats(2, 3, 4, 5), floats(2, 3, 6, 2, low=-1.5, high=1.5)
    for mode in "bilinear", "nearest", "bicubic":
        for padding in "zeros", "border", "reflection":
            for aligned in 0, 1:
                expected = sample(image, grid, mode=mode, padding=padding, aligned=aligned)
                one(f"grid_sample_16_{mode}_{padding}_{aligned}", 16, "GridSample", [image, grid], [expected], mode=mode,
                    padding_mode=padding, align_corners=aligned)
    one("grid_sample_16", 16, "GridSample", [image, grid],
        [sample(image, grid, mode="bilinear", padding="zeros", aligned=0)])
    line = floats(1, 2, 1, 6)  # one pixel along a dim
    one("grid_sample_16_line", 16, "GridSample", [line, grid[:1]],
        [sample(line, grid[:1], mode="bilinear", padding="reflection", aligned=1)], padding_mode="reflection",
        align_corners=1)
