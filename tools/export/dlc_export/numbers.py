# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers that module and file both know: while they are compared, what draws gets the same number always.

A uniform number is UNIFORM, so that an element is kept by any usual dropout (and divided by the share that is kept); a
normal one is NORMAL."""
import torch
from torch.utils._python_dispatch import TorchDispatchMode

UNIFORM = 2.0**-10
NORMAL = 0.5


def bernoulli_in_place(x, p=0.5, **_):
    return x.copy_((UNIFORM < torch.as_tensor(p)).expand(x.shape))


def bernoulli(x, p=None, **_):
    return (UNIFORM < (x if p is None else torch.full_like(x, p))).to(x.dtype)


def dropout(x, p, train, **_):
    if not train:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    kept = torch.full_like(x, UNIFORM < 1 - p, dtype=torch.bool)
    return x * kept / (1 - p), kept


def uniform_in_place(x, low=0.0, high=1.0, **_):
    return x.fill_(low + UNIFORM * (high - low))


def normal_in_place(x, mean=0.0, std=1.0, **_):
    return x.fill_(mean + NORMAL * std)


def normal(mean, std=1.0, **_):
    return mean + NORMAL * std if isinstance(mean, torch.Tensor) or isinstance(std, torch.Tensor) else None


RULES = {"bernoulli_": bernoulli_in_place, "bernoulli": bernoulli, "native_dropout": dropout,
            "uniform_": uniform_in_place, "normal_": normal_in_place, "normal": normal}
FILLED = {"rand": UNIFORM, "rand_like": UNIFORM, "randn": NORMAL, "randn_like": NORMAL}


class KnownNumbers(TorchDispatchMode):
    """Counts what is drawn, and notes functions whose numbers a file cannot be given."""

    def __init__(self):
        super().__init__()
        self.count, self.unknown = 0, set()

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        options = options or {}
        name = function.overloadpacket.__name__
        if torch.Tag.nondeterministic_seeded not in function.tags or "scaled_dot_product" in name:
            return function(*arguments, **options)
        self.count += 1
        rule = RULES.get(name)
        result = rule(*arguments, **{k: v for k, v in options.items() if k != "generator"}) if rule else None
        if result is not None:
            return result
        result = function(*arguments, **options)
        if name in FILLED:
            return result.fill_(FILLED[name])
        self.unknown.add(name)
        return result
