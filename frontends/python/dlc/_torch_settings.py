# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's losses and optimizers as options of the compiler. They are read, and neither changed nor called."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from . import optim

# Of a loss of torch.nn: our name, and which of its attributes become which options.
LOSSES = {
    "CrossEntropyLoss": ("softmax-cross-entropy", {"ignore_index": "ignore-index", "label_smoothing": "label-smoothing"}),
    "NLLLoss": ("nll", {"ignore_index": "ignore-index"}),
    "MSELoss": ("mse", {}),
    "L1Loss": ("l1", {}),
    "HuberLoss": ("huber", {"delta": "delta"}),
    "SmoothL1Loss": ("huber", {}),
    "BCELoss": ("bce", {}),
    "BCEWithLogitsLoss": ("bce-with-logits", {}),
    "CTCLoss": ("ctc", {"blank": "blank"}),
}
DEFAULTS = {"ignore_index": -100, "label_smoothing": 0.0, "delta": 1.0, "blank": 0}

# Of an optimizer of torch.optim: ours, and which of its numbers are which arguments.
ADAM = ("betas", "eps", "weight_decay")
OPTIMIZERS = {
    "SGD": (optim.SGD, ("momentum", "dampening", "weight_decay", "nesterov")),
    "Adam": (optim.Adam, (*ADAM, "amsgrad")),
    "AdamW": (optim.AdamW, (*ADAM, "amsgrad")),
    "NAdam": (optim.NAdam, (*ADAM, "momentum_decay")),
    "RAdam": (optim.RAdam, ADAM),
    "Adamax": (optim.Adamax, ADAM),
    "RMSprop": (optim.RMSprop, ("alpha", "eps", "weight_decay", "momentum", "centered")),
    "Adagrad": (optim.Adagrad, ("lr_decay", "weight_decay", "eps")),
    "Adadelta": (optim.Adadelta, ("rho", "eps", "weight_decay")),
    "Rprop": (optim.Rprop, ("etas", "step_sizes")),
    "ASGD": (optim.ASGD, ("lambd", "alpha", "t0", "weight_decay")),
    "Adafactor": (optim.Adafactor, ("beta2_decay", "eps", "d", "weight_decay")),
    "SparseAdam": (optim.SparseAdam, ("betas", "eps")),
}
# What says how PyTorch computes, and not what.
IMPLEMENTATION = {"params", "foreach", "fused", "capturable", "differentiable", "initial_lr", "lr", "max_lr", "min_lr",
                  "base_momentum", "max_momentum", "param_names", "swa_lr", "name"}
# What we do not have, and the value that means that it is not used.
UNUSED = {"maximize": False, "initial_accumulator_value": 0}


def loss_options(loss: Any, folder: Path) -> Tuple[str, List[str]]:
    """(name, options) of an object of torch.nn or a function of torch.nn.functional."""
    kind = type(loss).__name__
    if kind not in LOSSES:
        name = getattr(loss, "__name__", "")
        if callable(loss) and str(getattr(loss, "__module__", "")).startswith("torch.nn.functional"):
            return name, []
        if name in LOSSES:
            raise TypeError(f"loss: expected an object, got the class {name}; write {name}()")
        raise TypeError(f"loss: expected a name or a loss of torch.nn ({', '.join(LOSSES)}), got {name or kind}; a loss of your own "
                        "becomes part of the module: let forward return it, and give loss='output'")
    name, attributes = LOSSES[kind]
    if loss.reduction not in ("mean", "sum"):
        raise ValueError(f"loss: {kind}(reduction='{loss.reduction}') is no number that can be minimised; expected 'mean' or 'sum'")
    options = [f"--reduction={loss.reduction}"] if loss.reduction != "mean" else []
    for attribute, flag in attributes.items():
        value = getattr(loss, attribute)
        if value != DEFAULTS[attribute]:
            options.append(f"--{flag}={value!r}")
    if kind == "SmoothL1Loss" and loss.beta != 1:
        raise ValueError(f"loss: SmoothL1Loss(beta={loss.beta}) is HuberLoss(delta={loss.beta}) divided by {loss.beta}, which dlc "
                         "does not have; give HuberLoss, and a learning rate that makes up for the factor")
    if getattr(loss, "zero_infinity", False):
        options.append("--zero-infinity")
    if getattr(loss, "pos_weight", None) is not None:
        raise ValueError("loss: BCEWithLogitsLoss(pos_weight=...) is a loss that dlc does not have; let forward compute it, and "
                         "give loss='output'")
    weight = getattr(loss, "weight", None)
    if weight is not None:
        if name not in ("softmax-cross-entropy", "nll"):
            raise ValueError(f"loss: {kind}(weight=...) is a loss that dlc does not have; let forward compute it, and give "
                             "loss='output'")
        path = folder / "class_weights.txt"
        path.write_text("".join(f"{float(value)!r}\n" for value in weight))
        options.append(f"--class-weights={path}")
    return name, options


def is_optimizer(value: Any) -> bool:
    return any(kind.__name__ == "Optimizer" and kind.__module__.startswith("torch.optim") for kind in type(value).__mro__)


def kind_of(optimizer: Any) -> str:
    """The class of torch.optim; one that inherits from it may do anything."""
    kind = type(optimizer)
    if kind.__name__ in OPTIMIZERS and kind.__module__.startswith("torch.optim"):
        return kind.__name__
    raise TypeError(f"optimizer: dlc has no update as {kind.__module__}.{kind.__name__} computes it; it has those of "
                    f"{', '.join(f'torch.optim.{name}' for name in OPTIMIZERS)}, and dlc.LAMB, dlc.Lion and dlc.Muon")


def names_in(optimizer: Any, module: Any) -> List[List[str]]:
    """The names of the parameters of each group."""
    names = {id(parameter): name for name, parameter in module.named_parameters()}
    result = []
    for number, group in enumerate(optimizer.param_groups):
        for parameter in group["params"]:
            if id(parameter) not in names:
                raise ValueError(f"optimizer: parameter group {number} has a tensor of the shape {tuple(parameter.shape)} that is "
                                 "no parameter of the module; make the optimizer of this module's parameters()")
        result.append([names[id(parameter)] for parameter in group["params"]])
    return result


def setting_of(group: Dict[str, Any], key: str) -> Any:
    value = group[key]
    if isinstance(value, (tuple, list)):  # Adafactor's first epsilon may be None
        return tuple(each if each is None else float(each) for each in value)
    return value if isinstance(value, bool) else float(value)


def base_group(optimizer: Any) -> int:
    """The group whose rate is `lr`; those of others are factors of it."""
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    return rates.index(max(rates))


def optimizer_options(optimizer: Any, module: Any) -> Tuple[optim.Optimizer, List[str]]:
    """(ours, options): groups of parameters with what they have of their own, and what no group has is not trained."""
    kind = kind_of(optimizer)
    ours, keys = OPTIMIZERS[kind]
    for number, group in enumerate(optimizer.param_groups):
        for key, value in group.items():
            if key in UNUSED and value != UNUSED[key]:
                raise ValueError(f"optimizer: {kind}({key}={value!r}) is something that dlc does not have")
            if key == "decoupled_weight_decay" and value and kind not in ("Adam", "AdamW"):
                raise ValueError(f"optimizer: {kind}(decoupled_weight_decay=True) is something that dlc does not have")
            if key not in IMPLEMENTATION and key not in UNUSED and key not in keys and key != "decoupled_weight_decay":
                raise ValueError(f"optimizer: {kind} has the setting '{key}' in group {number}, which dlc does not know")
    base = optimizer.param_groups[base_group(optimizer)]
    if kind == "Adam" and base.get("decoupled_weight_decay"):
        ours = optim.AdamW
    settings = {key: setting_of(base, key) for key in keys}
    if kind == "SGD" and not settings["momentum"]:
        del settings["dampening"]  # which is of the momentum
    groups, members = [], names_in(optimizer, module)
    for group, names in zip(optimizer.param_groups, members):
        if group is base or not names:
            continue
        own = {key: setting_of(group, key) for key in settings if setting_of(group, key) != settings[key]}
        flags = [key for key, value in own.items() if isinstance(value, bool)]
        if flags or group.get("decoupled_weight_decay") != base.get("decoupled_weight_decay"):
            raise ValueError(f"optimizer: groups of one step cannot differ in {', '.join(flags) or 'decoupled_weight_decay'}")
        if float(group["lr"]) != float(base["lr"]):
            own["lr"] = float(group["lr"])
        if own:
            groups.append({"params": names, **own})
    trained = {name for names in members for name in names}
    frozen = [f"--freeze={name}" for name, parameter in module.named_parameters()
              if name not in trained and parameter.requires_grad]
    return ours(lr=float(base["lr"]), groups=groups, **settings), frozen


def numbers_of(group: Dict[str, Any], keys: Sequence[str]) -> Dict[str, float]:
    """The settings of a group that a schedule may change, by the step's names."""
    result = {"learning_rate": float(group["lr"])}
    for key in keys:
        value = setting_of(group, key)
        if isinstance(value, tuple):
            result.update((name, each) for name, each in zip(optim.PAIRS[key], value) if each is not None)
        elif not isinstance(value, bool):
            result[optim.HYPERPARAMETERS.get(key, key).replace("-", "_")] = value
    return result


class Follow:
    """A hook: before each update, the step takes the rates and other numbers that the optimizer of PyTorch has now, so that
    a torch.optim.lr_scheduler drives it."""

    def __init__(self, optimizer: Any, module: Any):
        self.optimizer, self.base = optimizer, base_group(optimizer)
        self.keys = OPTIMIZERS[kind_of(optimizer)][1]
        self.names = names_in(optimizer, module)
        self.places = self._places(module)
        self.seen = self._numbers()

    def _numbers(self) -> List[Dict[str, float]]:
        return [numbers_of(group, self.keys) for group in self.optimizer.param_groups]

    def _places(self, module: Any) -> Dict[int, int]:
        """Of a group that has numbers of its own, its place among the step's: see optimizer_options."""
        ours, _ = optimizer_options(self.optimizer, module)
        return {self.names.index(group["params"]): place for place, group in enumerate(ours.groups, 1)}

    def __call__(self, step: Any) -> None:
        numbers = self._numbers()
        self.optimizer._opt_called = True  # schedulers warn where nothing was updated
        if numbers == self.seen:
            return
        base = numbers[self.base]
        for number, group in enumerate(numbers):
            if number != self.base and self.optimizer.param_groups[number]["params"]:
                self._set_group(step, number, group, base)
        for name, value in base.items():
            self._set(step, name, value, self.seen[self.base][name], self.base)
        self.seen = numbers

    def _set_group(self, step: Any, number: int, group: Dict[str, float], base: Dict[str, float]) -> None:
        for name, value in group.items():
            own = f"group{self.places.get(number)}_{'lr_scale' if name == 'learning_rate' else name}"
            if own not in step.hyperparameters:
                shared = value == base[name] or (value == self.seen[number][name] and base[name] == self.seen[self.base][name])
                if not shared:
                    raise ValueError(f"the optimizer's group {number} has {name} {value} now, and group {self.base} has {base[name]}; "
                                     "the step was compiled with one number for both: compile it while they differ")
            elif name != "learning_rate":
                step.hyperparameters[own] = value
            elif base[name]:
                step.hyperparameters[own] = value / base[name]
            elif value:
                raise ValueError(f"the optimizer's group {number} has the rate {value} now, and group {self.base}, of whose rate it "
                                 "is a factor, has 0")

    @staticmethod
    def _set(step: Any, name: str, value: float, before: float, number: int) -> None:
        if name in step.hyperparameters:
            step.hyperparameters[name] = value
        elif value != before:
            raise ValueError(f"the optimizer's group {number} has {name} {value} now, which the step was compiled without")


class KeptRates:
    """A hook: the rates of dropout are numbers of the compiled code. Where a schedule changes the module's, it is told so."""

    def __init__(self, module: Any):
        self.layers = [(name, layer, layer.p) for name, layer in module.named_modules()
                       if any(kind.__name__ == "_DropoutNd" for kind in type(layer).__mro__)]

    def __call__(self, step: Any) -> None:
        for name, layer, rate in self.layers:
            if layer.p != rate:
                raise ValueError(f"the module's layer '{name}' ({type(layer).__name__}) has p={layer.p} now, and the step was compiled with "
                                 f"{rate}, which is a number of its code: compile the module anew, and load what the step has learned "
                                 "with load_state_dict(step.state_dict()) and load_optimizer_state_dict(step.optimizer_state_dict())")
