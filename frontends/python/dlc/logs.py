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
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _runtime
from ._arrays import shape_text, to_numpy
from ._native import encoded
from .errors import ArrayValueError, FileError, UnavailableError

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


class _Setting(ctypes.Structure):  # dlc_event_setting
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("number", ctypes.c_double)]


def _place(step: Optional[int]) -> int:
    return 0 if step is None else int(step)


class SummaryWriter(_Opened):
    """Curves, histograms, pictures and hyperparameters for `tensorboard --logdir`, with the arguments of
    torch.utils.tensorboard. One folder is one run; each writer makes a file of its own in it."""

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
        status = _runtime.function("events_scalar")(self._alive(), encoded(tag, "tag"), _place(global_step), float(scalar_value))
        _runtime.check(status, f"'{self.path}'")

    def add_histogram(self, tag: str, values: Any, global_step: Optional[int] = None) -> None:
        """How the numbers of an array are spread; those that are not finite are left out."""
        array = np.ascontiguousarray(to_numpy(values, "values"))
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
        status = _runtime.function("events_histogram")(self._alive(), encoded(tag, "tag"), _place(global_step),
                                                       _runtime.DTYPES[array.dtype.name], array.ctypes.data, array.size)
        _runtime.check(status, f"'{self.path}'")

    def add_image(self, tag: str, img_tensor: Any, global_step: Optional[int] = None, dataformats: str = "CHW") -> None:
        """A picture: uint8, or floats from 0 to 1. dataformats says what its axes are: "CHW", "HWC" or "HW"; there are 1 or 3
        channels."""
        array = to_numpy(img_tensor, "img_tensor")
        if dataformats not in ("CHW", "HWC", "HW") or array.ndim != len(dataformats):
            raise ArrayValueError(f"img_tensor has the shape {shape_text(array.shape)}, and dataformats is {dataformats!r}: expected "
                                  "'CHW', 'HWC' or 'HW', with a letter for each axis")
        array = array[..., None] if dataformats == "HW" else np.moveaxis(array, 0, -1) if dataformats == "CHW" else array
        height, width, channels = array.shape
        if channels not in (1, 3) or not 1 <= height <= 4096 or not 1 <= width <= 4096:
            raise ArrayValueError(f"img_tensor has {channels} channels of {height} x {width} pixels: expected 1 or 3 channels, of 1 to 4096")
        if array.dtype != np.uint8:
            array = (np.clip(array, 0, 1) * 255 + 0.5).astype(np.uint8)
        pixels = np.ascontiguousarray(array)
        status = _runtime.function("events_image")(self._alive(), encoded(tag, "tag"), _place(global_step), height, width, channels,
                                                   pixels.ctypes.data)
        _runtime.check(status, f"'{self.path}'")

    def add_hparams(self, hparam_dict: Mapping[str, Any], metric_dict: Mapping[str, float]) -> None:
        """The settings of this run, numbers or texts, and what it was worth, which the page HPARAMS shows beside other runs'. The
        values of metric_dict become points of the curves of these names. Once for each writer."""
        names = [encoded(name, "a name") for name in hparam_dict]
        texts = [None if isinstance(value, (int, float, np.number)) else encoded(str(value), name)
                 for name, value in hparam_dict.items()]
        settings = (_Setting * len(names))(*[(name, text, float(value) if text is None else 0)
                                             for name, text, value in zip(names, texts, hparam_dict.values())])
        tags = [encoded(name, "a tag") for name in metric_dict]
        shown = (ctypes.c_char_p * len(tags))(*tags)
        status = _runtime.function("events_hyperparameters")(self._alive(), ctypes.addressof(settings), len(names),
                                                             ctypes.addressof(shown), len(tags))
        _runtime.check(status, f"'{self.path}'")
        for name, value in metric_dict.items():
            self.add_scalar(name, value)

    def flush(self) -> None:
        """Nothing is left to do: each point is in the file already."""
