#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules, optimizers and losses of PyTorch through dlc.compile, beside PyTorch."""
import importlib.util
import sys
import tempfile
import unittest
import warnings

for package in "torch", "onnx", "onnxscript":
    if importlib.util.find_spec(package) is None:
        print(f"skipped: Python has no module '{package}'")
        sys.exit(0)

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from common import Case, dlc, np  # noqa: E402

torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.head = nn.Linear(12, 16), nn.LayerNorm(16), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.fc1(x))))


class Tied(nn.Module):
    """With a batch normalization, tied weights and a frozen layer."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.bn = nn.Linear(6, 6), nn.Linear(6, 6), nn.BatchNorm1d(6)
        self.two.weight = self.one.weight
        self.one.bias.requires_grad_(False)

    def forward(self, x):
        return self.two(self.bn(torch.tanh(self.one(x))))


class Words(nn.Module):
    """A table of which a batch has few rows."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(30, 6, sparse=True), nn.Linear(6, 5)

    def forward(self, words):
        return self.head(torch.tanh(self.table(words)))


class Function(nn.Module):
    """A formula behind a layer."""

    def __init__(self, layer, function):
        super().__init__()
        self.layer, self.function = layer, function

    def forward(self, x):
        return self.function(self.layer(x))


def data(rows=8, features=12, classes=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, features, generator=generator), torch.randint(0, classes, (rows,), generator=generator)


def made(kind):
    torch.manual_seed(0)
    return kind()


def compiled(*arguments, check=False, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dlc.compile(*arguments, check=check, **options)


def grouped(module, kind, **options):
    """The usual groups: no decay, and half of the rate, for what is no matrix."""
    matrices = [parameter for parameter in module.parameters() if parameter.dim() > 1]
    rest = [parameter for parameter in module.parameters() if parameter.dim() < 2]
    return kind([{"params": matrices}, {"params": rest, "weight_decay": 0.0, "lr": 0.5e-2}], lr=1e-2, weight_decay=0.1, **options)


class Trajectories(Case):
    def together(self, module, step, optimizer, loss, steps=10, schedule=None, data=data):
        for seed in range(steps):
            x, y = data(seed=seed)
            optimizer.zero_grad()
            value = loss(module(x), y)
            value.backward()
            optimizer.step()
            self.near(step(x, y), value.item(), 1e-4)
            if schedule:
                schedule.step()
        for name, tensor in step.state_dict().items():
            self.near(tensor, module.state_dict()[name].detach(), 2e-4)

    def test_compared_and_trained(self):
        module, (x, _) = made(Net), data()
        step = compiled(module, (x,), loss="cross_entropy", optimizer=dlc.AdamW(lr=1e-2), batch=(1, 8), check=True)
        self.assertIn("compared in training mode and evaluation mode", str(step.origin.report))
        self.together(module, step, torch.optim.AdamW(module.parameters(), lr=1e-2), F.cross_entropy)
        self.assertTrue(module.training, "the module is as it was")
        module.load_state_dict(step.state_dict())
        self.near(module.eval()(x).detach(), step.predict(x), 1e-5)

    def test_optimizers_with_groups(self):
        for kind, options in ((torch.optim.AdamW, {"betas": (0.8, 0.95)}), (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
                              (torch.optim.Adam, {"amsgrad": True}), (torch.optim.RMSprop, {"centered": True, "momentum": 0.5}),
                              (torch.optim.NAdam, {}), (torch.optim.Adagrad, {"lr_decay": 0.1}),
                              (torch.optim.ASGD, {"t0": 3, "lambd": 0.1, "alpha": 0.5}),
                              (torch.optim.Adafactor, {"eps": (None, 1e-2), "d": 1.5, "beta2_decay": -0.5})):
            with self.subTest(kind.__name__):
                module, (x, _) = made(Net), data()
                optimizer = grouped(module, kind, **options)
                step = compiled(module, x, loss=nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=3), optimizer=optimizer)
                self.together(module, step, optimizer, nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=3))

    def test_rows_that_were_not_looked_up_keep_their_moments(self):
        """In PyTorch by two optimizers: SparseAdam refuses what is no table."""
        def few(seed):
            generator = torch.Generator().manual_seed(seed)
            return torch.randint(0, 30, (8,), generator=generator), torch.randint(0, 5, (8,), generator=generator)

        class Both:
            def __init__(self, module):
                self.parts = [torch.optim.SparseAdam(module.table.parameters(), lr=1e-2, betas=(0.8, 0.95)),
                              torch.optim.Adam(module.head.parameters(), lr=1e-2, betas=(0.8, 0.95))]

            def zero_grad(self):
                for part in self.parts:
                    part.zero_grad()

            def step(self):
                for part in self.parts:
                    part.step()
        module = made(Words)
        step = compiled(module, few(0)[0], loss="cross_entropy", optimizer=dlc.SparseAdam(lr=1e-2, betas=(0.8, 0.95)))
        self.together(module, step, Both(module), F.cross_entropy, data=few)
        untouched = sorted(set(range(30)) - {int(word) for seed in range(10) for word in few(seed)[0]})
        self.assertTrue(untouched and not step.parameter("table.weight.exp_avg")[untouched].any())
        other = made(Words)
        adam = compiled(other, few(0)[0], loss="cross_entropy", optimizer=dlc.Adam(lr=1e-2, betas=(0.8, 0.95)))
        for seed in range(10):
            adam(*few(seed))
        self.assertFalse(np.allclose(adam.parameter("table.weight"), step.parameter("table.weight"), atol=1e-3))

        module = made(Words)  # what the optimizer of PyTorch does not have is not trained
        step = compiled(module, few(0)[0], loss="cross_entropy", optimizer=torch.optim.SparseAdam(module.table.parameters()))
        before = step.state_dict()
        step(*few(0))
        changed = [name for name, tensor in step.state_dict().items() if not torch.equal(tensor, before[name])]
        self.assertEqual(changed, ["table.weight"])

    def test_schedulers_drive_the_step(self):
        """OneCycleLR moves betas, too; the other one moves the groups' rates apart."""
        schedulers = torch.optim.lr_scheduler
        for make in (lambda optimizer: schedulers.OneCycleLR(optimizer, [1e-2, 0.5e-2], 12),
                     lambda optimizer: schedulers.LambdaLR(optimizer, [lambda step: 1 - 0.05 * step, lambda step: 1 + step])):
            mine, module = made(Net), made(Net)
            own, other = (grouped(each, torch.optim.AdamW) for each in (mine, module))
            step = compiled(mine, data()[0], loss="cross_entropy", optimizer=own)
            schedules = [make(each) for each in (own, other)]
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for seed in range(10):
                    x, y = data(seed=seed)
                    other.zero_grad()
                    value = F.cross_entropy(module(x), y)
                    value.backward()
                    other.step()
                    self.near(step(x, y), value.item(), 1e-4)
                    for schedule in schedules:
                        schedule.step()
            for name, tensor in step.state_dict().items():
                self.near(tensor, module.state_dict()[name].detach(), 2e-4)

    def test_weighted_classes(self):
        module, (x, _) = made(Net), data()
        loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.5, 3.0]), reduction="sum")
        step = compiled(module, x, loss=loss, optimizer=dlc.SGD(lr=1e-2))
        self.together(module, step, torch.optim.SGD(module.parameters(), lr=1e-2), loss)

    def test_tied_frozen_and_buffers(self):
        def values(seed):
            x, _ = data(features=6, seed=seed)
            return x, x.flip(1)
        module = made(Tied)
        step = compiled(module, values(0)[0], loss=nn.MSELoss(), check=True,
                        optimizer=torch.optim.SGD([p for p in module.parameters() if p.requires_grad], lr=1e-2))
        optimizer = torch.optim.SGD([p for p in module.parameters() if p.requires_grad], lr=1e-2)
        self.together(module, step, optimizer, F.mse_loss, data=values)
        state = step.state_dict()
        self.assertEqual(sorted(state), sorted(module.state_dict()))
        self.assertTrue(torch.equal(state["one.weight"], state["two.weight"]))
        self.assertEqual(int(state["bn.num_batches_tracked"]), 10)
        self.assertEqual(step.load_state_dict(module.state_dict()), ([], []))

    def test_parameters_that_no_group_has_are_not_trained(self):
        module, (x, y) = made(Net), data()
        step = compiled(module, x, loss="cross_entropy", optimizer=torch.optim.SGD(module.head.parameters(), lr=0.1))
        before = step.state_dict()
        step(x, y)
        changed = [name for name, tensor in step.state_dict().items() if not torch.equal(tensor, before[name])]
        self.assertEqual(changed, ["head.weight", "head.bias"])


class OptimizerStates(Case):
    def test_both_ways(self):
        """Five steps here, five there: those of ten in PyTorch."""
        for kind, options in ((torch.optim.AdamW, {}), (torch.optim.SGD, {"momentum": 0.9}), (torch.optim.Adam, {"amsgrad": True}),
                              (torch.optim.NAdam, {}), (torch.optim.Adadelta, {}), (torch.optim.RMSprop, {"centered": True}),
                              (torch.optim.ASGD, {"t0": 2}), (torch.optim.Adafactor, {}),
                              (torch.optim.Rprop, {"step_sizes": (1e-4, 1e-2)})):
            with self.subTest(kind.__name__):
                def steps(module, optimizer, seeds):
                    losses = []
                    for seed in seeds:
                        x, y = data(seed=seed)
                        optimizer.zero_grad()
                        value = F.cross_entropy(module(x), y)
                        value.backward()
                        optimizer.step()
                        losses.append(value.item())
                    return losses
                whole = made(Net)
                expected = steps(whole, kind(whole.parameters(), lr=1e-2, **options), range(10))
                module = made(Net)
                optimizer = kind(module.parameters(), lr=1e-2, **options)
                step = compiled(module, data()[0], loss="cross_entropy", optimizer=optimizer)
                self.near([step(*data(seed=seed)) for seed in range(5)], expected[:5], 1e-4)
                module.load_state_dict(step.state_dict())
                optimizer.load_state_dict(step.optimizer_state_dict())
                self.near(steps(module, optimizer, range(5, 10)), expected[5:], 2e-4)

                other = made(Net)
                optimizer = kind(other.parameters(), lr=1e-2, **options)
                steps(other, optimizer, range(5))
                step = compiled(other, data()[0], loss="cross_entropy", optimizer=kind(other.parameters(), lr=1e-2, **options))
                step.load_optimizer_state_dict(optimizer.state_dict())
                self.near([step(*data(seed=seed)) for seed in range(5, 10)], expected[5:], 2e-4)

    def test_what_does_not_fit(self):
        module = made(Net)
        step = compiled(module, data()[0], loss="cross_entropy", optimizer=dlc.AdamW(lr=1e-2))
        step(*data())
        before = step.parameter("fc1.weight.exp_avg")
        good = step.optimizer_state_dict()
        sgd = torch.optim.SGD(module.parameters(), momentum=0.9)
        module(data()[0]).sum().backward()
        sgd.step()
        self.refused(dlc.ArrayValueError, "has momentum_buffer of 'fc1.weight', and the step, which was compiled with adamw, keeps "
                     "exp_avg, exp_avg_sq", lambda: step.load_optimizer_state_dict(sgd.state_dict()))
        self.refused(dlc.ArrayValueError, "as state_dict() of torch.optim gives it", lambda: step.load_optimizer_state_dict({}))
        few = torch.optim.AdamW(list(module.parameters())[:2]).state_dict()
        self.refused(dlc.ArrayValueError, "groups of [2] parameters, the step of [6]", lambda: step.load_optimizer_state_dict(few))
        good["state"][0]["step"] = torch.tensor(7.0)
        self.refused(dlc.ArrayValueError, "after 1 and 7 steps", lambda: step.load_optimizer_state_dict(good))
        self.assertTrue(np.array_equal(before, step.parameter("fc1.weight.exp_avg")))


class Arrays(Case):
    def test_tensors(self):
        module, (x, y) = made(Net), data()
        step = compiled(module, x, loss="cross_entropy")
        loss = step.grad(x, y)
        self.assertEqual(step.grad(x.numpy(), y.numpy()), loss)
        self.assertEqual(step.grad(x.clone().requires_grad_(), y), loss)
        self.assertEqual(step.grad(x.t().contiguous().t(), y), loss)
        self.refused(dlc.ArrayTypeError, "got float64", lambda: step(x.double(), y))
        self.refused(dlc.ArrayTypeError, "got bfloat16", lambda: step(x.bfloat16(), y))
        self.refused(dlc.ArrayTypeError, "convert it with x.to(torch.int64)", lambda: step(x, y.float()))
        self.refused(dlc.ArrayTypeError, "expected a dense tensor", lambda: step(x.to_sparse(), y))
        self.refused(dlc.ArrayTypeError, "", lambda: step(torch.empty(8, 12, device="meta"), y))


class Refusals(Case):
    def test_what_an_exporter_loses_is_an_error_that_names_the_layer(self):
        module = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AvgPool2d(2, divisor_override=3), nn.Flatten(),
                               nn.Linear(36, 10))
        self.refused(dlc.CompileError, "the first layer with another result is '2' (AvgPool2d)",
                     lambda: compiled(module, torch.randn(4, 1, 8, 8), loss="cross_entropy", check=True))

    def test_a_wrong_gradient_is_an_error_that_names_the_parameter(self):
        """Without the interpreter, the compiled step is compared."""
        from dlc import _torch_compare
        module, (x, _) = made(Net), data()
        step = compiled(module, x, loss="cross_entropy")
        _torch_compare.compare(step, module, (x,))
        step.manifest.data["settings"]["precision"] = "fp32"
        with torch.no_grad():
            module.head.bias[2] += 0.01
        self.refused(dlc.CompileError, "the output 'output' in evaluation mode is off by up to 0.01",
                     lambda: _torch_compare.compare(step, module, (x,)))
        other = made(Net)
        other.norm.register_full_backward_hook(lambda layer, given, got: tuple(2 * each for each in given))
        self.refused(dlc.CompileError, "the gradient of 'fc1.weight' (Linear) is off",
                     lambda: _torch_compare.compare(step, other, (x,)))

    def test_settings_that_there_are_not(self):
        module, (x, _) = made(Net), data()
        parameters = list(module.parameters())
        for kind, text, options in (
                (ValueError, "Adam(maximize=True)", {"optimizer": torch.optim.Adam(parameters, maximize=True)}),
                (TypeError, "no update as torch.optim.lbfgs.LBFGS", {"optimizer": torch.optim.LBFGS(parameters)}),
                (ValueError, "is no parameter of the module", {"optimizer": torch.optim.SGD(made(Net).parameters())}),
                (ValueError, "SmoothL1Loss(beta=0.5)", {"loss": nn.SmoothL1Loss(beta=0.5)}),
                (ValueError, "reduction='none'", {"loss": nn.MSELoss(reduction="none")}),
                (ValueError, "pos_weight", {"loss": nn.BCEWithLogitsLoss(pos_weight=torch.ones(5))}),
                (TypeError, "a loss of your own", {"loss": lambda output, target: output}),
                (TypeError, "got the class MSELoss; write MSELoss()", {"loss": nn.MSELoss}),
                (TypeError, "with an example of what forward takes", {"examples": None})):
            options = {"loss": "mse", "examples": (x,), **options}
            examples = options.pop("examples")
            self.refused(kind, text, lambda: compiled(module, examples, **options))

    def test_rates_of_dropout_are_compiled(self):
        module, (x, y) = nn.Sequential(nn.Linear(12, 5), nn.Dropout(0.1)), data()
        step = compiled(module, x, loss="cross_entropy")
        step(x, y)
        module[1].p = 0.5
        self.refused(ValueError, "the module's layer '1' (Dropout) has p=0.5 now, and the step was compiled with 0.1", lambda: step(x, y))
        step.evaluate(x, y)
        other = compiled(module, x, loss="cross_entropy")
        other.load_state_dict(step.state_dict())
        other.load_optimizer_state_dict(step.optimizer_state_dict())
        other(x, y)

    def test_activations_that_the_loss_applies(self):
        """PyTorch's loss has both; a LogSoftmax of a LogSoftmax is the same."""
        x, _ = data()
        for kind, loss, text in (
                (nn.Softmax(1), "cross_entropy", "Sequential ends in '1' (Softmax), and the loss 'softmax-cross-entropy' applies a softmax "
                 "itself: PyTorch's loss has two"),
                (nn.Softmax(1), nn.CrossEntropyLoss(label_smoothing=0.1), "Take the Softmax out of the module"),
                (nn.Sigmoid(), "bce_with_logits", "Sequential ends in '1' (Sigmoid), and the loss 'bce-with-logits' applies a sigmoid")):
            self.refused(dlc.CompileError, text, lambda: compiled(nn.Sequential(nn.Linear(12, 5), kind), x, loss=loss, check=True))
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                self.refused(dlc.CompileError, "Function ends in a Softmax", lambda: compiled(
                    Function(nn.Linear(12, 5), lambda y: y.softmax(1)), x, loss="cross_entropy", check=True, cache=folder))
        compiled(nn.Sequential(nn.Linear(12, 5), nn.LogSoftmax(1)), x, loss="cross_entropy", check=True)
        compiled(nn.Sequential(nn.Linear(12, 5), nn.Softmax(1)), x, loss="cross_entropy")  # as it is said in a warning

    def test_modules_that_cannot_be_exported(self):
        class Odd(nn.Module):
            def forward(self, x):
                return x * 2 if x.sum() > 0 else x
        said = str(self.refused(dlc.CompileError, "Odd: PyTorch's exporter 'dynamo' cannot export the module: at ",
                                lambda: compiled(Odd(), torch.randn(3, 2), loss="mse")))
        self.assertRegex(said, "torch_test.py:[0-9]+ forward decides in Python by numbers of the data")
        self.assertIn("torch.where", said)
        self.assertNotIn("torchscript", said)
        self.refused(dlc.CompileError, "forward decides in Python by numbers of the data",
                     lambda: compiled(Odd(), torch.randn(3, 2), loss="mse", exporter="torchscript"))


class Exported(Case):
    def test_a_module_of_torchscript_is_refused(self):
        scripted = torch.jit.script(nn.Linear(4, 2))
        self.refused(dlc.CompileError, "it is a module of TorchScript, whose training cannot be compared",
                     lambda: dlc.compile(scripted, (torch.ones(3, 4),), loss="mse"))

    def test_programs_are_compiled_as_they_are(self):
        torch.manual_seed(0)
        net, x, y = Net(), torch.randn(4, 12), torch.tensor([0, 1, 2, 3])
        program = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("batch", max=64)},))
        step = dlc.compile(program, loss="cross_entropy", optimizer=dlc.SGD(lr=0.1), batch=4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            self.assertAlmostEqual(step(x.numpy(), y.numpy()), loss.item(), places=5)


if __name__ == "__main__":
    unittest.main()
