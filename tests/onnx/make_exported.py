#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes exported/: functions of PyTorch that its exporters write in ways of their own, with PyTorch's results.

usage: make_exported.py [PATTERN]

torch.nn.functional.interpolate in all modes, each with one output for each factor; embedding bags; Fourier
transforms; cross entropy with probabilities; a pooling in another order of dims; by both exporters where they can.
With a pattern only the folders that fit it are made anew. Needs torch, onnx and onnxscript; the tests need none of
them.
"""
import fnmatch
import logging
import pathlib
import shutil
import sys
import warnings
import zlib

import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parent / "exported"
FACTORS = (0.5, 0.7, 1.2, 1.3)
INTERPOLATIONS = {
    "nearest_1d": ((1, 2, 12), FACTORS + (0.4, 1.1), {"mode": "nearest"}),
    "nearest_1d_long": ((1, 1, 90), (0.7, 1.3), {"mode": "nearest"}),
    "nearest_2d": ((1, 2, 10, 12), FACTORS + (1.05, 2.1, 2), {"mode": "nearest"}),
    "nearest_3d": ((1, 1, 5, 10, 4), FACTORS, {"mode": "nearest"}),
    "nearest_size": ((1, 1, 10, 12), (), {"mode": "nearest"}),
    "exact_1d": ((1, 2, 12), FACTORS, {"mode": "nearest-exact"}),
    "exact_2d": ((1, 1, 10, 12), FACTORS, {"mode": "nearest-exact"}),
    "linear": ((1, 2, 10), FACTORS + (0.1,), {"mode": "linear"}),
    "linear_corners": ((1, 2, 5), FACTORS + (1.5,), {"mode": "linear", "align_corners": True}),
    "bilinear": ((1, 2, 5, 10), FACTORS + (2.6, 1.05), {"mode": "bilinear"}),
    "bilinear_corners": ((1, 1, 7, 10), FACTORS, {"mode": "bilinear", "align_corners": True}),
    "bilinear_antialias": ((1, 1, 10, 12), (), {"mode": "bilinear", "antialias": True}),
    "bicubic": ((1, 1, 7, 10), FACTORS + (1.05,), {"mode": "bicubic"}),
    "bicubic_corners": ((1, 1, 5, 10), FACTORS, {"mode": "bicubic", "align_corners": True}),
    "bicubic_antialias": ((1, 1, 10, 12), (), {"mode": "bicubic", "antialias": True}),
    "trilinear": ((1, 1, 3, 4, 10), FACTORS, {"mode": "trilinear"}),
    "trilinear_corners": ((1, 1, 3, 4, 10), FACTORS, {"mode": "trilinear", "align_corners": True}),
    "recomputed": ((1, 1, 10), FACTORS, {"mode": "nearest", "recompute_scale_factor": True}),
    "area": ((1, 1, 10, 7), FACTORS, {"mode": "area"}),
}


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *x):
        return self.function(*x)


class Bag(torch.nn.Module):
    """Offsets and weights in forward's own order; the exporters name the table "bag.weight"."""

    def __init__(self, **options):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag(11, 4, **options)

    def forward(self, indices, offsets=None, weights=None):
        if offsets is not None and offsets.dtype.is_floating_point:
            offsets, weights = None, offsets
        return self.bag(indices, offsets, weights)


class Pooled(torch.nn.Module):
    """A global pool behind a permutation, which the newer exporter writes as a gather of all elements."""

    def __init__(self):
        super().__init__()
        self.norm, self.head = torch.nn.LayerNorm(8), torch.nn.Linear(8, 3)

    def forward(self, x):
        x = self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


def interpolation(factors, options):
    if not factors:
        return lambda x: (F.interpolate(x, size=(7, 13), **options), F.interpolate(x, size=(20, 5), **options))
    return lambda x: tuple(F.interpolate(x, scale_factor=factor, **options) for factor in factors)


def cases():
    """Names, what makes a module and its inputs, and whether the batch is open."""
    for name, (shape, factors, options) in INTERPOLATIONS.items():
        yield (f"interpolate_{name}", lambda shape=shape, factors=factors, options=options:
               (Function(interpolation(factors, options)), (torch.randn(*shape),)), False)

    def rows():
        return torch.randint(0, 11, (3, 5))

    def flat():
        return torch.randint(0, 11, (9,))

    offsets, ends = torch.tensor([0, 2, 2, 7]), torch.tensor([0, 4, 5, 9])  # the second bag is empty
    for mode in "sum", "mean", "max":
        yield f"bag_rows_{mode}", lambda mode=mode: (Bag(mode=mode), (rows(),)), False
        yield f"bag_rows_{mode}_open", lambda mode=mode: (Bag(mode=mode), (rows(),)), True
        yield f"bag_offsets_{mode}", lambda mode=mode: (Bag(mode=mode), (flat(), offsets)), False
        yield f"bag_ends_{mode}", lambda mode=mode: (Bag(mode=mode, include_last_offset=True), (flat(), ends)), False
    yield "bag_weights", lambda: (Bag(mode="sum"), (flat(), offsets, torch.rand(9))), False
    yield "bag_rows_weights", lambda: (Bag(mode="sum"), (rows(), torch.rand(3, 5))), False
    yield "pooled_behind_permutation", lambda: (Pooled(), (torch.randn(4, 8, 5, 5),)), True
    for reduction in "mean", "sum", "none":
        yield (f"probabilities_{reduction}", lambda reduction=reduction: (
            Function(lambda x, t: F.cross_entropy(x, t, reduction=reduction)), (torch.randn(4, 5), torch.rand(4, 5))),
               False)
    weight = torch.tensor([0.5, 2.0, 1.0])
    yield ("probabilities_weighted", lambda: (
        Function(lambda x, t: F.cross_entropy(x, t, weight=weight)), (torch.randn(2, 3, 4), torch.rand(2, 3, 4))),
           False)
    yield ("fourier_2d", lambda: (Function(lambda x: torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real),
                                  (torch.randn(2, 5, 6),)), False)
    yield ("fourier_filter", lambda: (Function(lambda x: torch.fft.irfft(torch.fft.rfft(x, dim=1), n=5, dim=1)),
                                      (torch.randn(2, 5, 6),)), False)


def forget(graph):
    """What only fills a file."""
    for node in graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
        for attribute in node.attribute:
            forget(attribute.g)


def store(name, module, inputs, is_open, exporter):
    folder = FOLDER / f"{name}_{exporter}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "model.onnx"
    more = {"dynamo": False, "opset_version": 18}
    if exporter == "dynamo":
        more = {"dynamo": True, "optimize": False}
    if is_open:
        more |= ({"dynamic_shapes": tuple({0: torch.export.Dim("batch")} for _ in inputs)} if exporter == "dynamo" else
                 {"input_names": ["x"], "dynamic_axes": {"x": {0: "batch"}}})
    try:
        torch.onnx.export(module, inputs, str(path), verbose=False, **more)
    except Exception as error:  # the exporters have no common one
        shutil.rmtree(folder)
        print(f"{folder.name}: not exported: {str(error).strip().splitlines()[0][:90]}")
        return
    model = onnx.load(str(path))
    forget(model.graph)
    for values in model.graph.value_info, model.graph.input, model.graph.output:
        for value in values:
            del value.metadata_props[:]
    del model.metadata_props[:], model.functions[:], model.graph.metadata_props[:]
    onnx.save(model, str(path))
    for leftover in folder.glob("*.data"):
        leftover.unlink()
    data = folder / "test_data_set_0"
    data.mkdir()
    with torch.no_grad():
        results = module(*inputs)
    for kind, values in ("input", inputs), ("output", results if isinstance(results, tuple) else (results,)):
        for i, value in enumerate(values):
            (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(value.numpy()).SerializeToString())


def main(pattern="*"):
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    for name, make, is_open in cases():
        for exporter in "torchscript", "dynamo":
            # The older exporter declares 63 results of 90 * 0.7, where PyTorch has 62.
            if (name, exporter) == ("interpolate_nearest_1d_long", "torchscript"):
                continue
            if fnmatch.fnmatchcase(f"{name}_{exporter}", pattern):
                torch.manual_seed(zlib.crc32(name.encode()))
                store(name, *make(), is_open, exporter)


if __name__ == "__main__":
    main(*sys.argv[1:])
