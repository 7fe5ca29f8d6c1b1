# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of the optimizer in the form that torch.optim's state_dict has: by the places of the parameters."""
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping

import numpy as np

from . import _tensors
from .optim import PAIRS
from .errors import ArrayValueError

# torch.optim's names of settings, and ours.
SETTINGS = {"lr": "learning_rate", "eps": "epsilon", "weight_decay": "weight_decay", "momentum": "momentum",
            "dampening": "dampening", "alpha": "alpha", "rho": "rho", "lr_decay": "lr_decay", "momentum_decay": "momentum_decay",
            "lambd": "lambd", "t0": "t0", "beta2_decay": "beta2_decay", "d": "clip_threshold"}
# What we keep and PyTorch does not where it is not used: without momentum, or not centered.
UNUSED = {"rmsprop": {"momentum_buffer", "grad_avg"}}
COUNTLESS = {"sgd", "muon"}  # whose states in PyTorch have no "step"


def order_of(step: Any) -> List[List[str]]:
    """The names of the parameters of each group, in the order in which PyTorch counts them."""
    for hook in step._hooks:
        if hasattr(hook, "names"):
            return hook.names
    if step.origin is not None and step.origin.is_torch:
        return [list(step.origin.parameter_names)]
    return [[state.name for state in step.manifest.of_kind("parameter")]]


def slots_of(step: Any) -> Dict[str, Dict[str, Any]]:
    """By parameter: what the optimizer keeps of it, by PyTorch's names; not the moving averages."""
    parameters = {state.name for state in step.manifest.of_kind("parameter")}
    result: Dict[str, Dict[str, Any]] = {}
    for state in step.manifest.of_kind("optimizer_state"):
        owner, _, slot = state.name.rpartition(".")
        if owner in parameters and slot != "ema":
            result.setdefault(owner, {})[slot] = state
    return result


def settings_of(step: Any) -> Dict[str, Any]:
    values = dict(step.hyperparameters)
    result: Dict[str, Any] = {theirs: values[ours] for theirs, ours in SETTINGS.items() if ours in values}
    for theirs, ours in PAIRS.items():
        if ours[0] in values and ours[1] in values:
            result[theirs] = (values[ours[0]], values[ours[1]])
    return result


def derived(step: Any, kind: str, count: int) -> Dict[str, Any]:
    """What PyTorch keeps of each parameter and we compute anew."""
    if kind != "asgd":
        return {}
    return {"mu": np.float32(1 / max(1.0, count - step.hyperparameters["t0"]))}


def state_dict(step: Any) -> Dict[str, Any]:
    """{"state": {place: {slot: array}}, "param_groups": [...]}, with arrays of NumPy."""
    slots, count, kind = slots_of(step), step.step_count, step.manifest.optimizer
    state, place, groups = {}, 0, []
    for names in order_of(step):
        groups.append({**settings_of(step), "params": list(range(place, place + len(names)))})
        for name in names:
            known = next((slots[other] for other in same_names(step, name) if other in slots), None)
            if known and count:
                own = {} if kind in COUNTLESS else {"step": np.float32(count)}
                state[place] = {**own, **derived(step, kind, count), **{slot: step._read(found) for slot, found in known.items()}}
            place += 1
    for hook in step._hooks:
        if hasattr(hook, "optimizer"):
            for group, theirs in zip(groups, hook.optimizer.param_groups):
                group.update({key: value for key, value in theirs.items() if key != "params"})
    return {"state": state, "param_groups": groups}


def same_names(step: Any, name: str) -> List[str]:
    same = step.origin.same.get(name, []) if step.origin is not None and step.origin.is_torch else []
    return [name, *same]


def as_torch(values: Dict[str, Any], kind: str) -> Dict[str, Any]:
    """With tensors, and with all settings that a group of torch.optim has."""
    import torch
    classes = {name.lower(): name for name in vars(torch.optim) if isinstance(getattr(torch.optim, name), type)}
    defaults: Dict[str, Any] = {}
    if kind in classes:
        like = getattr(torch.optim, classes[kind])([torch.zeros(2, 2, requires_grad=True)], lr=1e-3)
        defaults = {key: value for key, value in like.state_dict()["param_groups"][0].items() if key != "params"}
    groups = [{**defaults, **group} for group in values["param_groups"]]
    state = {place: {slot: torch.from_numpy(np.array(array)) for slot, array in slots.items()}
             for place, slots in values["state"].items()}
    return {"state": state, "param_groups": groups}


def load(step: Any, values: Mapping[str, Any]) -> None:
    """All of it or nothing."""
    slots, kind = slots_of(step), step.manifest.optimizer
    try:
        given, groups = dict(values["state"]), list(values["param_groups"])
        places = [list(group["params"]) for group in groups]
    except (KeyError, TypeError, AttributeError) as error:
        raise ArrayValueError("the state of the optimizer: expected {'state': ..., 'param_groups': ...}, as state_dict() of "
                              f"torch.optim gives it ({error!r})") from None
    order = order_of(step)
    if [len(each) for each in places] != [len(names) for names in order]:
        raise ArrayValueError(f"the state of the optimizer has groups of {[len(each) for each in places]} parameters, the step of "
                              f"{[len(names) for names in order]}")
    changed: Dict[str, np.ndarray] = {}
    counts = set()
    for place, name in zip((p for each in places for p in each), (n for names in order for n in names)):
        known = next((slots[other] for other in same_names(step, name) if other in slots), {})
        of_this = dict(given.get(place) or given.get(str(place)) or {})
        if "step" in of_this:
            counts.add(int(float(of_this.pop("step"))))
        of_this = {slot: value for slot, value in of_this.items() if value is not None and slot not in derived(step, kind, 1)}
        if of_this and not set(known) - UNUSED.get(kind, set()) <= set(of_this) <= set(known):
            raise ArrayValueError(f"the state of the optimizer has {', '.join(sorted(of_this))} of '{name}', and the step, which was "
                                  f"compiled with {kind}, keeps {', '.join(sorted(known)) or 'nothing'}")
        for slot, state in known.items():
            changed[state.name] = checked(step, state, of_this[slot]) if slot in of_this else np.zeros(state.shape, state.dtype)
        if of_this and kind in COUNTLESS:
            counts.add(max(step.step_count, 1))
    if len(counts) > 1:
        raise ArrayValueError(f"the state of the optimizer has parameters after {' and '.join(map(str, sorted(counts)))} steps; a "
                              "step has one count for all")
    counter = step.manifest.of_kind("step_count")
    if counter:
        changed[counter[0].name] = np.asarray(counts.pop() if counts else 0, np.int64)
    if len(groups) == 1:  # of several, the rates are the factors that were compiled
        changed.update(settings_in(groups[0], step))
    through_file(step, changed)


def checked(step: Any, state: Any, value: Any) -> np.ndarray:
    """Single numbers, such as NAdam's mu_product, PyTorch keeps in another dtype."""
    if state.shape == ():
        return np.asarray(float(value), state.dtype)
    return step._checked(state, value)


def settings_in(group: Mapping[str, Any], step: Any) -> Dict[str, np.ndarray]:
    result = {}
    for theirs, ours in SETTINGS.items():
        if theirs in group and ours in step.hyperparameters and theirs not in pairs_in(group):
            result[ours] = np.asarray(float(group[theirs]), np.float64)
    for theirs, values in pairs_in(group).items():
        for ours, value in zip(PAIRS[theirs], values):
            if value is not None and ours in step.hyperparameters:
                result[ours] = np.asarray(float(value), np.float64)
    return result


def pairs_in(group: Mapping[str, Any]) -> Dict[str, Any]:
    return {theirs: group[theirs] for theirs in PAIRS if isinstance(group.get(theirs), (tuple, list))}


def through_file(step: Any, changed: Mapping[str, np.ndarray]) -> None:
    """A checkpoint of now with other values, which is loaded whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="dlc-") as folder:
        path = Path(folder, "state.safetensors")
        step.instance.file("save", path)
        path.write_bytes(_tensors.replaced(path.read_bytes(), changed, "the checkpoint"))
        step.instance.file("load", path)
