# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers with the names, arguments and defaults of torch.optim; lamb and lion with those of their papers.

    dlc.AdamW(lr=1e-3, groups=[{"params": ["*.bias", "*norm*"], "weight_decay": 0}])

A group has numbers of its own for the parameters whose names fit its globs: `lr`, or whatever the optimizer has. None
stands for the default. What the numbers may be, the compiler says.
"""
from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from ._names import proposal

Number = Optional[float]
Groups = Sequence[Mapping[str, Any]]

# Python's arguments, and what the compiler calls them.
HYPERPARAMETERS = {"weight_decay": "weight-decay", "eps": "epsilon", "lr_decay": "lr-decay", "momentum_decay": "momentum-decay",
                   "d": "clip_threshold"}
# Arguments that are pairs, and what the compiler calls the two. Where the first is None, the default is used.
PAIRS = {"betas": ("beta1", "beta2"), "etas": ("eta_minus", "eta_plus"), "step_sizes": ("step_size_min", "step_size_max"),
         "eps": ("epsilon", "epsilon2")}


def number_text(value: Any, what: str) -> str:
    """A number as exactly as it was given."""
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{what}: expected a number, got {value!r}") from None


class Optimizer:
    """What all have in common: which options of the compiler they are. An object is read when a step is compiled, so that
    setting an attribute later would have no effect: it is an error."""

    name = ""
    lr: Number
    groups: List[Dict[str, Any]]
    settings: Dict[str, Any]

    def __init__(self, lr: Number = None, groups: Groups = (), **settings: Any):
        vars(self).update(lr=lr, groups=[dict(group) for group in groups],
                          settings={key: value for key, value in settings.items() if value is not None})

    def _arguments(self) -> List[str]:
        return [name for name in inspect.signature(type(self)).parameters if name != "settings"]

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        kind = f"dlc.{type(self).__name__}"
        if name not in self._arguments():
            raise AttributeError(f"{kind} has no '{name}'{proposal(name, self._arguments())}")
        raise AttributeError(f"{kind}: '{name}' is read when a step is compiled, and cannot be set afterwards: give "
                             f"{kind}({name}={value!r}); a step's own rate is set as step.lr, its other numbers as "
                             "step.hyperparameters[...]")

    def __getattr__(self, name: str) -> Any:
        """An argument: None where the default is used."""
        if not name.startswith("_") and name in self._arguments():
            return vars(self).get("settings", {}).get(name)
        raise AttributeError(f"dlc.{type(self).__name__} has no '{name}'")

    def options(self) -> List[str]:
        result = [f"--optimizer={self.name}"]
        if self.lr is not None:
            result.append(f"--lr={number_text(self.lr, 'lr')}")
        for key, value in self.settings.items():
            if isinstance(value, bool):
                result += [f"--{key}"] if value else []
            elif key == "eps" and isinstance(value, (tuple, list)):
                result += [f"--{flag}={number_text(each, key)}" for flag, each in zip(("eps", "eps2"), value) if each is not None]
            elif key in PAIRS and key != "eps":
                result.append(f"--{key.replace('_', '-')}=" + ",".join(number_text(each, key) for each in value))
            elif key == "d":
                result.append(f"--clip-threshold={number_text(value, key)}")
            else:
                result.append(f"--{key.replace('_', '-')}={number_text(value, key)}")
        return result + [self._group(group) for group in self.groups]

    def _group(self, group: Dict[str, Any]) -> str:
        rest = dict(group)
        globs = rest.pop("params", None)
        if isinstance(globs, str):
            globs = [globs]
        if not globs or not all(isinstance(glob, str) for glob in globs):
            raise TypeError(f"a group of parameters: expected 'params' with names or globs of them, got {group!r}")
        numbers = []
        if "lr" in rest:
            rate = rest.pop("lr")
            if not self.lr:
                raise ValueError("a group with its own lr needs lr=... of the optimizer, of which it becomes a factor")
            numbers.append(f"lr-scale={number_text(float(rate) / float(self.lr), 'lr')}")
        for key, names in PAIRS.items():
            if isinstance(rest.get(key), (tuple, list)):
                rest.update((name, value) for name, value in zip(names, rest.pop(key)) if value is not None)
        numbers += [f"{HYPERPARAMETERS.get(key, key)}={number_text(value, key)}" for key, value in rest.items()]
        if not numbers:
            raise ValueError(f"a group of parameters without a number of its own has no effect: {group!r}")
        return f"--group={'|'.join(globs)}:{','.join(numbers)}"

    def __repr__(self) -> str:
        given = {"lr": self.lr, **self.settings, "groups": self.groups or None}
        return f"dlc.{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items() if v is not None)})"


Betas = Optional[Tuple[float, float]]


class SGD(Optimizer):
    name = "sgd"

    def __init__(self, lr: Number = None, momentum: Number = None, dampening: Number = None, weight_decay: Number = None,
                 nesterov: bool = False, *, groups: Groups = ()):
        super().__init__(lr, groups, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov)


class Adam(Optimizer):
    name = "adam"

    def __init__(self, lr: Number = None, betas: Betas = None, eps: Number = None, weight_decay: Number = None,
                 amsgrad: bool = False, *, groups: Groups = ()):
        super().__init__(lr, groups, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad)


class AdamW(Adam):
    name = "adamw"


class NAdam(Optimizer):
    name = "nadam"

    def __init__(self, lr: Number = None, betas: Betas = None, eps: Number = None, weight_decay: Number = None,
                 momentum_decay: Number = None, *, groups: Groups = ()):
        super().__init__(lr, groups, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)


class RAdam(Optimizer):
    name = "radam"

    def __init__(self, lr: Number = None, betas: Betas = None, eps: Number = None, weight_decay: Number = None, *,
                 groups: Groups = ()):
        super().__init__(lr, groups, betas=betas, eps=eps, weight_decay=weight_decay)


class Adamax(RAdam):
    name = "adamax"


class LAMB(RAdam):
    name = "lamb"


class Lion(Optimizer):
    name = "lion"

    def __init__(self, lr: Number = None, betas: Betas = None, weight_decay: Number = None, *, groups: Groups = ()):
        super().__init__(lr, groups, betas=betas, weight_decay=weight_decay)


class Muon(Optimizer):
    """For matrices; other parameters are updated as by AdamW with betas and eps."""

    name = "muon"

    def __init__(self, lr: Number = None, weight_decay: Number = None, momentum: Number = None, betas: Betas = None,
                 eps: Number = None, *, groups: Groups = ()):
        super().__init__(lr, groups, weight_decay=weight_decay, momentum=momentum, betas=betas, eps=eps)


class RMSprop(Optimizer):
    name = "rmsprop"

    def __init__(self, lr: Number = None, alpha: Number = None, eps: Number = None, weight_decay: Number = None,
                 momentum: Number = None, centered: bool = False, *, groups: Groups = ()):
        super().__init__(lr, groups, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered)


class Adagrad(Optimizer):
    name = "adagrad"

    def __init__(self, lr: Number = None, lr_decay: Number = None, weight_decay: Number = None, eps: Number = None, *,
                 groups: Groups = ()):
        super().__init__(lr, groups, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps)


class Adadelta(Optimizer):
    name = "adadelta"

    def __init__(self, lr: Number = None, rho: Number = None, eps: Number = None, weight_decay: Number = None, *,
                 groups: Groups = ()):
        super().__init__(lr, groups, rho=rho, eps=eps, weight_decay=weight_decay)


class Rprop(Optimizer):
    """Steps by the signs of gradients; for all the data in one batch."""

    name = "rprop"

    def __init__(self, lr: Number = None, etas: Betas = None, step_sizes: Betas = None, *, groups: Groups = ()):
        super().__init__(lr, groups, etas=etas, step_sizes=step_sizes)


class ASGD(Optimizer):
    name = "asgd"

    def __init__(self, lr: Number = None, lambd: Number = None, alpha: Number = None, t0: Number = None,
                 weight_decay: Number = None, *, groups: Groups = ()):
        super().__init__(lr, groups, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay)


class Adafactor(Optimizer):
    name = "adafactor"

    def __init__(self, lr: Number = None, beta2_decay: Number = None, eps: Union[Number, Tuple[Number, float]] = None,
                 d: Number = None, weight_decay: Number = None, *, groups: Groups = ()):
        super().__init__(lr, groups, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay)


class SparseAdam(Optimizer):
    """For tables that rows are looked up in, such as those of embeddings; other parameters are updated as by Adam."""

    name = "sparseadam"

    def __init__(self, lr: Number = None, betas: Betas = None, eps: Number = None, *, groups: Groups = ()):
        super().__init__(lr, groups, betas=betas, eps=eps)


def options_of(optimizer: Union[None, str, Optimizer]) -> List[str]:
    """Of an optimizer, of its name, or of a class without arguments."""
    if optimizer is None:
        return []
    if isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        optimizer = optimizer()
    if isinstance(optimizer, Optimizer):
        return optimizer.options()
    if isinstance(optimizer, str):
        return [f"--optimizer={optimizer.lower()}"]
    raise TypeError(f"optimizer: expected one of dlc's, such as dlc.AdamW(lr=1e-3), its name, or an object of torch.optim; got "
                    f"{type(optimizer).__name__}")
