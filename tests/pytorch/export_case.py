# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of tools/export share. Prints "skipped: ..." and ends where Python has no torch, onnx or onnxscript.

The first argument may be DLC, which runs the files (default: build/bin/dlc).
"""
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import onnx
    import onnxscript  # noqa: F401
    import torch
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "export" / "from_pytorch.py"
sys.path.insert(0, str(TOOL.parent))
import from_pytorch  # noqa: E402

DLC = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK) else None
logging.getLogger("torch.onnx").setLevel(logging.ERROR)


def export(*arguments, **options):
    return from_pytorch.export(*arguments, dlc=DLC, **options)


MODULE = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = torch.nn.Embedding(7, 4), torch.nn.Linear(4, 7, bias=False)
        self.norm = torch.nn.BatchNorm1d(4)
        self.head.weight = self.table.weight
    def forward(self, tokens, weights):
        return self.head(self.norm((self.table(tokens) * weights.unsqueeze(-1)).sum(1)))
def with_unused():
    net = Net()
    net.unused = torch.nn.Linear(2, 2)
    return net
"""


class Masked(nn.Linear):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.register_buffer("mask", torch.tensor([0.0, -1e4, 0.0]))

    def forward(self, x):
        return super().forward(x + self.mask)


class Formula(nn.Module):
    def __init__(self, layer, formula):
        super().__init__()
        self.layer, self.formula = layer, formula

    def forward(self, x):
        return self.formula(self.layer(x))


class ExportCase(unittest.TestCase):
    """Each test has a folder, in which net.py describes a module."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "net.py").write_text(MODULE)

    def tool(self, *arguments):
        dlc = [f"--dlc={DLC}"] if DLC else []
        return subprocess.run([sys.executable, str(TOOL), *arguments, *dlc], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    @staticmethod
    def metadata(path):
        return {entry.key: entry.value for entry in onnx.load(str(path)).graph.metadata_props}

    def report(self, module, *examples, **options):
        return export(module, examples, self.folder / "m.onnx", **options)

    def graph(self):
        return onnx.load(str(self.folder / "m.onnx")).graph
