#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests tools/export/from_pytorch.py: what it writes, and what it says of what a file cannot have.

usage: export_test.py [DLC] [unittest's arguments]; see export_case.py
"""
import unittest

from export_case import ExportCase, Formula, Masked, export, from_pytorch, nn, onnx, torch


class Stopping(nn.Linear):
    def __init__(self, how):
        super().__init__(3, 4)
        self.how = how

    def forward(self, x):
        y = super().forward(x)
        if self.how == "detach":
            return y * y.detach()
        if self.how == "no_grad":
            with torch.no_grad():
                z = torch.zeros_like(y) + y.tanh()
            return y * z
        return y * torch.ones_like(y)


class Rounding(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.round()

    @staticmethod
    def backward(context, gradient):
        return gradient


class Squaring(torch.autograd.Function):
    """With the derivative that the formula has, or one that is limited."""

    @staticmethod
    def forward(context, x, limit):
        context.save_for_backward(x)
        context.limit = limit
        return x * x

    @staticmethod
    def backward(context, gradient):
        gradient = 2 * context.saved_tensors[0] * gradient
        return gradient.clamp(-context.limit, context.limit) if context.limit else gradient, None


class Deciding(nn.Linear):
    """What a file cannot say, one thing at a time."""

    def __init__(self, how):
        super().__init__(3, 4)
        self.how, self.calls = how, 0
        self.register_buffer("average", torch.zeros(4))
        self.table = nn.Embedding(5, 4, max_norm=1.0) if how == "max_norm" else None

    def forward(self, x):
        y = super().forward(x)
        if self.how == "keep":
            self.last = y
        if self.how == "count":
            self.calls += 1
            y = y * self.calls
        if self.how == "count alone":
            self.calls += 1
        if self.how == "function":
            y = Rounding.apply(y)
        if self.how == "buffer":
            self.average.mul_(0.9).add_(0.1 * y.detach().mean(0))
            y = y - self.average
        return y if self.table is None else y + self.table(torch.tensor([2]))


class Choosing(nn.Linear):
    """Chooses between two ways by numbers of several kinds."""

    def __init__(self, how):
        super().__init__(3, 4)
        self.how = how
        self.register_buffer("limit", torch.tensor(100.0))

    def forward(self, x):
        y = super().forward(x)
        if self.how == "branch" and y.sum() > 100:
            return -y
        while self.how == "loop" and y.abs().max() > 100:
            y = y / 2
        if self.how == "number":
            return y if int(x.sum()) > 100 else -y
        if self.how == "parameter" and self.bias[0] > 100:
            return -y
        if self.how == "in place":
            first = torch.zeros(3)
            first.copy_(x[0])
            return y if bool(first.view(3, 1)[0] > 100) else -y
        if self.how == "mask":
            chosen = y[y > 100]
            return y if chosen.shape[0] < 2 else -y
        if self.how == "buffer" and self.limit + 1 < 100:
            return -y
        if self.how == "size" and x.shape[0] > 100:
            return -y
        return y


class Sized(nn.Linear):
    """Chooses by the number of rows."""

    def __init__(self, how):
        super().__init__(3, 4)
        self.how = how

    def forward(self, x):
        y = super().forward(x)
        if x.shape[0] > 3:
            return y
        if self.how == "refused":
            raise ValueError("too few rows")
        return y + 0 * x.sum() if self.how == "same" else -y


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(2, 3, batch_first=True)

    def forward(self, x, lengths):
        return self.cell(nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True))[1][0]


class Exports(ExportCase):
    def test_command(self):
        for exporter in "dynamo", "torchscript":
            with self.subTest(exporter):
                done = self.tool("net.py:Net", "--shape", "batch,3:int64", "--shape", "1,3", "-o", "a.onnx",
                                 f"--exporter={exporter}", "--opset=18", "--output-names=scores")
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertIn("operator set 18; 3 of 3 parameters, 36 of 36 elements", done.stdout)
                self.assertIn("'head.weight' is tied to 'table.weight'", done.stdout)
                graph = onnx.load(str(self.folder / "a.onnx")).graph
                dims = [[d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in graph.input]
                self.assertEqual([i.name for i in graph.input], ["tokens", "weights"])
                self.assertEqual(dims, [["batch", 3], ["batch", 3]])
                self.assertEqual(graph.output[0].name, "scores")

    def test_unused_parameter(self):
        """PyTorch does not train it either: a remark, and a note that dlc need not miss it."""
        done = self.tool("net.py:with_unused", "--shape", "1,3:int64", "--shape", "1,3", "-o", "a.onnx")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("remark: parameter 'unused.weight' ((2, 2), 4 elements) is not in the file: the outputs do not "
                      "depend on it", done.stdout)
        self.assertEqual(self.metadata(self.folder / "a.onnx")[from_pytorch.UNUSED], "unused.weight\nunused.bias")

    def test_bad_arguments(self):
        for arguments, message in ((("net.py:Nat", "--shape", "1,3"), "defines no 'Nat'"),
                                   (("nut.py:Net", "--shape", "1,3"), "no such Python file"),
                                   (("Net", "--shape", "1,3"), "expected FILE.py:NAME"),
                                   (("net.py:Net", "--shape", "1,-3"), "expected sizes or names"),
                                   (("net.py:Net", "--shape", "1,3:floot"), "expected sizes and a dtype")):
            done = self.tool(*arguments)
            self.assertIn(message, done.stdout)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotIn("Traceback", done.stdout)

    def test_running_statistics_are_the_modules(self):
        module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        module[1].running_mean.fill_(0.5)
        before = module[1].running_mean.clone()
        for exporter in "dynamo", "torchscript":
            path = self.folder / "b.onnx"
            report = export(module.eval(), (torch.randn(4, 3),), path, exporter=exporter)
            self.assertEqual(report.problems, [])
            self.assertTrue(torch.equal(from_pytorch.initializers(path)[0]["1.running_mean"], before))
            self.assertTrue(torch.equal(module[1].running_mean, before))
            self.assertFalse(module.training)

    def test_buffers_are_listed(self):
        module = Masked(3, 4)
        path = self.folder / "f.onnx"
        for exporter in "dynamo", "torchscript":
            export(module, (torch.randn(4, 3),), path, exporter=exporter)
            metadata = self.metadata(path)
            self.assertIn("BUFFER target='mask'", metadata[from_pytorch.SIGNATURE])
            self.assertIn("PARAMETER target='weight'", metadata[from_pytorch.SIGNATURE])

    def test_merged_parameters_are_problems(self):
        module = nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 4), nn.LayerNorm(4))
        path = str(self.folder / "c.onnx")
        batch = torch.export.Dim("batch")
        torch.onnx.export(module, (torch.randn(4, 4),), path, dynamo=True, verbose=False,
                          dynamic_shapes=({0: batch},))
        problems = " ".join(from_pytorch.compare(module, path).problems)
        self.assertIn("parameter '2.weight' ((4,), 4 elements) is not in the file", problems)

    def test_stopped_gradients_are_problems(self):
        path = self.folder / "g.onnx"
        for how, expected in (("detach", {"torchscript": "(detach()), which a file of the older exporter"}),
                              ("no_grad", {"torchscript": "(no_grad)", "dynamo": "(no_grad)"}), ("", {})):
            for exporter in "dynamo", "torchscript":
                with self.subTest(how, exporter=exporter):
                    report = export(Stopping(how), (torch.randn(4, 3),), path, exporter=exporter)
                    problems = " ".join(report.problems)
                    self.assertIn(expected.get(exporter, ""), problems)
                    self.assertEqual(bool(problems), exporter in expected)
                    self.assertEqual("export_test.py:" in problems, bool(problems))

    def test_what_a_file_does_not_say_is_a_problem(self):
        path = self.folder / "h.onnx"
        for how, expected in (("function", "autograd function 'Rounding'"), ("count", "changes the attribute 'calls', from 0 to 1 in one call"),
                              ("buffer", "changes the buffer 'average'"),
                              ("max_norm", "'table' has max_norm=1.0"), ("", "")):
            for exporter in "dynamo", "torchscript":
                with self.subTest(how, exporter=exporter):
                    report = export(Deciding(how), (torch.randn(4, 3),), path, exporter=exporter)
                    self.assertIn(expected, " ".join(report.problems))
                    self.assertEqual(bool(report.problems), bool(expected))
                    self.assertNotIn("no_grad", " ".join(report.problems))

    def test_numbers_that_forward_counts_for_others(self):
        report = export(Deciding("count alone"), (torch.randn(4, 3),), self.folder / "h.onnx")
        self.assertEqual(report.problems, [])
        self.assertIn("'calls', from 0 to 1 in one call, and a file has one number for all calls; the next call gives the same results",
                      " ".join(report.remarks))

    def test_ways_that_the_data_choose_are_problems(self):
        """The older exporter would follow the example's; the newer one refuses, and the older one is no advice then."""
        path, line = self.folder / "j.onnx", "at .*export_test.py:[0-9]+ forward decides in Python by numbers of the data .*torch.where"
        for how in "branch", "loop", "number", "parameter", "in place":
            with self.subTest(how):
                report = export(Choosing(how), (torch.randn(4, 3),), path, exporter="torchscript")
                self.assertRegex(" ".join(report.problems), line)
        for how in "branch", "loop", "number":
            with self.subTest(how, exporter="dynamo"), self.assertRaisesRegex(ValueError, line) as caught:
                export(Choosing(how), (torch.randn(4, 3),), path, compares=False)
            self.assertNotIn("try the exporter", str(caught.exception))
        with self.assertRaisesRegex(ValueError, "at .*export_test.py:[0-9]+ forward makes a tensor whose size depends on the data"):
            export(Choosing("mask"), (torch.ones(4, 3),), path, compares=False)

    def test_numbers_that_do_not_depend_on_the_data_may_choose(self):
        for how in "buffer", "size":
            with self.subTest(how):
                report = export(Choosing(how), (torch.randn(4, 3),), self.folder / "k.onnx", exporter="torchscript")
                self.assertEqual(report.problems, [])
                self.assertRegex(" ".join(report.remarks), "at .*export_test.py:[0-9]+ forward computes with a number of the ex")

    def test_open_sizes_that_choose_are_compared(self):
        """Where both ways give the same, or forward refuses the other sizes, nothing is wrong."""
        for how, problem in (("few", "export_test.py:[0-9]+ forward decides by the size 'batch', .* the example's 4, and of 3 the"),
                             ("same", None), ("refused", None)):
            with self.subTest(how):
                report = export(Sized(how), (torch.randn(4, 3),), self.folder / "n.onnx")
                self.assertRegex(" ".join(report.problems), problem or "^$")

    def test_packed_sequences_are_named(self):
        for exporter in "dynamo", "torchscript":
            with self.subTest(exporter), self.assertRaisesRegex(ValueError, "layer 'cell' .GRU. is given a packed sequence") as caught:
                export(Packed(), (torch.randn(3, 4, 2), torch.tensor([4, 2, 1])), self.folder / "l.onnx", exporter=exporter)
            self.assertNotIn("try the exporter", str(caught.exception))

    def test_a_backward_of_its_own_may_be_the_derivative(self):
        """Then it is no problem; one that limits large gradients is, though none of the example is large."""
        for exporter in "dynamo", "torchscript":
            for limit, is_problem in (0.0, False), (1000.0, True):
                with self.subTest(exporter, limit=limit):
                    module = Formula(nn.Linear(3, 4), lambda y: Squaring.apply(y, limit))
                    report = export(module, (torch.randn(4, 3),), self.folder / "s.onnx", exporter=exporter)
                    where = report.problems if is_problem else report.remarks
                    self.assertIn("forward uses the autograd function 'Squaring'", " ".join(where))
                    self.assertEqual(bool(report.problems), is_problem, report)

    def test_what_is_not_trained_is_noted(self):
        module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
        module[0].requires_grad_(False)
        for exporter in "dynamo", "torchscript":
            path = self.folder / "i.onnx"
            report = export(module, (torch.randn(4, 3),), path, exporter=exporter)
            self.assertEqual(report.problems, [])
            self.assertIn("parameter '0.weight' does not require gradients", " ".join(report.remarks))
            metadata = self.metadata(path)
            self.assertEqual(metadata[from_pytorch.FROZEN].split("\n"), ["0.weight", "0.bias"])
            self.assertEqual(metadata[from_pytorch.MODE], "train")

    def test_other_values_are_problems(self):
        module = nn.Linear(3, 4)
        path = str(self.folder / "d.onnx")
        export(module, (torch.randn(4, 3),), path)
        with torch.no_grad():
            module.bias.add_(1)
        self.assertEqual(from_pytorch.compare(module, path).problems,
                         ["parameter 'bias' has other values in the file than in the module"])

    def test_refusals(self):
        for module, text in ((nn.Sequential(nn.utils.weight_norm(nn.Linear(3, 4))), "Linear keeps the computed tensor '0.weight': use "
                              "torch.nn.utils.parametrizations"),
                             (nn.Sequential(Deciding("keep")), "Deciding keeps the computed tensor '0.last': keep its detach")):
            module(torch.randn(4, 3))
            with self.assertRaisesRegex(TypeError, f"the module cannot be copied .RuntimeError.*{text}"):
                export(module, (torch.randn(4, 3),), "e.onnx")
        report = export(Formula(nn.Linear(3, 4), lambda y: y / len(y)), (torch.randn(4, 3),), self.folder / "e.onnx")
        self.assertRegex(" ".join(report.problems), "export_test.py:[0-9]+ forward needs its number; write x.shape.0. for len.x.")
        with self.assertRaisesRegex(TypeError, "dlc reads float32 and float64"):
            export(nn.Linear(3, 4).half(), (torch.randn(4, 3),), "e.onnx")
        with self.assertRaisesRegex(ValueError, "give 2 or more"):
            export(nn.Linear(3, 4), (torch.randn(1, 3),), "e.onnx")


if __name__ == "__main__":
    unittest.main()
