# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a training writes down: tables as CSV, and curves for TensorBoard, which is not needed to write them.

    with dlc.logs.Table("log.csv", ["step", "loss", "lr"]) as table, dlc.logs.SummaryWriter("runs/first") as writer:
        loss = step(x, y)
        table.row(step=step.step_count, loss=loss, lr=step.lr)
        writer.add_scalar("loss/train", loss, step.step_count)

Each row and point is in its file when the call returns: they are those of dlc/logs.h.
"""
from __future__ import annotations

import ctypes
import os
import weakref
from ctypes import c_void_p
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _runtime
from ._native import encoded
from .errors import FileError, UnavailableError

File = Union[str, "os.PathLike[str]"]


class _Opened:
    """A handle of the runtime, which is closed once."""

    def __init__(self, path: File, handle: c_void_p, close: str):
        self.path = os.fspath(path)
        self._handle = handle
        self._closing = weakref.finalize(self, _runtime.function(close), handle)

    def _alive(self) -> c_void_p:
        if not self._closing.alive:
            raise UnavailableError(f"'{self.path}' is closed")
        return self._handle

    def close(self) -> None:
        self._closing()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Table(_Opened):
    """Rows of numbers below a line with the names of the columns. A file that exists is continued, if its columns are these.
    `dlc report` and step.report(log=...) draw them."""

    def __init__(self, path: File, columns: Sequence[str]):
        if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
            raise TypeError(f"columns: expected a list of names, got {columns!r}")
        self.columns = list(columns)
        names = (ctypes.c_char_p * len(self.columns))(*[encoded(name, "column") for name in self.columns])
        handle = c_void_p()
        _runtime.call("csv_open", f"'{path}'", [encoded(path, "path"), ctypes.addressof(names), len(self.columns),
                                                ctypes.addressof(handle)])
        super().__init__(path, handle, "csv_close")

    def row(self, *values: float, **named: float) -> None:
        """A number for each column, in their order or by name."""
        missing = [name for name in self.columns[len(values):] if name not in named]
        unknown = [name for name in named if name not in self.columns[len(values):]]
        if missing or unknown or len(values) > len(self.columns):
            raise TypeError(f"'{self.path}' has the columns {', '.join(self.columns)}; got {len(values)} by place and "
                            f"{', '.join(named) or 'none'} by name")
        numbers = np.array([*values, *(named[name] for name in self.columns[len(values):])], np.float64)
        _runtime.check(_runtime.function("csv_row")(self._alive(), numbers.ctypes.data), f"'{self.path}'")

    def cut(self, column: str, most: float) -> None:
        """Cuts off the rows from the first on whose number in this column is larger: where training goes on from a checkpoint, what
        was written after it comes once more."""
        if column not in self.columns:
            raise KeyError(f"'{self.path}' has no column '{column}'; it has {', '.join(self.columns)}")
        place = self.columns.index(column)
        _runtime.check(_runtime.function("csv_cut")(self._alive(), place, float(most)), f"'{self.path}'")


class SummaryWriter(_Opened):
    """Curves for `tensorboard --logdir`, with the arguments of torch.utils.tensorboard: scalars alone. One folder is one run;
    each writer makes a file of its own in it."""

    def __init__(self, log_dir: File):
        try:
            Path(log_dir).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"'{log_dir}' cannot be made: {error}") from None
        handle = c_void_p()
        _runtime.call("events_open", f"'{log_dir}'", [encoded(log_dir, "log_dir"), ctypes.addressof(handle)])
        super().__init__(log_dir, handle, "events_close")

    def add_scalar(self, tag: str, scalar_value: float, global_step: Optional[int] = None) -> None:
        """A point of the curve `tag`, such as "loss/train". TensorBoard keeps values as float32."""
        value, place = float(scalar_value), 0 if global_step is None else int(global_step)
        status = _runtime.function("events_scalar")(self._alive(), encoded(tag, "tag"), place, value)
        _runtime.check(status, f"'{self.path}'")

    def flush(self) -> None:
        """Nothing is left to do: each point is in the file already."""
