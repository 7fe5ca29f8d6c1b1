#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What exporters are known to lose, through dlc.compile: losses and parameters after some steps are PyTorch's, or the module is refused
with a sentence. Which of both is written down for each."""
import copy
import importlib.util
import sys
import unittest
import warnings

for package in "torch", "onnx", "onnxscript":
    if importlib.util.find_spec(package) is None:
        print(f"skipped: Python has no module '{package}'")
        sys.exit(0)

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from common import Case, dlc  # noqa: E402

torch.set_num_threads(1)


class Function(nn.Module):
    """A formula with the parameters, buffers and layers that it uses."""

    def __init__(self, function, buffers=None, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)
        for name, buffer in (buffers or {}).items():
            self.register_buffer(name, buffer)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def weight(*shape):
    return nn.Parameter(0.3 * torch.randn(shape))


def mask(*shape):
    return (torch.rand(shape) < 0.6).float()


def frozen_norm():
    net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 3))
    net[1].running_mean.uniform_(-1, 1)
    net[1].eval()
    return net


def tied_transposed():
    shared = nn.Linear(6, 4, bias=False)
    return Function(lambda s, x: torch.tanh(s.layer(x)) @ s.layer.weight, layer=shared)


def shared_cell():
    cell = nn.RNNCell(5, 5)

    def run(s, x):
        state = torch.zeros(x.shape[0], 5)
        for place in range(3):
            state = s.cell(x[:, place], state)
        return state
    return Function(run, cell=cell)


def maker(make):
    torch.manual_seed(3)
    return make()


# name: (module, example, what becomes of it: None for equal, or a part of the sentence)
MODULES = {
    "a parameter behind a view, times a buffer": (lambda: Function(lambda s, x: x @ (s.w.t() * s.m), {"m": mask(6, 4)}, w=weight(4, 6)),
                                                  (8, 6), None),
    "a parameter that is broadcast where a mask says": (
        lambda: Function(lambda s, x: torch.where(s.m > 0, s.w.expand(5, 6), x[:, None] * 0.1).sum(1), {"m": mask(5, 6)}, w=weight(6)),
        (8, 6), None),
    "spectral norm": (lambda: nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(6, 4)).eval(), nn.Linear(4, 3)), (8, 6), None),
    "one normalization frozen": (frozen_norm, (8, 6), None),
    "divisor_override": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.AvgPool2d(2, divisor_override=3), nn.Flatten(), nn.Linear(18, 3)),
                         (4, 1, 8, 8), "AvgPool2d"),
    "label smoothing in the module": (
        lambda: Function(lambda s, x: F.cross_entropy(s.layer(x), torch.zeros(8, dtype=torch.int64), label_smoothing=0.2).reshape(1),
                         layer=nn.Linear(6, 4)), (8, 6), "it is what forward computes after 'layer' (Linear)"),
    "an operation in place on what a gradient needs": (
        lambda: Function(lambda s, x: s.layer(x).sigmoid().mul_(2), layer=nn.Linear(6, 4)), (8, 6),
        "cannot be compiled as it is: PyTorch does not train the module, so that there is nothing to compare with: its backward pass says "
        "'one of the variables needed for gradient computation has been modified by an inplace operation'; write the operation in place"),
    "a momentum of None": (lambda: nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8, momentum=None), nn.Linear(8, 3)), (8, 6),
                          "cannot export the module"),
    "distances of equal rows": (lambda: Function(lambda s, x: F.pairwise_distance(s.layer(x), s.layer(x)).unsqueeze(1) + s.layer(x),
                                                 layer=nn.Linear(6, 3)), (8, 6), None),
    "pooling of channels last": (
        lambda: nn.Sequential(nn.Conv2d(2, 4, 3), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(36, 3)).to(memory_format=torch.channels_last),
        (4, 2, 8, 8), None),
    "resizing by a factor": (lambda: Function(lambda s, x: F.interpolate(s.layer(x), scale_factor=0.7, mode="bilinear").mean((2, 3)),
                                              layer=nn.Conv2d(1, 3, 3)), (4, 1, 9, 9), None),
    "resizing with corners": (lambda: Function(lambda s, x: F.interpolate(s.layer(x), scale_factor=0.5, mode="bilinear",
                                                                          align_corners=True).mean((2, 3)), layer=nn.Conv2d(1, 3, 3)),
                              (4, 1, 9, 9), None),
    "constants of a group normalization": (lambda: nn.Sequential(nn.Conv1d(2, 4, 3), nn.GroupNorm(2, 4), nn.Flatten(), nn.Linear(24, 3)),
                                           (4, 2, 8), None),
    "tied and transposed": (tied_transposed, (8, 6), None),
    "a buffer through a layer": (lambda: Function(lambda s, x: x @ s.layer(s.grid).t(), {"grid": torch.randn(4, 6)}, layer=nn.Linear(6, 6)),
                                 (8, 6), None),
    "running statistics of an instance normalization": (
        lambda: nn.Sequential(nn.Conv1d(2, 3, 3), nn.InstanceNorm1d(3, affine=True, track_running_stats=True), nn.Flatten(), nn.Linear(18, 3)),
        (4, 2, 8), "(InstanceNorm1d)"),
    "a cell that is called in a loop": (shared_cell, (4, 3, 5), None),
    "a convolution of three dims without bias": (lambda: nn.Sequential(nn.Conv3d(1, 2, 2, bias=False), nn.Flatten(), nn.Linear(54, 3)),
                                                 (4, 1, 4, 4, 4), None),
}


class Exporters(Case):
    def check(self, name):
        make, shape, refused = MODULES[name]
        module, x = maker(make), torch.randn(shape, generator=torch.Generator().manual_seed(0))
        other = copy.deepcopy(module)
        y = torch.randn(module(x).shape, generator=torch.Generator().manual_seed(1))
        module.load_state_dict(other.state_dict())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                step = dlc.compile(module, x, loss="mse", optimizer=torch.optim.SGD(module.parameters(), lr=0.1))
            except dlc.CompileError as error:
                if refused is None:
                    raise
                self.assertIn(refused, str(error))
                return
        self.assertIsNone(refused, "it is compiled now: write that down")
        optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.mse_loss(other(x), y)
            loss.backward()
            optimizer.step()
            self.near(step(x, y), loss.item(), 2e-5)
        for tensor, value in step.state_dict().items():
            exact = other.state_dict()[tensor].double()
            off = (value.double() - exact).abs().max().item()
            self.assertLessEqual(off, 1e-4 * max(exact.abs().max().item(), 1e-3), tensor)  # some have gradients of rounding alone

    def test_all(self):
        for name in MODULES:
            with self.subTest(name):
                self.check(name)


if __name__ == "__main__":
    unittest.main()
