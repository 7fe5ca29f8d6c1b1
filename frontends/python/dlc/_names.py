# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of attributes: assigning to one that there is not is an error, which proposes the one that was meant."""
from __future__ import annotations

import difflib
from typing import Any, Iterable


def proposal(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'lr'?", or what there is where nothing is near."""
    names = sorted({each for each in known if not each.startswith("_")})
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else f"; it has {', '.join(names) or 'none that can be set'}"


class Closed:
    """A class whose objects have the attributes that it annotates, and properties. Nothing else can be assigned to."""

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
