# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of attributes: reading one that there is not, or assigning to it, is an error, which proposes the one that was meant."""
from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Dict, Iterable


_MODES = ("each function has its mode: step(x, y), grad and accumulate train, with dropout and the statistics of the batch; evaluate and "
          "predict do not")
_PARTS = ("step(x, y) is zero_grad, forward, backward and the optimizer's update; in parts, grad(x, y) computes gradients, accumulate(x, y) "
          "adds to them, and apply() updates")
_PARAMETERS = "state_dict() gives all parameters, and parameter(name) and gradient(name) a copy of one; the optimizer is a part of the step"
_DEVICE = "a step has the device that it was compiled for: dlc.compile(..., device='gpu')"
OF_PYTORCH = {  # what a module or an optimizer has there, and a step has elsewhere
    **dict.fromkeys(("train", "eval", "training"), _MODES), **dict.fromkeys(("zero_grad", "backward", "step"), _PARTS),
    **dict.fromkeys(("parameters", "named_parameters", "buffers", "modules"), _PARAMETERS),
    **dict.fromkeys(("to", "cuda", "cpu", "device"), _DEVICE),
    "forward": "predict(x) computes the outputs, without training",
    "param_groups": "the rate is lr, and other numbers of the optimizer are in hyperparameters"}


def proposal(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'lr'?", or what there is where nothing is near."""
    names = sorted({each for each in known if not each.startswith("_")})
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else f"; it has {', '.join(names) or 'none that can be set'}"


class Closed:
    """A class whose objects have the attributes that it annotates, and properties. Nothing else can be assigned to."""

    _elsewhere: Dict[str, str] = {}  # of names that other libraries have: the sentence on what there is instead

    if not TYPE_CHECKING:  # which would take any name for one that there is
        def __getattr__(self, name: str) -> Any:
            """Of names that there are not."""
            kind = type(self)
            if name.startswith("_") or name in self._annotated():
                raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
            near = difflib.get_close_matches(name, [each for each in {*dir(kind), *self._annotated()} if not each.startswith("_")], n=1)
            instead = self._elsewhere.get(name) or (f"did you mean '{near[0]}'?" if near else "")
            raise AttributeError(f"there is no {kind.__name__}.{name}{f'; {instead}' if instead else ''}")

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        own = getattr(kind, name, None)
        if name in self._annotated() or (isinstance(own, property) and own.fset is not None):
            return object.__setattr__(self, name, value)
        what = f"{kind.__name__}.{name}"
        if isinstance(own, property):
            raise AttributeError(f"{what} can be read, and not set")
        if callable(own):
            raise AttributeError(f"{what} is a function, which is called and not set: {name}({value!r})")
        raise AttributeError(f"there is no {what} to set{self._proposal(name)}")

    @classmethod
    def _annotated(cls) -> Iterable[str]:
        return {name for kind in cls.__mro__ for name in getattr(kind, "__annotations__", {})}

    def _proposal(self, name: str) -> str:
        kind = type(self)
        settable = [each for each in dir(kind) if getattr(getattr(kind, each), "fset", None) is not None]
        return proposal(name, [*self._annotated(), *settable])
