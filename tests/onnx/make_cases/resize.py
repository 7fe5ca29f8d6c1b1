# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resizing, computed element by element."""
import math

import numpy as np

from cases import floats, one


def weight_of(d, a=-0.75):
    """Of an element at the distance `d`, in cubic interpolation."""
    d = abs(d)
    return ((a + 2) * d - (a + 3)) * d * d + 1 if d <= 1 else ((a * d - 5 * a) * d + 8 * a) * d - 4 * a


def taps(mode, x, size):
    """Positions and weights at coordinate `x`."""
    if mode == "nearest":
        found = {math.floor(x): 1.0}
    elif mode == "linear":
        found = {math.floor(x): 1 - (x - math.floor(x)), math.floor(x) + 1: x - math.floor(x)}
    else:
        found = {p: weight_of(p - x) for p in range(math.floor(x) - 1, math.floor(x) + 3)}
    return [(min(max(p, 0), size - 1), w) for p, w in found.items()]


def resample(x, axis, count, coordinate, mode):
    parts = [sum(w * np.take(x, [p], axis) for p, w in taps(mode, coordinate(o), x.shape[axis])) for o in range(count)]
    return np.concatenate(parts, axis)


def resizing():
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

    # In single precision 10 * 0.7 is 7, and 8 / 1.6 is below 5.
    line = floats(1, 1, 20)
    for name, scale in (("shrunk", 0.7), ("grown", 1.6), ("twice", 1.1)):
        scale = np.float32(scale)
        count = int(np.floor(np.float32(20) * scale))
        places = np.floor(np.arange(count, dtype=np.float32) / scale).astype(int)
        one(f"resize_13_single_{name}", 13, "Resize", [line, None], [line[..., np.minimum(places, 19)]],
            [("scales", np.array([1, 1, scale], np.float32))], mode="nearest", nearest_mode="floor",
            coordinate_transformation_mode="asymmetric")
    short = line[..., :10]
    count = int(np.floor(np.float32(10) * np.float32(0.7)))
    one("resize_13_single_size", 13, "Resize", [short, None],
        [short[..., np.floor(np.arange(count, dtype=np.float32) / np.float32(0.7)).astype(int)]],
        [("scales", np.array([1, 1, 0.7], np.float32))], mode="nearest", nearest_mode="floor",
        coordinate_transformation_mode="asymmetric")
    # A crop, of which the whole number of results counts.
    crop = np.array([0, 0, 0.25, 1, 1, 1], np.float32)
    at = [0.25 * 9 + o * 0.75 * 9 / 6 for o in range(7)]
    cropped = np.concatenate([sum(w * short[..., [p]] for p, w in taps("linear", x, 10)) for x in at], -1)
    one("resize_13_crop_scales", 13, "Resize", [short], [cropped.astype(np.float32)],
        [("roi", crop), ("scales", np.array([1, 1, 0.75], np.float32))], mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize")


def make():
    resizing()
