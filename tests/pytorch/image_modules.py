# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference modules on images and volumes: pooling, normalization by channels, resizing, padding (see modules.py)."""
import torch
import torch.nn.functional as F
from torch import nn

from modules import ADAM, CROSS_ENTROPY, MSE, SGD, SLOW, Layers, index, normal, reference


@reference([normal(2, 7, 6)], index(3), CROSS_ENTROPY, SGD)
class MaxPooling(Layers):
    """Max pooling with padding, dilation and ceil_mode, after a batch norm of two channels."""

    def __init__(self):
        super().__init__(nn.Linear(6, 6), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(3, 2, 1, ceil_mode=True),
                         nn.MaxPool2d(2, 1, dilation=2), nn.Flatten(), nn.Linear(8, 3))


@reference([normal(3, 5, 7)], normal(2), MSE, ADAM)
class AveragePooling(Layers):
    """Averages with and without the padding, one of them with ceil_mode."""

    def __init__(self):
        super().__init__(nn.Linear(7, 7), nn.Tanh(), nn.AvgPool2d(3, 2, 1, ceil_mode=True),
                         nn.Linear(4, 5), nn.Tanh(), nn.AvgPool2d(2, 1, 1, count_include_pad=False), nn.Flatten(),
                         nn.Linear(72, 2))


@reference([normal(2, 6, 4)], normal(2), MSE, SGD)
class AdaptivePooling(nn.Module):
    """Adaptive pooling to several and to one position."""

    def __init__(self):
        super().__init__()
        self.rows, self.head = nn.Linear(4, 4), nn.Linear(14, 2)
        self.several, self.largest, self.mean = nn.AdaptiveAvgPool2d((3, 2)), nn.AdaptiveMaxPool2d(1), nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        x = F.relu(self.rows(x))
        parts = [self.several(x).flatten(1), self.largest(x).flatten(1)]
        return self.head(torch.cat(parts, 1)) + self.mean(x).flatten(1)


@reference([normal(2, 11)], normal(2), MSE, SLOW)
class Signals(Layers):
    """Pooling and batch norm along one dim."""

    def __init__(self):
        super().__init__(nn.Linear(11, 9), nn.BatchNorm1d(2), nn.MaxPool1d(2), nn.LPPool1d(2, 2), nn.Flatten(),
                         nn.Linear(4, 2))


@reference([normal(2, 3, 4, 5)], normal(3), MSE, ADAM, batch=4)
class Volumes(Layers):
    """Pooling and batch norm along three dims."""

    def __init__(self):
        super().__init__(nn.Linear(5, 5), nn.BatchNorm3d(2), nn.ELU(), nn.MaxPool3d(2, 1), nn.AvgPool3d((1, 2, 2), (1, 1, 2)),
                         nn.Flatten(), nn.Linear(16, 3))


@reference([normal(4, 3, 5)], index(3), CROSS_ENTROPY, ADAM, batch=3)
class ChannelNorms(Layers):
    """Group norm and instance norm."""

    def __init__(self):
        super().__init__(nn.Linear(5, 5), nn.GroupNorm(2, 4), nn.Tanh(), nn.Linear(5, 4), nn.InstanceNorm2d(4, affine=True),
                         nn.Sigmoid(), nn.Flatten(), nn.Linear(48, 3))


@reference([normal(4, 3, 5)], index(3), CROSS_ENTROPY, ADAM, batch=3)
class LocalResponse(Layers):
    """Local response normalization."""

    def __init__(self):
        super().__init__(nn.Linear(5, 5), nn.LocalResponseNorm(3, 0.5, 0.75, 1.0), nn.Flatten(), nn.Linear(60, 3))


@reference([normal(2, 3, 4)], normal(2), MSE, SLOW)
class Resizing(nn.Module):
    """Nearest, linear and cubic interpolation, with corners aligned and not, to larger and smaller images."""

    def __init__(self):
        super().__init__()
        self.rows, self.head = nn.Linear(4, 4), nn.Linear(2 * (48 + 30 + 12 + 20), 2)

    def forward(self, x):
        x = torch.tanh(self.rows(x))
        parts = [F.interpolate(x, scale_factor=2, mode="nearest"),
                 F.interpolate(x, size=(5, 6), mode="bilinear", align_corners=False),
                 F.interpolate(x, size=(2, 6), mode="bilinear", align_corners=True),
                 F.interpolate(x, size=(4, 5), mode="bicubic", align_corners=False)]
        return self.head(torch.cat([part.flatten(1) for part in parts], 1))


@reference([normal(4, 3, 4)], normal(2), MSE, SGD)
class PaddingAndShuffling(nn.Module):
    """Padding in all modes, and channels that become positions and back."""

    def __init__(self):
        super().__init__()
        self.rows, self.head = nn.Linear(4, 4), nn.Linear(8 * 7 * 4, 2)

    def forward(self, x):
        x = torch.tanh(self.rows(x))
        x = F.pad(F.pixel_shuffle(x, 2), (1, 2, 0, 2), mode="reflect")  # 1x8x11
        x = F.pad(F.pad(x, (1, 0, 0, 2), mode="replicate"), (1, 1, 2, 2), mode="circular")  # 1x14x14
        x = F.pad(x, (1, 1, 0, 0), value=0.5) * x.mean()  # 1x14x16
        return self.head(F.pixel_unshuffle(x, 2).flatten(1))
