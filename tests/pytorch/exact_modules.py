# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference modules whose numbers lie where functions have kinks, or of which parts are not trained. Needs torch."""
import torch
from torch import nn

from modules import ADAM, CROSS_ENTROPY, MSE, SGD, binary, index, normal, reference


@reference([binary(6)], normal(3), MSE, SGD, plain=True)
class Limits(nn.Module):
    """Numbers at the limits of clamp (with numbers and whole numbers), ReLU6 and Hardtanh."""

    def __init__(self):
        super().__init__()
        self.shifts, self.act = nn.Parameter(torch.zeros(5, 6)), nn.ModuleList([nn.ReLU6(), nn.Hardtanh()])
        self.head = nn.Linear(30, 3)

    def forward(self, x):
        x = x[:, None] + self.shifts
        parts = [self.act[0](x[:, 0]), self.act[1](x[:, 1]), x[:, 2].clamp(0, 1), x[:, 3].clamp(min=0.0, max=1.0),
                 x[:, 4].clamp(max=1)]
        return self.head(torch.cat(parts, 1))


@reference([normal(5), index(3, 4)], normal(2), MSE, ADAM)
class Remainders(nn.Module):
    """fmod and %, the largest of updates at equal places, one number at equal places."""

    def __init__(self):
        super().__init__()
        self.first, self.divisor, self.head = nn.Linear(5, 4), nn.Parameter(torch.tensor([0.7])), nn.Linear(10, 2)

    def forward(self, x, places):
        y = self.first(x) * 3
        y = torch.fmod(y, self.divisor) + y % 0.4
        largest = y.new_zeros(y.size(0), 3).scatter_reduce(1, places, y, "amax")
        marked = largest.scatter(1, places, 1.0)
        return self.head(torch.cat([y, largest, marked], 1))


@reference([normal(2, 4, 4)], index(3), CROSS_ENTROPY, SGD, plain=True)
class FineTuned(nn.Module):
    """A backbone with frozen parameters and batch normalizations in evaluation mode, and a head with one that is not."""

    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 3, 1),
                                      nn.BatchNorm2d(3))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(12, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
        self.backbone[0].requires_grad_(False)
        self.backbone[1].running_mean.normal_().mul_(0.3)
        self.backbone[4].running_var.fill_(0.4)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))
