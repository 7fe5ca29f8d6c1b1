#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the comparison of a file with its module (tools/export, `dlc check --against`): what an exporter drops is named,
and what is equal is no problem.

usage: comparison_test.py [DLC] [unittest's arguments]; see export_case.py
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

from export_case import DLC, TOOL, ExportCase, Formula, Masked, from_pytorch, nn, onnx, torch
from torch.nn import functional
import check_against


class Smoothed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x, labels):
        return functional.cross_entropy(self.layer(x), labels, label_smoothing=0.1)


class Various(nn.Module):
    """Drops, has several outputs and calls a layer twice."""

    def __init__(self):
        super().__init__()
        self.table, self.layer, self.norm = nn.Embedding(7, 4), nn.Linear(4, 4), nn.BatchNorm1d(3)
        self.unused = nn.Parameter(torch.ones(2))
        self.drop = nn.Dropout(0.25)

    def forward(self, tokens, x):
        h = self.norm(self.layer(self.drop(self.table(tokens)) + x))
        return {"scores": functional.dropout(self.layer(h), 0.1, self.training), "best": [h.argmax(-1), h.tanh()]}


class Distances(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(5, 4)

    def forward(self, x, y):
        return functional.pairwise_distance(self.layer(x), self.layer(y))


class Drawing(nn.Module):
    """Noise of several kinds; with `always`, in evaluation mode, too."""

    def __init__(self, always):
        super().__init__()
        self.layer, self.always = nn.Linear(4, 4), always

    def forward(self, x):
        h = self.layer(x)
        if self.training or self.always:
            h = h + 0.1 * torch.randn_like(h) * torch.rand_like(h) + torch.bernoulli(torch.full_like(h, 0.5))
            h = h * h.new_empty(h.shape[0], 1).bernoulli_(0.75).div_(0.75)
        return h


class Overwriting(nn.Linear):
    """What the sigmoid's gradient is made of, after it is known."""

    def __init__(self):
        super().__init__(4, 4)

    def forward(self, x):
        return super().forward(x).sigmoid().mul_(2)


class PerRow(nn.Linear):
    def __init__(self):
        super().__init__(3, 4)

    def forward(self, x):
        return torch.stack([row.tanh() for row in super().forward(x).unbind(0)])


class Extra(nn.Linear):
    def get_extra_state(self):
        return {"version": 1}

    def set_extra_state(self, state):
        pass


class Late(nn.Linear):
    def forward(self, x):
        if not hasattr(self, "table"):
            self.register_buffer("table", torch.arange(4.0), persistent=False)
        return super().forward(x) + self.table


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.inputs(x).reshape(x.shape[0], 5, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        mask = torch.zeros(1, 2, 5, 5)
        h = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return h.transpose(1, 2).reshape(x.shape[0], 5, 8)


class Comparisons(ExportCase):
    def test_layers_keep_their_modes(self):
        """A batch norm and a dropout in evaluation mode: running statistics, nothing dropped, by both exporters."""
        module = nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 6), nn.BatchNorm1d(6),
                               nn.Dropout(0.25), nn.Linear(6, 3))
        module[1].running_mean.fill_(0.5)
        module[1].eval()
        module[2].eval()
        for exporter in "dynamo", "torchscript":
            report = self.report(module, torch.randn(4, 5), exporter=exporter)
            self.assertEqual(report.problems, [])
            self.assertIn("compared in training mode and evaluation mode", report.compared)
            self.assertIn("'1' (BatchNorm1d) stays in evaluation mode in training, as in the module", report.remarks)
            dropouts = [node for node in self.graph().node if node.op_type == "Dropout"]
            self.assertEqual(len(dropouts), 1)
        self.assertEqual([layer.training for layer in module], [True, False, False, True, True, True, True])

    def test_a_module_of_predictions_is_trained(self):
        module = nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6)).eval()
        report = self.report(module, torch.randn(4, 5), exporter="torchscript")
        modes = [a.i for node in self.graph().node for a in node.attribute if a.name == "training_mode"]
        self.assertEqual(modes, [1])
        self.assertEqual(report.problems, [])
        self.assertIn("the module is in evaluation mode as a whole: the file has it in training mode",
                      " ".join(report.remarks))

    def test_what_exporters_drop_is_a_problem(self):
        """The names are all right; the results are not."""
        function = lambda size, f: Formula(nn.Linear(4, size), f)
        distance = lambda h: functional.pairwise_distance(h, h * 1).unsqueeze(1) + h
        divided = Formula(nn.Conv2d(1, 2, 3, padding=1),
                          lambda h: functional.avg_pool2d(h, 2, 2, 0, divisor_override=3))
        cases = [(divided, (4, 1, 4, 4), ("dynamo", "torchscript"),
                  "in training mode, the outputs differ.*after 'layer' .Conv2d."),
                 (function(6, distance), (4, 4), ("torchscript",),
                  "gradient of 'layer.weight' is nan where PyTorch.*the result of 'layer' .Linear. is another one"),
                 (function(6, lambda h: torch.cdist(h, h) @ h), (4, 4), ("torchscript",),
                  "gradient of 'layer.weight' is nan"),
                 (nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, momentum=None)), (4, 4), ("torchscript",),
                  "after two training steps, the buffer '1.running_mean' is off")]
        for module, shape, exporters, expected in cases:
            for exporter in exporters:
                with self.subTest(expected, exporter=exporter):
                    report = self.report(module, torch.randn(shape), exporter=exporter)
                    self.assertRegex(" ".join(report.problems), expected)
        report = self.report(Smoothed(), torch.randn(4, 4), torch.tensor([0, 1, 2, 0]))
        self.assertRegex(" ".join(report.problems), "in evaluation mode, output 'output' is off.*comparison_test.py:[0-9]+")

    def test_distances_of_equal_rows(self):
        """Rows of two inputs, which are equal in nobody's example."""
        report = self.report(Distances(), torch.randn(4, 5), torch.randn(4, 5), exporter="torchscript")
        self.assertRegex(" ".join(report.problems),
                         "where rows of the inputs are equal, the gradient of 'layer.weight' is nan")
        self.assertEqual(self.report(Distances(), torch.randn(4, 5), torch.randn(4, 5)).problems, [])

    def test_layer_is_named(self):
        """Of several layers, the one that the exporter writes as another one."""
        pool = nn.AvgPool2d(2, divisor_override=3)
        module = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), pool, nn.Conv2d(2, 2, 1))
        report = self.report(module, torch.randn(4, 1, 4, 4))
        self.assertIn("the first layer with another result is '2' (AvgPool2d)", " ".join(report.problems))

    def test_what_pytorch_does_not_train_is_a_problem(self):
        """Its sentence stands in place of a comparison, which there is none of; prediction is compared all the same."""
        report = self.report(Overwriting(), torch.randn(4, 4))
        self.assertEqual(len(report.problems), 1, report.problems)
        self.assertRegex(report.problems[0], "PyTorch does not train the module, .* says 'one of the variables needed for gradient "
                         "computation has been modified by an inplace operation'; write the operation in place")
        self.assertNotIn("training mode was not compared", " ".join(report.remarks))

    def test_equal_results_are_no_problem(self):
        """With dropout, ties, several outputs, integers and an unused parameter."""
        for exporter in "dynamo", "torchscript":
            with self.subTest(exporter):
                report = self.report(Various(), torch.randint(0, 7, (4, 3)), torch.randn(4, 3, 4), exporter=exporter)
                self.assertEqual(report.problems, [])
                self.assertIn("compared in training mode and evaluation mode with the module on inputs of 5x3, 5x3x4, "
                              "by dlc's interpreter", report.compared)

    def test_random_numbers(self):
        """Training is compared, with the same numbers on both sides; evaluation where the module draws nothing then,
        and a file that does is none of its."""
        for exporter in "dynamo", "torchscript":
            report = self.report(Drawing(always=True), torch.randn(4, 4), exporter=exporter)
            self.assertEqual(report.problems, [])
            self.assertIn("compared in training mode with", report.compared)
            self.assertIn("forward draws random numbers also there", " ".join(report.remarks))
            report = self.report(Drawing(always=False), torch.randn(4, 4), exporter=exporter)
            self.assertIn("in evaluation mode, output 'output' is off", " ".join(report.problems))

    def test_ties_are_noted(self):
        module = nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 7, bias=False))
        module[1].weight = module[0].weight
        for exporter in "dynamo", "torchscript":
            self.report(module, torch.randint(0, 7, (4, 3)), exporter=exporter)
            graph = self.graph()
            names = [tensor.name for tensor in graph.initializer]
            other = {"0.weight": "1.weight", "1.weight": "0.weight"}[names[0]]
            self.assertEqual(self.metadata(self.folder / "m.onnx")[from_pytorch.TIED], f"{other}={names[0]}")

    def test_a_fixed_size_is_a_problem(self):
        report = self.report(PerRow(), torch.randn(4, 3))
        self.assertRegex(" ".join(report.problems), "the size 'batch' of input 'x' .axis 0. is not open in the file: "
                         "it is 4, the example's: at .*comparison_test.py:[0-9]+ forward needs its number")
        report = self.report(PerRow(), torch.randn(4, 3), dims=[{}])
        self.assertEqual(report.problems, [])

    def test_convolution_without_bias(self):
        """The newer exporter gives it a bias of a shape that no bias may have."""
        for groups in 1, 2:
            module = nn.Sequential(nn.Conv3d(2, 4, 2, bias=False, groups=groups), nn.Flatten(), nn.Linear(32, 3))
            for exporter in "dynamo", "torchscript":
                report = self.report(module, torch.randn(4, 2, 3, 3, 3), exporter=exporter)
                self.assertEqual(report.problems, [])
                self.assertIn("compared in training mode", report.compared)
                nodes = self.graph().node
                self.assertEqual([len(node.input) for node in nodes if node.op_type == "Conv"], [2])
                self.assertNotIn("Expand", [node.op_type for node in nodes])

    def test_unusual_states(self):
        """What is no tensor in a state_dict, and a buffer that forward makes when it is called first."""
        for layer in Extra(3, 4), Late(3, 4):
            module = nn.Sequential(layer, nn.Dropout(0.5))
            module[1].eval()
            report = self.report(module, torch.randn(4, 3))
            self.assertEqual(report.problems, [])
            self.assertNotIn("Dropout", [node.op_type for node in self.graph().node])

    def test_attention_by_its_formula(self):
        """Which is exported where the fast way of a CPU is not: keys and values that one tensor was cut to."""
        report = self.report(Attention(), torch.randn(4, 5, 8))
        self.assertEqual(report.problems, [])

    def against(self, module, *examples, **options):
        """What check_against says of a file that torch.onnx.export wrote."""
        path = str(self.folder / "plain.onnx")
        torch.onnx.export(module, examples, path, **options)
        return check_against.check(module, path, from_pytorch.find_runner(DLC))

    def test_files_of_plain_exports(self):
        """As tutorials write it, by both exporters: the batch is fixed, and what a folded layer had is not trained."""
        plain = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
        normed = nn.Sequential(nn.Conv2d(2, 6, 1), nn.BatchNorm2d(6), nn.Flatten(), nn.Linear(24, 2)).eval()
        for options in {"dynamo": True, "verbose": False}, {"dynamo": False}:
            report = self.against(plain, torch.randn(1, 4), **options)
            self.assertEqual(report.problems, [])
            self.assertRegex(report.summary, "compared in training mode and evaluation mode .* inputs of 1x4")
            report = self.against(normed, torch.randn(4, 2, 2, 2), **options)
            self.assertIn("dlc does not train the parameter '1.weight', which has a gradient in PyTorch",
                          report.problems)
        dropping = nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.2), nn.Linear(6, 2))
        torch.onnx.export(dropping.eval(), (torch.randn(1, 4),), str(self.folder / "p.onnx"), dynamo=False)
        report = check_against.check(dropping.train(), self.folder / "p.onnx", from_pytorch.find_runner(DLC))
        self.assertIn("the first layer with another result is '2' (Linear)", " ".join(report.problems))
        report = self.against(nn.Sequential(nn.Linear(4, 6), nn.ReLU()), torch.randn(3, 2, 4), dynamo=False)
        self.assertRegex(" ".join(report.remarks),
                         "the parameter '0.weight' is called 'onnx::MatMul_[0-9]+' in the file, transposed")

    def test_what_is_frozen_and_what_is_no_parameter(self):
        frozen = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 2))
        frozen[0].requires_grad_(False)
        problems = self.against(frozen, torch.randn(4, 4), dynamo=False).problems
        self.assertIn("dlc trains the parameter '0.weight', which does not require gradients in the module (--freeze)",
                      problems)
        problems = self.against(Masked(3, 4), torch.randn(4, 3), dynamo=False).problems
        self.assertIn("dlc trains the buffer 'mask'", problems)

    def test_dlc_check_against(self):
        """The same from the command line: one exit status for equal and one for another module."""
        dlc = DLC or str(from_pytorch.find_dlc(None))
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
        torch.onnx.export(net, (torch.randn(4, 4),), str(self.folder / "net.onnx"), dynamo=False)
        (self.folder / "net2.py").write_text("import torch\nfrom torch import nn\ndef make(middle=nn.Tanh):\n"
                                             "    torch.manual_seed(0)\n"
                                             "    return nn.Sequential(nn.Linear(4, 6), middle(), nn.Linear(6, 2))\n"
                                             "def other():\n    return make(nn.Hardtanh)\n")
        for name, status, expected in (("make", 0, "compared in training mode and evaluation mode"),
                                       ("other", 1, "the first layer with another result is '1' (Hardtanh)"),
                                       ("nobody", 1, "defines no 'nobody'")):
            done = subprocess.run([dlc, "check", "net.onnx", f"--against=net2.py:{name}", f"--python={sys.executable}"],
                                  cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertIn(expected, done.stdout)
            self.assertEqual(done.returncode, status, done.stdout)
            # dlc verify: the compiled step is right each time, and what cannot be found out has a status of its own.
            done = subprocess.run([dlc, "verify", "net.onnx", "--loss=mse", "--steps=1", f"--against=net2.py:{name}",
                                   f"--python={sys.executable}", "--json", "-q"],
                                  cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            report = json.loads(done.stdout)
            self.assertEqual(done.returncode, 2 if name == "nobody" else status, done.stderr)
            self.assertFalse(any(check["differs"] for check in report["checks"]))
            result = {"make": "equal", "other": "differs", "nobody": "cannot"}[name]
            self.assertEqual((report["result"], report["against"]["result"]), (result, result))
            self.assertIn(expected, done.stdout + done.stderr)

    def exported(self, module, *examples, **options):
        """What check_against says of a program of torch.export."""
        path = str(self.folder / "program.pt2")
        torch.export.save(torch.export.export(module, examples, **options), path)
        return lambda other=module: check_against.check(other, path, from_pytorch.find_runner(DLC))

    def test_programs_of_torch_export(self):
        """Modes, statistics, dropout, several outputs, integers, ties and open sizes, with no package but torch."""
        make = lambda middle: nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), middle, nn.Dropout(0.2), nn.Linear(6, 2))
        module = make(nn.ReLU())
        batch = torch.export.Dim("batch", min=1, max=64)
        check = self.exported(module, torch.randn(5, 4), dynamic_shapes=({0: batch},))
        self.assertEqual(check().problems, [])
        self.assertRegex(check().summary, "compared in training mode and evaluation mode .* inputs of 4x4, by dlc's interpreter")
        other = make(nn.Tanh())
        other.load_state_dict(module.state_dict())
        text = " ".join(check(other).problems)
        self.assertRegex(text, "in training mode, the outputs differ.*the first layer with another result is '2' .Tanh.")
        self.assertRegex(text, "in evaluation mode, output 'output' is off.*'2' .Tanh.")
        report = self.exported(Various(), torch.randint(0, 7, (5, 3)), torch.randn(5, 3, 4))()
        self.assertEqual(report.problems, [])
        self.assertIn("compared in training mode and evaluation mode", report.summary)
        frozen = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 2))
        frozen[0].requires_grad_(False)
        self.assertEqual(self.exported(frozen, torch.randn(4, 4))().problems, [])

    def test_programs_whose_gradients_differ(self):
        """The gradient is another one behind a layer whose result is right."""
        class Stopped(nn.Module):
            def __init__(self, stops):
                super().__init__()
                self.first, self.second, self.stops = nn.Linear(4, 4), nn.Linear(4, 4), stops

            def forward(self, x):
                h = self.first(x)
                return self.second(h) + (h.detach() if self.stops else h)

        module, other = Stopped(True), Stopped(False)
        other.load_state_dict(module.state_dict())
        check = self.exported(module, torch.randn(4, 4))
        self.assertEqual(check().problems, [])
        self.assertRegex(" ".join(check(other).problems), "in training mode, the gradient of 'first.weight' is off.*"
                         "the gradient of the result of 'first' .Linear. is another one already")

    def test_programs_that_draw_inside_of_an_operator(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.LSTM(4, 3, num_layers=2, dropout=0.5)

            def forward(self, x):
                return self.layer(x)[0]

        report = self.exported(Net(), torch.randn(5, 2, 4))()
        self.assertEqual(report.problems, [])
        self.assertIn("training mode was not compared: lstm drops elements", " ".join(report.remarks))
        self.assertIn("compared in evaluation mode", report.summary)

    def test_without_a_program_nothing_is_claimed(self):
        program = "import sys; sys.path.insert(0, sys.argv[1])\nimport from_pytorch, torch\nfrom torch import nn\n" \
                  "print(from_pytorch.export(nn.Linear(3, 4), (torch.randn(4, 3),), 'n.onnx'))"
        copy = self.folder / "export"
        shutil.copytree(TOOL.parent, copy)
        environment = {**os.environ, "PATH": "/nowhere"}
        for hidden, expected in (("onnxruntime", "results were not compared: neither dlc"),
                                 ("", "compared in evaluation mode.*ONNX Runtime, which does not train|neither dlc")):
            hide = f"import sys; sys.modules['{hidden}'] = None; " if hidden else ""
            done = subprocess.run([sys.executable, "-c", hide + program, str(copy)], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
            self.assertRegex(done.stdout, expected)


if __name__ == "__main__":
    unittest.main()
