#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes optimizers.json and losses.json: PyTorch's optimizers and losses in float64. Lamb and Lion, which PyTorch does
not have, are written here after their papers. Muon is PyTorch's, without its rounding to bfloat16. SparseAdam is PyTorch's
for tables, whose gradients are given densely.

Inputs (parameters, gradients, scores, targets) are float32 values, so code compiled for float32 can
take them as they are. Needs torch; the results are stored, so the tests need nothing.

optimizers.json: a list of {optimizer, hyperparameters, shape, parameter, gradients, updated}: `updated[k]` is
the parameter after the update with `gradients[k]`. Hyperparameters have PyTorch's names.
losses.json: a list of {loss, options, shape, input, target | labels, value, gradient}: `gradient` is
that of `value` with respect to `input`; `options` has the names of `dlc compile`'s flags.
"""
import json
from pathlib import Path

import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent


class Lamb(torch.optim.Optimizer):
    """You et al. 2020, algorithm 2, with the identity for phi."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=1e-2, foreach=False):
        super().__init__(parameters, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self.m, self.v, self.t = 0, 0, 0

    @torch.no_grad()
    def step(self):
        o, x = self.param_groups[0], self.param_groups[0]["params"][0]
        (beta1, beta2), self.t = o["betas"], self.t + 1
        self.m = beta1 * self.m + (1 - beta1) * x.grad
        self.v = beta2 * self.v + (1 - beta2) * x.grad ** 2
        m, v = self.m / (1 - beta1 ** self.t), self.v / (1 - beta2 ** self.t)
        change = m / (v.sqrt() + o["eps"]) + o["weight_decay"] * x
        trust = x.norm() / change.norm() if x.norm() > 0 and change.norm() > 0 else 1.0
        x -= o["lr"] * trust * change


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023, algorithm 2."""

    def __init__(self, parameters, lr=1e-4, betas=(0.9, 0.99), weight_decay=0, foreach=False):
        super().__init__(parameters, dict(lr=lr, betas=betas, weight_decay=weight_decay))
        self.m = 0

    @torch.no_grad()
    def step(self):
        o, x = self.param_groups[0], self.param_groups[0]["params"][0]
        beta1, beta2 = o["betas"]
        c = beta1 * self.m + (1 - beta1) * x.grad
        x -= o["lr"] * (c.sign() + o["weight_decay"] * x)
        self.m = beta2 * self.m + (1 - beta2) * x.grad


def muon(parameters, lr=1e-3, momentum=0.95, weight_decay=0.1, betas=(0.9, 0.999), eps=1e-8, foreach=False):
    """torch.optim's Muon for a matrix and its AdamW for anything else, as one optimizer."""
    torch.Tensor.bfloat16 = lambda tensor: tensor
    if parameters[0].ndim == 2:
        made = torch.optim.Muon(parameters, lr=lr, momentum=momentum, weight_decay=weight_decay)
    else:
        made = torch.optim.AdamW(parameters, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=False)
    made.defaults |= dict(momentum=momentum, betas=betas, eps=eps)
    made.defaults.pop("nesterov", None)  # always
    return made


class SparseAdam:
    """torch.optim.SparseAdam for a table: rows of a gradient that are all zero were not looked up. Of what is no table it
    says nothing; here that is Adam."""

    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=False):
        self.parameter = parameters[0]
        self.is_table = self.parameter.ndim > 1
        self.inner = (torch.optim.SparseAdam(parameters, lr=lr, betas=betas, eps=eps) if self.is_table else
                      torch.optim.Adam(parameters, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach))
        self.defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def step(self):
        dense = self.parameter.grad
        if self.is_table:
            rows = dense.flatten(1).abs().amax(1).nonzero()[:, 0]
            self.parameter.grad = torch.sparse_coo_tensor(rows[None], dense[rows], dense.shape)
        self.inner.step()


OPTIMIZERS = dict(rprop=torch.optim.Rprop, asgd=torch.optim.ASGD, adafactor=torch.optim.Adafactor, sparseadam=SparseAdam,
                  sgd=torch.optim.SGD, adam=torch.optim.Adam, adamw=torch.optim.AdamW,
                  rmsprop=torch.optim.RMSprop, adagrad=torch.optim.Adagrad, adadelta=torch.optim.Adadelta,
                  adamax=torch.optim.Adamax, nadam=torch.optim.NAdam, radam=torch.optim.RAdam, lamb=Lamb, lion=Lion,
                  muon=muon)
UPDATES = [
    ("sgd", dict(lr=0.1)),
    ("sgd", dict(lr=0.1, weight_decay=0.01)),
    ("sgd", dict(lr=0.05, momentum=0.9)),
    ("sgd", dict(lr=0.05, momentum=0.9, dampening=0.3)),
    ("sgd", dict(lr=0.05, momentum=0.9, nesterov=True)),
    ("sgd", dict(lr=0.05, momentum=0.8, weight_decay=0.02)),
    ("sgd", dict(lr=0.05, momentum=0.8, dampening=0.5, weight_decay=0.02)),
    ("sgd", dict(lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.02)),
    ("adam", dict(lr=1e-3)),
    ("adam", dict(lr=1e-2, betas=(0.8, 0.95), eps=1e-6)),
    ("adam", dict(lr=1e-2, weight_decay=0.1)),
    ("adam", dict(lr=1e-2, betas=(0.0, 0.0))),
    ("adamw", dict(lr=1e-3)),
    ("adamw", dict(lr=1e-2, weight_decay=0.0)),
    ("adamw", dict(lr=1e-2, betas=(0.85, 0.9), eps=1e-4, weight_decay=0.2)),
    ("adamw", dict(lr=1e-2, betas=(0.3, 0.1), weight_decay=0.1)),
    ("rmsprop", dict(lr=1e-2)),
    ("rmsprop", dict(lr=1e-2, alpha=0.9, eps=1e-4)),
    ("rmsprop", dict(lr=1e-2, momentum=0.9)),
    ("rmsprop", dict(lr=1e-2, centered=True)),
    ("rmsprop", dict(lr=1e-2, alpha=0.95, momentum=0.5, centered=True, weight_decay=0.05)),
    ("adagrad", dict(lr=1e-2)),
    ("adagrad", dict(lr=1e-2, lr_decay=0.1)),
    ("adagrad", dict(lr=1e-2, weight_decay=0.05, initial_accumulator_value=0.1, eps=1e-6)),
    ("adam", dict(lr=1e-2, amsgrad=True)),
    ("adam", dict(lr=1e-2, betas=(0.8, 0.5), weight_decay=0.1, amsgrad=True)),
    ("adamw", dict(lr=1e-2, betas=(0.85, 0.3), weight_decay=0.2, amsgrad=True)),
    ("adadelta", dict()),
    ("adadelta", dict(lr=0.5, rho=0.7, eps=1e-4)),
    ("adadelta", dict(lr=0.1, rho=0.0, eps=1e-3, weight_decay=0.1)),
    ("adamax", dict()),
    ("adamax", dict(lr=1e-2, betas=(0.8, 0.6), eps=1e-4)),
    ("adamax", dict(lr=1e-2, betas=(0.0, 0.9), weight_decay=0.1)),
    ("nadam", dict()),
    ("nadam", dict(lr=1e-2, betas=(0.8, 0.95), eps=1e-6, momentum_decay=0.5)),
    ("nadam", dict(lr=1e-2, weight_decay=0.1, momentum_decay=0.0)),
    ("radam", dict(lr=1e-2)),
    ("radam", dict(lr=1e-2, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    ("radam", dict(lr=1e-2, betas=(0.9, 0.5))),
    ("lamb", dict(lr=1e-2)),
    ("lamb", dict(lr=1e-2, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.0)),
    ("lamb", dict(lr=1e-1, weight_decay=0.3)),
    ("lion", dict()),
    ("lion", dict(lr=1e-2, betas=(0.8, 0.95))),
    ("lion", dict(lr=1e-2, betas=(0.95, 0.98), weight_decay=0.3)),
    ("muon", dict(lr=1e-2)),
]
# Other shapes. Names in the fourth place are of special values: all gradients, or the parameter, are zero.
SHAPED = [
    ("muon", dict(lr=1e-2), (5, 3), ""), ("muon", dict(lr=1e-2, momentum=0.5), (3, 5), ""),
    ("muon", dict(lr=2e-2, weight_decay=0.0), (8, 8), ""), ("muon", dict(lr=1e-2), (1, 1), ""),
    ("muon", dict(lr=1e-2), (1, 4), ""), ("muon", dict(lr=1e-2, momentum=0.0), (9, 1), ""),
    ("muon", dict(lr=1e-2, weight_decay=0.3), (4, 6), "gradients"), ("muon", dict(lr=1e-2), (2, 3, 2), ""),
    ("lamb", dict(lr=1e-2), (3, 5), "parameter"), ("lamb", dict(lr=1e-2, weight_decay=0.0), (4,), "gradients"),
    *((name, dict(), (1,), "") for name in ("adadelta", "adamax", "nadam", "radam", "lamb", "lion", "adagrad")),
    *((name, dict(weight_decay=0.1), (2, 9), "gradients") for name in ("adadelta", "adamax", "nadam", "radam", "lion")),
]
ADDED = [  # after all others, which keep their numbers; zero rows of a gradient: not looked up
    ("rprop", dict(), (7,), ""), ("rprop", dict(lr=0.3, etas=(0.25, 1.75), step_sizes=(1e-3, 0.5)), (7,), ""),
    ("rprop", dict(lr=0.1), (3, 4), "gradients"), ("rprop", dict(lr=0.2, step_sizes=(0.3, 0.31)), (3, 5), ""),
    ("asgd", dict(), (7,), ""), ("asgd", dict(lr=0.1, lambd=0.3, alpha=0.5, t0=2.0, weight_decay=0.1), (7,), ""),
    ("asgd", dict(lr=0.1, lambd=0.1, t0=0.0), (3, 5), ""), ("asgd", dict(weight_decay=0.1), (2, 9), "gradients"),
    ("adafactor", dict(eps=(1e-7, 1e-3)), (7,), ""), ("adafactor", dict(eps=(1e-7, 1e-3)), (5, 3), ""),
    ("adafactor", dict(lr=2.0, beta2_decay=-0.5, eps=(1e-4, 0.5), d=1.5, weight_decay=0.1), (4, 6), ""),
    ("adafactor", dict(lr=1e-2, eps=(1e-7, 1e-3)), (3, 2, 4, 5), ""),
    ("adafactor", dict(lr=0.1, eps=(1e-3, 1e-3), weight_decay=0.1), (2, 9), "gradients"),
    ("adafactor", dict(lr=0.1, eps=(1e-7, 1e-2)), (3, 5), "parameter"), ("adafactor", dict(eps=(1e-7, 1e-3)), (6, 1), ""),
    ("sparseadam", dict(), (7,), ""), ("sparseadam", dict(lr=1e-2), (6, 3), "rows"),
    ("sparseadam", dict(lr=1e-2, betas=(0.8, 0.95), eps=1e-3), (5, 1), "rows"),
    ("sparseadam", dict(lr=1e-2, betas=(0.0, 0.5)), (4, 2, 3), "rows"),
    ("sparseadam", dict(lr=1e-2, weight_decay=0.1), (7,), "gradients"),
]
LONG = [  # enough updates that RAdam's moment is long enough, and that NAdam's product is a product
    ("radam", dict(lr=1e-2), (3, 3), ""), ("nadam", dict(lr=1e-2, momentum_decay=0.1), (3, 3), ""),
    ("adamax", dict(lr=1e-2), (3, 3), ""), ("adadelta", dict(), (3, 3), ""),
]
LONG_ADDED = [
    ("rprop", dict(lr=0.1, step_sizes=(1e-2, 0.3)), (3, 3), ""), ("asgd", dict(lr=0.1, lambd=0.2, t0=4.0), (3, 3), ""),
    ("adafactor", dict(lr=0.1, eps=(1e-7, 1e-3)), (4, 3), ""), ("sparseadam", dict(lr=1e-2), (8, 2), "rows"),
]


def f32(values):
    """The nearest float32 values, as float64."""
    return torch.tensor(values, dtype=torch.float32).double()


def optimizer_cases():
    generator = torch.Generator().manual_seed(1)
    torch.set_default_dtype(torch.float64)         # of scalars that optimizers keep
    cases = [(*case, 3) for case in [(*update, (7,), "") for update in UPDATES] + SHAPED]
    cases += [(*case, 9) for case in LONG] + [(*case, 3) for case in ADDED] + [(*case, 9) for case in LONG_ADDED]
    for name, hyperparameters, shape, zero, steps in cases:
        draw = lambda: f32(torch.randn(shape, generator=generator, dtype=torch.float32).tolist())
        start, gradients = draw(), [draw() for _ in range(steps)]
        if shape == (7,):
            gradients[0][2] = 0.0                  # nothing to learn yet
            gradients[1][3] = f32([1e-6])[0]       # beside eps
            gradients[2][4] = f32([1e3])[0]        # much larger than before
        if zero == "rows":
            for step, tensor in enumerate(gradients):
                tensor[torch.arange(shape[0]) % 3 == step % 3] = 0.0
                if step % 2:
                    tensor[0] = 0.0
        elif zero:
            for tensor in gradients if zero == "gradients" else [start]:
                tensor.zero_()
        parameter = start.clone().requires_grad_()
        optimizer = OPTIMIZERS[name]([parameter], foreach=False, **hyperparameters)
        updated = []
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
            updated.append(parameter.flatten().tolist())
        # Every hyperparameter is written, those with PyTorch's defaults too.
        known = ("lr", "momentum", "dampening", "nesterov", "weight_decay", "betas", "eps", "alpha",
                 "centered", "lr_decay", "initial_accumulator_value", "amsgrad", "rho", "momentum_decay",
                 "etas", "step_sizes", "lambd", "t0", "beta2_decay", "d")
        yield dict(optimizer=name,
                   hyperparameters={k: optimizer.defaults[k] for k in known if k in optimizer.defaults},
                   **({} if shape == (7,) else dict(shape=list(shape))), parameter=start.flatten().tolist(),
                   gradients=[g.flatten().tolist() for g in gradients], updated=updated)
    torch.set_default_dtype(torch.float32)


def case(loss, options, inputs, function, **target):
    inputs = inputs.clone().requires_grad_()
    value = function(inputs)
    value.backward()
    lists = {k: v.tolist() for k, v in target.items()}
    return dict(loss=loss, options=options, shape=list(inputs.shape), input=inputs.flatten().tolist(),
                value=value.item(), gradient=inputs.grad.flatten().tolist(), **lists)


def class_cases():
    """Scores [6, 5] and labels; the extreme case overflows exp unless the maximum is subtracted."""
    generator = torch.Generator().manual_seed(2)
    scores = f32((2 * torch.randn(6, 5, generator=generator)).tolist())
    labels = torch.tensor([3, 0, 4, 4, 1, 2])
    weights = f32([0.5, 2.0, 1.0, 0.25, 3.0])
    some = torch.tensor([3, -100, 4, -100, 1, 2])  # -100 is PyTorch's ignore_index
    for reduction in ("mean", "sum"):
        variants = [({}, labels), ({"ignore-index": -100}, some), ({"ignore-index": 4}, labels),
                    ({"label-smoothing": 0.1}, labels), ({"class-weights": weights.tolist()}, labels),
                    ({"label-smoothing": 0.2, "ignore-index": -100}, some),
                    ({"class-weights": weights.tolist(), "ignore-index": -100}, some),
                    ({"class-weights": weights.tolist(), "ignore-index": -100, "label-smoothing": 0.15},
                     some)]
        for extra, y in variants:
            keywords = dict(reduction=reduction, ignore_index=extra.get("ignore-index", -100),
                            weight=weights if "class-weights" in extra else None)
            options = {"reduction": reduction, **extra}
            yield case("softmax-cross-entropy", options, scores,
                       lambda x: F.cross_entropy(x, y, label_smoothing=extra.get("label-smoothing", 0.0),
                                                 **keywords), labels=y)
            if "label-smoothing" not in extra:
                yield case("nll", options, F.log_softmax(scores, 1).float().double(),
                           lambda x: F.nll_loss(x, y, **keywords), labels=y)
    extreme = f32([[1e4, -1e4, 0.0], [88.0, 89.0, 90.0], [-200.0, -200.0, -200.0]])
    y = torch.tensor([0, 0, 2])
    yield case("softmax-cross-entropy", {"reduction": "mean"}, extreme, lambda x: F.cross_entropy(x, y),
               labels=y)


def elementwise_cases():
    """Inputs and targets of one shape, [4, 3]; differences on both sides of huber's delta, and zero."""
    generator = torch.Generator().manual_seed(3)
    x = f32((1.5 * torch.randn(4, 3, generator=generator)).tolist())
    y = f32((1.5 * torch.randn(4, 3, generator=generator)).tolist())
    y[2, 1] = x[2, 1]
    p = f32(torch.rand(4, 3, generator=generator).tolist())
    t = f32(torch.rand(4, 3, generator=generator).tolist())
    t[0] = f32([0.0, 1.0, 1.0])
    large = f32([[50.0, -50.0, 0.0], [1e4, -1e4, 200.0], [-200.0, 1e-3, -1e-3], [89.0, -89.0, 3.0]])
    hard = f32([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]])
    for reduction in ("mean", "sum"):
        options = {"reduction": reduction}
        yield case("mse", options, x, lambda v: F.mse_loss(v, y, reduction=reduction), target=y.flatten())
        yield case("l1", options, x, lambda v: F.l1_loss(v, y, reduction=reduction), target=y.flatten())
        for delta in (1.0, 0.5):
            yield case("huber", {**options, "huber-delta": delta}, x,
                       lambda v: F.huber_loss(v, y, reduction=reduction, delta=delta), target=y.flatten())
        yield case("bce", options, p, lambda v: F.binary_cross_entropy(v, t, reduction=reduction),
                   target=t.flatten())
        yield case("bce-with-logits", options, x,
                   lambda v: F.binary_cross_entropy_with_logits(v, t, reduction=reduction),
                   target=t.flatten())
        yield case("bce-with-logits", options, large,
                   lambda v: F.binary_cross_entropy_with_logits(v, hard, reduction=reduction),
                   target=hard.flatten())
    # Saturated probabilities: the logarithms stop at -100, and p (1 - p) at 1e-12 in the gradient.
    p, t = f32([[0.0, 1.0, 0.0, 1.0]]), f32([[0.0, 1.0, 1.0, 0.0]])
    yield case("bce", {"reduction": "mean"}, p, lambda v: F.binary_cross_entropy(v, t), target=t.flatten())


def write(name, cases):
    cases = list(cases)
    lines = ",\n".join(json.dumps(c) for c in cases)  # one case a line: readable, and small diffs
    (HERE / name).write_text(f"[\n{lines}\n]\n")
    print(f"{name}: {len(cases)} cases, torch {torch.__version__}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    write("optimizers.json", optimizer_cases())
    write("losses.json", [*class_cases(), *elementwise_cases()])
