# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What both programs have: the net, the groups of its parameters, and Fashion-MNIST in batches."""
import gzip
import pathlib

import numpy as np
import torch
from torch import nn

STEPS, BATCH, WARM_UP, RATE = 50, 64, 10, 2e-3


class Block(nn.Module):
    """A transformer's: attention, then a perceptron, each behind a normalization and beside a short cut."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Net(nn.Module):
    """Two blocks of convolutions make 7x7 places of 32 channels, which two transformer blocks look at."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(1, width // 2, 3, padding=1, bias=False), nn.BatchNorm2d(width // 2), nn.GELU(), nn.AvgPool2d(2),
            nn.Conv2d(width // 2, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.GELU(), nn.AvgPool2d(2))
        self.places = nn.Parameter(0.02 * torch.randn(1, 49, width))
        self.blocks = nn.Sequential(Block(width, heads), Block(width, heads))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, images):
        x = self.convolutions(images).flatten(2).transpose(1, 2) + self.places
        return self.head(self.norm(self.blocks(x)).mean(1))


def groups_of(net):
    """Weight decay is for matrices and filters; biases, norms and places have none."""
    decayed = [parameter for name, parameter in net.named_parameters() if parameter.dim() > 1 and name != "places"]
    others = [parameter for name, parameter in net.named_parameters() if parameter.dim() == 1 or name == "places"]
    return [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]


def read(folder, kind, part):
    with gzip.open(pathlib.Path(folder, f"{part}-{kind}-ubyte.gz")) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16 if kind.startswith("images") else 8)


def data(folder, part):
    """(images [n, 1, 28, 28], labels [n]) of "train" or "t10k"."""
    pixels = read(folder, "images-idx3", part).reshape(-1, 1, 28, 28).astype(np.float32)
    return (pixels / np.float32(255) - np.float32(0.2860)) / np.float32(0.3530), read(folder, "labels-idx1", part).astype(np.int64)


def batches(x, y, steps=STEPS, seed=0):
    """Tensors of shuffled rows."""
    order = np.random.default_rng(seed).permutation(len(x))
    for first in range(0, steps * BATCH, BATCH):
        rows = order[first:first + BATCH]
        yield torch.from_numpy(x[rows]), torch.from_numpy(y[rows])
