# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operators on images (make_cases.py): pooling, normalization by channels, resizing, rearrangement.

What is expected is computed from the text of the specification, element by element.
"""
import itertools
import math

import numpy as np


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


def pooling(one, floats):
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


def normalize(x, axes, epsilon):
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def normalizations(one, floats):
    x, scale, bias = floats(2, 6, 3, 5), floats(6), floats(6)
    along = (slice(None), None, None)
    y = normalize(x, (2, 3), 0.125) * scale[along] + bias[along]
    one("instancenorm_6", 6, "InstanceNormalization", [x, scale, bias], [y.astype(np.float32)], epsilon=0.125)
    row = x[:, :, 0]
    y = normalize(row, (2,), 1e-5) * scale[:, None] + bias[:, None]
    one("instancenorm_6_1d", 6, "InstanceNormalization", [row, scale, bias], [y.astype(np.float32)])
    groups = normalize(x.reshape(2, 3, 2, 3, 5), (2, 3, 4), 0.125)
    y = groups * scale[:3][:, None, None, None] + bias[:3][:, None, None, None]
    one("groupnorm_18", 18, "GroupNormalization", [x, scale[:3], bias[:3]], [y.reshape(x.shape).astype(np.float32)],
        num_groups=3, epsilon=0.125)
    y = groups.reshape(x.shape) * scale[along] + bias[along]
    one("groupnorm_21", 21, "GroupNormalization", [x, scale, bias], [y.astype(np.float32)], num_groups=3, epsilon=0.125,
        stash_type=1)
    for size, shape in ((2, (2, 5, 3)), (5, (1, 4, 2, 3)), (3, (3, 2))):
        x = floats(*shape)
        squares = np.zeros(x.shape)
        for c in range(shape[1]):
            low, high = max(0, c - (size - 1) // 2), min(shape[1], c + math.ceil((size - 1) / 2) + 1)
            squares[:, c] = (x[:, low:high].astype(np.float64) ** 2).sum(1)
        y = x / (0.5 + 0.75 / size * squares) ** 1.5
        one(f"lrn_6_size{size}", 6, "LRN", [x], [y.astype(np.float32)], alpha=0.75, beta=1.5, bias=0.5, size=size)


def taps(mode, x, size):
    """Positions and weights at coordinate `x`."""
    if mode == "nearest":
        found = {math.floor(x): 1.0}
    elif mode == "linear":
        found = {math.floor(x): 1 - (x - math.floor(x)), math.floor(x) + 1: x - math.floor(x)}
    else:
        def weight(d, a=-0.75):
            d = abs(d)
            return ((a + 2) * d - (a + 3)) * d * d + 1 if d <= 1 else ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        found = {p: weight(p - x) for p in range(math.floor(x) - 1, math.floor(x) + 3)}
    return [(min(max(p, 0), size - 1), w) for p, w in found.items()]


def resample(x, axis, count, coordinate, mode):
    parts = [sum(w * np.take(x, [p], axis) for p, w in taps(mode, coordinate(o), x.shape[axis])) for o in range(count)]
    return np.concatenate(parts, axis)


def resizing(one, floats):
    x = floats(2, 2, 3, 4)
    scales, sizes = np.array([1, 1, 2, 1.5], np.float32), np.array([2, 2, 6, 6], np.int64)

    def both(coordinate, mode, data=x):
        for axis, scale in ((2, 2), (3, 1.5)):
            data = resample(data, axis, 6, lambda o: coordinate(o, scale), mode)
        return [data.astype(np.float32)]

    def asymmetric(o, scale):
        return o / scale

    def half_pixel(o, scale):
        return (o + 0.5) / scale - 0.5

    for mode in ("nearest", "linear"):
        one(f"upsample_7_{mode}", 7, "Upsample", [x], both(asymmetric, mode), mode=mode, scales=scales.tolist())
        one(f"upsample_9_{mode}", 9, "Upsample", [x], both(asymmetric, mode), [("scales", scales)], mode=mode)
        one(f"resize_10_{mode}", 10, "Resize", [x], both(asymmetric, mode), [("scales", scales)], mode=mode)
    whole, empty = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.float32), np.array([], np.float32)
    one("resize_11_linear", 11, "Resize", [x], both(half_pixel, "linear"), [("roi", empty), ("scales", scales)],
        mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
    one("resize_11_cubic", 11, "Resize", [x], both(half_pixel, "cubic"), [("roi", empty), ("scales", scales)],
        mode="cubic", cubic_coeff_a=-0.75, exclude_outside=0, coordinate_transformation_mode="half_pixel")
    one("resize_11_floor", 11, "Resize", [x], both(asymmetric, "nearest"), [("roi", empty), ("scales", scales)],
        mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric")
    # A crop from a half to the end of the height, and beyond the width.
    crop = np.array([0, 0, 0.5, -0.5, 1, 1, 1, 1], np.float32)

    def crops(o, start, size):
        return start * (size - 1) + o * (1 - start) * (size - 1) / 5

    cropped = resample(x, 2, 6, lambda o: crops(o, 0.5, 3), "linear")
    cropped = resample(cropped, 3, 6, lambda o: crops(o, -0.5, 4), "linear")
    cropped[..., [crops(o, -0.5, 4) < 0 for o in range(6)]] = 2.5
    constants = [("roi", crop), ("scales", empty), ("sizes", sizes)]
    for opset in (11, 13, 18):
        one(f"resize_{opset}_crop", opset, "Resize", [x], [cropped.astype(np.float32)], constants, mode="linear",
            coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=2.5)
        given = [("roi", whole), ("scales", scales)] if opset == 11 else [("scales", scales)]
        one(f"resize_{opset}_scales", opset, "Resize", [x] + [None] * (opset > 11), both(half_pixel, "linear"), given,
            mode="linear")
    one("resize_13_attributes", 13, "Resize", [x, None], both(half_pixel, "cubic"), [("scales", scales)], mode="cubic",
        nearest_mode="floor", cubic_coeff_a=-0.75, exclude_outside=0)
    same = np.array([6, 6], np.int64)
    one("resize_18_axes", 18, "Resize", [x, None, None], both(lambda o, s: o / s, "nearest"), [("sizes", same)],
        mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric", axes=[-2, 3], antialias=0,
        keep_aspect_ratio_policy="stretch", cubic_coeff_a=-0.5, exclude_outside=0)


def rearrangements(one, floats):
    x = floats(2, 8, 2, 3)
    dcr = x.reshape(2, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(2, 2, 4, 6)
    one("depthtospace_6", 6, "DepthToSpace", [x], [dcr], blocksize=2)
    crd = x.reshape(2, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 4, 6)
    one("depthtospace_11_crd", 11, "DepthToSpace", [x], [crd], blocksize=2, mode="CRD")
    one("spacetodepth_6", 6, "SpaceToDepth", [dcr], [x], blocksize=2)


def make(one, floats):
    for write in (pooling, normalizations, resizing, rearrangements):
        write(one, floats)
