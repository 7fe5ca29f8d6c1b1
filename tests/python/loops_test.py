#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that are PyTorch's or somebody else's: schedules beside torch.optim.lr_scheduler, and dlc.accelerate."""
import copy
import importlib.util
import inspect
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
from torch.optim import lr_scheduler as theirs  # noqa: E402

from common import Case, dlc, np  # noqa: E402

torch.set_num_threads(1)


class Schedules(Case):
    def test_are_those_of_pytorch(self):
        ours = dlc.schedules
        for schedule, make in ((ours.constant(0.1), lambda o: theirs.LambdaLR(o, lambda step: 1.0)),
                               (ours.step(0.1, size=7, gamma=0.5), lambda o: theirs.StepLR(o, 7, 0.5)),
                               (ours.multi_step(0.1, milestones=[3, 9]), lambda o: theirs.MultiStepLR(o, [3, 9])),
                               (ours.exponential(0.1, gamma=0.9), lambda o: theirs.ExponentialLR(o, 0.9)),
                               (ours.linear(0.1, steps=12, first=0.25, last=0.5), lambda o: theirs.LinearLR(o, 0.25, 0.5, 12)),
                               (ours.polynomial(0.1, steps=15, power=2), lambda o: theirs.PolynomialLR(o, 15, 2)),
                               (ours.cosine(0.1, steps=20, least=0.01), lambda o: theirs.CosineAnnealingLR(o, 20, 0.01)),
                               (ours.warm_restarts(0.1, steps=3, factor=2, least=0.01),
                                lambda o: theirs.CosineAnnealingWarmRestarts(o, 3, 2, 0.01)),
                               (ours.cyclic(0.1, highest=0.6, up=3, down=4, shape="triangular2"),
                                lambda o: theirs.CyclicLR(o, 0.1, 0.6, 3, 4, "triangular2", cycle_momentum=False)),
                               (ours.cyclic(0.1, highest=0.6, up=3, shape="exp_range", gamma=0.9),
                                lambda o: theirs.CyclicLR(o, 0.1, 0.6, 3, None, "exp_range", 0.9, cycle_momentum=False)),
                               (ours.one_cycle(0.1, steps=20), lambda o: theirs.OneCycleLR(o, 0.1, 20, cycle_momentum=False)),
                               (ours.one_cycle(0.1, steps=20, linear=True, three_phase=True),
                                lambda o: theirs.OneCycleLR(o, 0.1, 20, anneal_strategy="linear", three_phase=True,
                                                            cycle_momentum=False)),
                               (ours.multiplied(0.1, lambda step: 1 / (1 + step)),
                                lambda o: theirs.LambdaLR(o, lambda step: 1 / (1 + step))),
                               (ours.multiplicative(0.1, lambda step: 1 - 0.01 * step),
                                lambda o: theirs.MultiplicativeLR(o, lambda step: 1 - 0.01 * step)),
                               (ours.swa(0.1, last=0.02, steps=7), lambda o: torch.optim.swa_utils.SWALR(o, 0.02, 7)),
                               (ours.chained(0.1, lambda base: ours.step(base, size=3), lambda base: ours.exponential(base, gamma=0.9)),
                                lambda o: theirs.ChainedScheduler([theirs.StepLR(o, 3), theirs.ExponentialLR(o, 0.9)])),
                               (ours.sequential([ours.linear(0.1, first=0.1, last=1, steps=4), ours.cosine(0.1, steps=20)], [4]),
                                lambda o: theirs.SequentialLR(o, [theirs.LinearLR(o, 0.1, 1, 4), theirs.CosineAnnealingLR(o, 20)],
                                                              [4]))):
            optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
            other, rates = make(optimizer), []
            for _ in range(20):
                rates.append(optimizer.param_groups[0]["lr"])
                optimizer.step()
                other.step()
            self.near([schedule(step) for step in range(20)], rates, 1e-9)
        for schedule, make in ((ours.one_cycle_momentum(steps=20), lambda o: theirs.OneCycleLR(o, 0.1, 20)),
                               (ours.cyclic_momentum(up=3, down=4), lambda o: theirs.CyclicLR(o, 0.1, 0.6, 3, 4))):
            optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1, momentum=0.9)
            other, momenta = make(optimizer), []
            for _ in range(20):
                momenta.append(optimizer.param_groups[0]["momentum"])
                optimizer.step()
                other.step()
            self.near([schedule(step) for step in range(20)], momenta, 1e-9)
        warmed = ours.cosine(0.1, steps=20, warm_up=4)
        self.near([warmed(step) / ours.cosine(0.1, steps=20)(step) for step in range(6)], [0.25, 0.5, 0.75, 1, 1, 1], 1e-12)
        self.refused(ValueError, "steps: expected a number of at least 1, got 0", lambda: ours.cosine(1, steps=0))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.bn, self.head = nn.Linear(6, 8, bias=False), nn.BatchNorm1d(8), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(torch.relu(self.bn(self.fc1(x))))


def data(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(8, 6, generator=generator), torch.randint(0, 3, (8,), generator=generator)


class Accelerate(Case):
    @staticmethod
    def loop(losses, module):
        """As trainers write it: two batches an update, clipped, any optimizer of PyTorch, with a schedule."""
        optimizer = torch.optim.Adamax(module.parameters(), lr=1e-2)
        schedule = theirs.ExponentialLR(optimizer, 0.9)
        found = []
        for number in range(12):
            loss = losses(data(number)) / 2
            loss.backward()
            found.append(loss.item())
            if number % 2:
                nn.utils.clip_grad_norm_(module.parameters(), 0.5)
                optimizer.step()
                optimizer.zero_grad()
                schedule.step()
        return found

    def test_loops_of_others(self):
        torch.manual_seed(0)
        net = Net()
        other = copy.deepcopy(net)
        expected = self.loop(lambda batch: F.cross_entropy(other(batch[0]), batch[1]), other)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dlc.accelerate(net, data(0)[0], loss="cross_entropy", check=False)
        self.near(self.loop(lambda batch: model(*batch), model), expected, 1e-5)
        for name, tensor in other.state_dict().items():
            self.near(net.state_dict()[name], tensor, 1e-5)
        x, y = data(20)
        self.near(model.eval()(x, y).item(), F.cross_entropy(other.eval()(x), y).item(), 1e-5)
        self.near(model.predict(x), other(x).detach(), 1e-5)

    def test_calls_by_name(self):
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = dlc.accelerate(Net(), data(0)[0], loss="cross_entropy", as_dict=True, check=False)
        x, y = data(0)
        self.assertEqual(model(x=x, labels=y, attention_mask=None)["loss"].item(), model(x, y)["loss"].item())
        self.refused(dlc.ArrayTypeError, "expected the inputs x, labels", lambda: model(x))
        self.refused(dlc.ArrayTypeError, "expected the inputs x, labels", lambda: model.eval()(labels=y))
        self.assertEqual(list(inspect.signature(model.forward).parameters), ["x", "labels"])
        scores = model.module.eval()(x).detach()
        self.assertEqual(sorted(model(x, y)), ["logits", "loss"])
        self.near(model(x, y)["logits"], scores, 1e-5)
        self.assertEqual(list(model(x=x, labels=None)), ["logits"])
        model.train()
        self.assertEqual(sorted(name for name, _ in model.named_parameters()),
                         sorted(f"module.{name}" for name, _ in model.module.named_parameters()))
        self.refused(dlc.UnavailableError, "the optimizer is the loop's own",
                     lambda: dlc.accelerate(Net(), x, loss="mse", optimizer=dlc.SGD()))

    def test_every_update_is_seen(self):
        """Also that of PyTorch's fused optimizers, which do not count versions of tensors."""
        torch.manual_seed(0)
        net = Net()
        other = copy.deepcopy(net)
        model = accelerated(net)
        optimizers = [torch.optim.AdamW(each.parameters(), lr=1e-2, fused=True) for each in (net, other)]
        for number in range(4):
            x, y = data(number)
            for loss, optimizer in zip((model(x, y), F.cross_entropy(other(x), y)), optimizers):
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            self.near(model.eval()(x, y).item(), F.cross_entropy(other.eval()(x), y).item(), 1e-5)
            model.train(), other.train()


def accelerated(net, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dlc.accelerate(net, data(0)[0], loss="cross_entropy", check=False, **options)


class Plain(nn.Module):
    """What the Trainer wants, in PyTorch alone."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, labels):
        scores = self.net(x)
        return {"loss": F.cross_entropy(scores, labels), "logits": scores}


class RealLoops(Case):
    """The loops of the packages themselves, where they are installed."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        torch.manual_seed(0)
        self.net = Net()
        self.other = copy.deepcopy(self.net)

    @unittest.skipUnless(importlib.util.find_spec("lightning"), "needs lightning")
    def test_lightning(self):
        import lightning

        class Module(lightning.LightningModule):
            def __init__(self, model, loss):
                super().__init__()
                self.model, self.loss, self.losses = model, loss, []

            def training_step(self, batch, number):
                self.losses.append(self.loss(self.model, *batch))
                return self.losses[-1]

            def configure_optimizers(self):
                return torch.optim.Adam(self.parameters(), lr=1e-2)

        found = []
        for model, loss in ((accelerated(self.net), lambda model, x, y: model(x, y)),
                            (self.other, lambda model, x, y: F.cross_entropy(model(x), y))):
            module = Module(model, loss)
            trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False,
                                        enable_model_summary=False, gradient_clip_val=0.5, accumulate_grad_batches=2,
                                        default_root_dir=self.folder.name)
            trainer.fit(module, torch.utils.data.DataLoader([data(number) for number in range(8)], batch_size=None))
            found.append([loss.item() for loss in module.losses])
        self.assertEqual(len(found[0]), 16)
        self.near(*found, 1e-5)

    @unittest.skipUnless(importlib.util.find_spec("transformers") and importlib.util.find_spec("accelerate"),
                         "needs transformers and accelerate")
    def test_the_trainer_of_hugging_face(self):
        from transformers import Trainer, TrainingArguments
        x, y = (torch.cat(parts) for parts in zip(*(data(number) for number in range(6))))
        rows = [{"x": one, "labels": label, "unused": torch.tensor(1)} for one, label in zip(x, y)]
        found = []
        for model in accelerated(self.net, as_dict=True), Plain(self.other):
            arguments = TrainingArguments(self.folder.name, per_device_train_batch_size=8, per_device_eval_batch_size=8,
                                          gradient_accumulation_steps=2, num_train_epochs=3, learning_rate=1e-2, weight_decay=0.1,
                                          max_grad_norm=0.5, warmup_steps=3, logging_steps=1, use_cpu=True, report_to=[],
                                          disable_tqdm=True, eval_strategy="epoch", seed=1)
            trainer = Trainer(model=model, args=arguments, train_dataset=rows, eval_dataset=rows[:24])
            trainer.train()
            history = trainer.state.log_history
            found.append([float(entry[name]) for name in ("loss", "eval_loss") for entry in history if name in entry])
            self.assertEqual(trainer.predict(rows[:24]).predictions.shape, (24, 3))
        self.assertEqual(len(found[0]), 12)
        self.near(*found, 1e-4)


if __name__ == "__main__":
    unittest.main()
