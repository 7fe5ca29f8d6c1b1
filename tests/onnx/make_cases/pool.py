# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling, computed element by element."""
import itertools
import math

import numpy as np

from cases import floats, one


def window_counts(sizes, kernel, strides, pads, dilations, ceil):
    """How many windows lie along each dim: with `ceil` the last one may end beyond the padding, but not begin there."""
    counts = []
    for i, size in enumerate(sizes):
        low, high = pads[i], pads[len(sizes) + i]
        steps = (size + low + high - (kernel[i] - 1) * dilations[i] - 1) / strides[i]
        count = (math.ceil(steps) if ceil else math.floor(steps)) + 1
        while ceil and (count - 1) * strides[i] >= size + low:
            count -= 1
        counts.append(count)
    return counts


def pool(x, reduce, kernel, strides=None, pads=None, dilations=None, ceil=False):
    """`reduce` gets the elements of a window by their positions, and how many positions image and padding have in it."""
    sizes = x.shape[2:]
    strides, dilations = strides or [1] * len(sizes), dilations or [1] * len(sizes)
    pads = pads or [0] * 2 * len(sizes)
    counts = window_counts(sizes, kernel, strides, pads, dilations, ceil)
    results = []
    for image in x.reshape(-1, *sizes):
        for o in itertools.product(*map(range, counts)):
            elements, padded = {}, 0
            for k in itertools.product(*map(range, kernel)):
                at = tuple(o[i] * strides[i] - pads[i] + k[i] * dilations[i] for i in range(len(sizes)))
                padded += all(a < n + p for a, n, p in zip(at, sizes, pads[len(sizes):]))
                if all(0 <= a < n for a, n in zip(at, sizes)):
                    elements[at] = image[at]
            results.append(reduce(elements, padded))
    return np.array(results).reshape(*x.shape[:2], *counts)


def largest(elements, _):
    return max(elements.values())


def mean(elements, _):
    return np.float32(sum(elements.values()) / len(elements))


def mean_with_padding(elements, padded):
    return np.float32(sum(elements.values()) / padded)


def norm(p):
    return lambda elements, _: np.float32(sum(abs(float(e)) ** p for e in elements.values()) ** (1 / p))


def pooling():
    x = floats(2, 3, 7, 6)
    same = [1, 0, 1, 1]  # 3x2 windows that move by 2 and 1: 4 of them along 7 positions, 6 along 6
    for op, reduce, versions in (("MaxPool", largest, (7, 8, 9, 11)), ("AveragePool", mean, (6, 7, 10, 11, 19)),
                                 ("LpPool", norm(2), (6, 11, 18))):
        for opset in versions:
            one(f"{op.lower()}_{opset}_same", opset, op, [x], [pool(x, reduce, [3, 2], [2, 1], same)],
                auto_pad="SAME_UPPER", kernel_shape=[3, 2], strides=[2, 1])
            one(f"{op.lower()}_{opset}_pads", opset, op, [x], [pool(x, reduce, [3, 2], [2, 3], [1, 0, 2, 1])],
                kernel_shape=[3, 2], strides=[2, 3], pads=[1, 0, 2, 1])
    one("maxpool_11_valid", 11, "MaxPool", [x], [pool(x, largest, [3, 2], [2, 3])], auto_pad="VALID",
        kernel_shape=[3, 2], strides=[2, 3], pads=[0, 0, 0, 0], dilations=[1, 1])
    one("maxpool_11_ceil", 11, "MaxPool", [x], [pool(x, largest, [2, 3], [2, 2], [0, 1, 0, 1], [2, 1], True)],
        kernel_shape=[2, 3], strides=[2, 2], pads=[0, 1, 0, 1], dilations=[2, 1], ceil_mode=1, storage_order=0)
    one("averagepool_7_include_pad", 7, "AveragePool", [x], [pool(x, mean_with_padding, [3, 3], [2, 2], [1, 1, 1, 1])],
        kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1)
    for opset, more in ((10, {}), (19, dict(dilations=[1, 2]))):
        for include in (0, 1):
            one(f"averagepool_{opset}_ceil_{include}", opset, "AveragePool", [x],
                [pool(x, mean_with_padding if include else mean, [2, 3], [2, 3], [1, 1, 0, 1], more.get("dilations"), True)],
                kernel_shape=[2, 3], strides=[2, 3], pads=[1, 1, 0, 1], ceil_mode=1, count_include_pad=include, **more)
    for opset, more in ((11, {}), (18, dict(dilations=[1, 2], ceil_mode=1))):
        for p in (1, 3):
            one(f"lppool_{opset}_p{p}", opset, "LpPool", [x],
                [pool(x, norm(p), [2, 2], [2, 3], None, more.get("dilations"), "ceil_mode" in more)],
                kernel_shape=[2, 2], strides=[2, 3], p=p, **more)
    one("lppool_11_default", 11, "LpPool", [x], [pool(x, norm(2), [2, 2])], kernel_shape=[2, 2])
    # Positions among all elements, counted with the last dim as the fastest one, or with the first spatial one.
    row = floats(2, 2, 9)

    def position(elements, _):
        best = max(elements.values())
        return min(at for at, e in elements.items() if e == best)[0]

    places = pool(row, position, [3], [2], [1, 0]) + 9 * np.arange(4).reshape(2, 2, 1)
    one("maxpool_8_positions", 8, "MaxPool", [row], [pool(row, largest, [3], [2], [1, 0]), places.astype(np.int64)],
        kernel_shape=[3], strides=[2], pads=[1, 0])
    cube = np.random.default_rng(3).permutation(2 * 2 * 3 * 4 * 5).reshape(2, 2, 3, 4, 5).astype(np.float32)

    def column_major(elements, _):
        d, h, w = max(elements, key=elements.get)
        return d + 3 * (h + 4 * w)

    places = pool(cube, column_major, [2, 2, 2]) + 60 * np.arange(4).reshape(2, 2, 1, 1, 1)
    one("maxpool_8_storage_order", 8, "MaxPool", [cube], [pool(cube, largest, [2, 2, 2]), places.astype(np.int64)],
        kernel_shape=[2, 2, 2], storage_order=1)
    for opset, op, reduce in ((6, "GlobalMaxPool", largest), (6, "GlobalAveragePool", mean), (6, "GlobalLpPool", norm(2))):
        one(f"{op.lower()}_{opset}", opset, op, [x], [pool(x, reduce, x.shape[2:])])
    one("globallppool_6_p3", 6, "GlobalLpPool", [x], [pool(x, norm(3), x.shape[2:])], p=3)


def make():
    pooling()
