#!/usr/bin/env python3
"""Writes changes.inc: what torchvision makes of an image by affine maps and changes of colours, in double precision where it can.
By hand: needs torchvision. Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import torch
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as F


def image(channels):
    """The test has the same."""
    i = torch.arange(channels * 6 * 7)
    return ((i * i * 37 + i * 11) % 101 / 100.0).float().reshape(channels, 6, 7)


def numbers(tensor):
    return ", ".join(f"{value:.6f}f" for value in tensor.reshape(-1).tolist())


print("// Made by make_changes.py.\n// clang-format off\nconst std::vector<Moved> moved = {")
for channels, angle, shift, scale, shear in ((3, 0, (0, 0), 1, (0, 0)), (1, 30, (0, 0), 1, (0, 0)), (3, -17.5, (2, -1), 1.3, (0, 0)),
                                             (1, 90, (0, 0), 1, (0, 0)), (3, 12, (-3, 2), 0.7, (11, 0)),
                                             (1, 200, (1, 1), 0.9, (-20, 35))):
    result = F.affine(image(channels), angle, list(shift), scale, list(shear), InterpolationMode.BILINEAR, [0.0] * channels)
    print(f"{{{channels}, {{{angle}, {shift[0]}, {shift[1]}, {scale}, {shear[0]}, {shear[1]}}}, {{{numbers(result)}}}}},")
print("};\nconst std::vector<Colored> colored = {")
kinds = (F.adjust_brightness, "DLC_BRIGHTNESS"), (F.adjust_contrast, "DLC_CONTRAST"), (F.adjust_saturation, "DLC_SATURATION"), \
        (F.adjust_hue, "DLC_HUE")
for adjust, name in kinds:
    for channels in 3, 1:
        for factor in (-0.5, -0.2, 0.0, 0.35) if name == "DLC_HUE" else (0.0, 0.6, 1.0, 1.7):
            print(f"{{{channels}, {name}, {factor}, {{{numbers(adjust(image(channels), factor))}}}}},")
print("};")
