# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manifest of a compiled model: what its functions take and give."""
from __future__ import annotations

import json
import re
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from .errors import FileError

# bfloat16 is not among NumPy's types: its bits are.
DTYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "f16": np.dtype(np.float16), "bf16": np.dtype(np.uint16),
          "i64": np.dtype(np.int64), "i32": np.dtype(np.int32), "u8": np.dtype(np.uint8),
          "bool": np.dtype(np.bool_)}
Extent = Tuple[int, Tuple[str, ...]]  # a factor, and the named dims that it is multiplied with


class Tensor(NamedTuple):
    """An input or output."""

    name: str
    argument: str  # the name as an identifier
    dtype: np.dtype
    shape: Tuple[Extent, ...]
    is_target: bool = False
    is_bits: bool = False  # bfloat16 as uint16
    of: Optional[str] = None  # of a derivative: what it is the cotangent, tangent or gradient of

    def type_text(self) -> str:
        """"float32 [batch, 784]"."""
        extents = ["*".join(([str(factor)] if factor != 1 or not names else []) + list(names))
                   for factor, names in self.shape]
        return f"{'bfloat16' if self.is_bits else self.dtype.name} [{', '.join(extents)}]"


class Pair(NamedTuple):
    """The derivatives of an output by an input."""

    tensor: Tensor
    of: str
    by: str


class State(NamedTuple):
    """A parameter, a running statistic or what the optimizer keeps."""

    name: str
    kind: str
    dtype: np.dtype
    shape: Tuple[int, ...]
    trainable: bool
    of: Optional[str]
    initial: Optional[float]
    range: Optional[Tuple[float, float]]


def _extent(text: Union[int, str]) -> Extent:
    factor, names = 1, []
    for part in str(text).split("*"):
        if part.isdigit():
            factor *= int(part)
        else:
            names.append(part)
    return factor, tuple(names)


def _tensor(entry: dict) -> Tensor:
    return Tensor(entry["name"], entry.get("c_name", entry["name"]), DTYPES[entry["dtype"]],
                  tuple(_extent(extent) for extent in entry["shape"]), entry.get("target", False),
                  entry["dtype"] == "bf16", entry.get("of"))


def _state(entry: dict) -> State:
    return State(entry["name"], entry["kind"], DTYPES[entry["dtype"]], tuple(entry["shape"]),
                 entry.get("trainable", False), entry.get("of"), entry.get("initial"),
                 tuple(entry["range"]) if "range" in entry else None)


class Manifest:
    """Read of the text that dlc writes; `data` has everything as JSON."""

    def __init__(self, text: str, place: str = "the manifest"):
        try:
            self.data: dict = json.loads(text)
            self._read(self.data)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            raise FileError(f"{place} is not a manifest as dlc writes it beside a library ({error!r}): give the .json file "
                            "of the same compilation") from None

    def _read(self, data: dict) -> None:
        target = data if "state" in data else data["targets"][0]
        self.name: str = data["name"]
        self.abi = int(data["dlc"]["abi_version"])
        self.fingerprint = int(data["fingerprint"], 16)
        self.inputs = [_tensor(entry) for entry in data["inputs"]]
        self.predictions = [_tensor(entry) for entry in data["outputs"] if entry["role"] == "prediction"]
        for key, place in (("inputs", data), ("outputs", data), ("state", target), ("functions", target)):
            if not isinstance(place[key], list):
                raise ValueError(f"'{key}' is no list")
        self.states = [_state(entry) for entry in target["state"]]
        self.functions = {entry["name"] for entry in target["functions"]}
        self.derivatives = {entry["name"]: ([_tensor(each) for each in entry["takes"]], [_tensor(each) for each in entry["gives"]])
                            for entry in data.get("derivatives", [])}
        self.jacobian = [Pair(_tensor(entry), entry["of"], entry["by"]) for entry in data.get("jacobian", [])]
        self.batch = int(data.get("batch", 0))
        self.sizes: Dict[str, int] = {entry["name"]: int(entry["max"]) for entry in data.get("sizes", [])}
        self.batch_name: Optional[str] = self._batch_name()
        self.arena_bytes = int(target["memory"]["arena_bytes"])
        self._check()

    def _check(self) -> None:
        """Arrays are compared with these numbers, so that none may be nonsense."""
        if self.batch < 0 or any(size < 1 for size in self.sizes.values()):
            raise ValueError("a size below 1")
        derived = [tensor for both in self.derivatives.values() for part in both for tensor in part]
        for tensor in self.inputs + self.predictions + derived + [pair.tensor for pair in self.jacobian]:
            for factor, names in tensor.shape:
                unknown = [name for name in names if name not in self.bounds]
                if factor < 1 or unknown:
                    raise ValueError(f"'{tensor.name}' has the shape {tensor.type_text()}")
        if any(size < 0 for state in self.states for size in state.shape):
            raise ValueError("a tensor with a size below 0")
        if not self.name.isidentifier():
            raise ValueError(f"the name {self.name!r}")

    def _batch_name(self) -> Optional[str]:
        """The named dim that is none of the sizes."""
        names = {name for tensor in self.inputs + self.predictions for _, names in tensor.shape for name in names}
        others = sorted(names - set(self.sizes))
        return others[0] if others else ("batch" if self.batch else None)

    @property
    def bounds(self) -> Dict[str, int]:
        """The largest size of each named dim, the batch first."""
        rows = {self.batch_name: self.batch} if self.batch_name and self.batch else {}
        return {**rows, **self.sizes}

    def _trained_with(self, what: str) -> str:
        """Of "loss mse (mean), optimizer adamw, group1 ...", or "loss the model's own loss, optimizer adamw"."""
        found = re.match(r"loss (?P<loss>[^,]+?)(?: \(\w+\))?, optimizer (?P<optimizer>[^\s,]+)", str(self.data.get("training", "")))
        return found[what] if found else ""

    @property
    def loss(self) -> str:
        """The compiler's own name of the loss, "output" where it is part of the model, "" without one."""
        name = self._trained_with("loss")
        return "output" if name == "the model's own loss" else name

    @property
    def optimizer(self) -> str:
        """The compiler's own name of the optimizer, "" without one."""
        return self._trained_with("optimizer")

    @property
    def trains(self) -> bool:
        return "train_step" in self.functions

    def of_kind(self, *kinds: str) -> List[State]:
        return [state for state in self.states if state.kind in kinds]
