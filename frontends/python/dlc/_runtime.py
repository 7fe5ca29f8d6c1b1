# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the runtime that programs call beside a step: libdlc hands them out."""
from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, Sequence

from . import _native
from .errors import NAMES, STATUSES, Error

ERROR_BYTES = 2000
# Of dlc_dtype in dlc/runtime.h.
DTYPES = {"float32": 1, "float64": 2, "int32": 3, "int64": 4, "bool": 5, "float16": 7, "uint8": 8}
_found: Dict[str, Any] = {}


class Array(ctypes.Structure):
    """dlc_array of dlc/runtime.h."""

    _fields_ = [("dtype", c_int32), ("rank", c_int32), ("shape", c_int64 * 8), ("bytes", c_size_t), ("data", c_void_p)]


class Augmentation(ctypes.Structure):
    """dlc_augmentation."""

    _fields_ = [("images", c_int32), ("padding", c_int32), ("mirror", c_int32), ("reserved", c_int32), ("fill", c_void_p)]


class LoaderOptions(ctypes.Structure):
    """dlc_loader_options."""

    _fields_ = [("struct_size", c_size_t), ("batch", c_int64), ("seed", c_uint64), ("shuffle", c_int32), ("drop_last", c_int32),
                ("threads", c_int32), ("prefetch", c_int32), ("error", c_void_p), ("error_bytes", c_size_t),
                ("augmentation", ctypes.POINTER(Augmentation)), ("samples", c_void_p), ("sample_count", c_int64),
                ("weights", c_void_p), ("changes", c_char_p), ("white", c_void_p), ("mixed", c_void_p), ("mixed_count", c_int32),
                ("bucket", c_int32), ("lengths", c_void_p), ("rank", c_int32), ("ranks", c_int32)]


class ClassReport(ctypes.Structure):
    """dlc_class_report of dlc/metrics.h."""

    _fields_ = [("precision", c_double), ("recall", c_double), ("f1", c_double), ("support", c_int64)]


# name: (result, arguments)
FUNCTIONS = {
    "dlc_loader_create": (c_int32, c_void_p, c_int32, c_void_p, c_void_p),
    "dlc_loader_start_at": (c_int32, c_void_p, c_int64, c_int64),
    "dlc_loader_next": (c_int32, c_void_p, c_void_p, c_void_p),
    "dlc_loader_batches": (c_int64, c_void_p),
    "dlc_loader_destroy": (None, c_void_p),
    "dlc_gpu_count": (c_int32, c_void_p, c_size_t),
    "dlc_gpu_best": (c_int32, c_void_p, c_size_t),
    "dlc_gpu_describe": (c_int32, c_int32, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t),
    "dlc_gpu_memory": (c_int32, c_int32, c_void_p, c_void_p, c_void_p, c_size_t),
    "dlc_top_k_accuracy": (c_double, c_void_p, c_void_p, c_int64, c_int64, c_int64),
    "dlc_confusion_add": (None, c_void_p, c_void_p, c_void_p, c_int64, c_int64),
    "dlc_confusion_add_binary": (None, c_void_p, c_void_p, c_void_p, c_int64, c_double),
    "dlc_report_class": (ClassReport, c_void_p, c_int64, c_int64),
    "dlc_report_mean": (ClassReport, c_void_p, c_int64),
    "dlc_report_accuracy": (c_double, c_void_p, c_int64),
    "dlc_auc": (c_int32, c_void_p, c_void_p, c_int64, c_void_p),
    "dlc_mean_absolute_error": (c_double, c_void_p, c_void_p, c_int64),
    "dlc_r2": (c_double, c_void_p, c_void_p, c_int64),
    "dlc_csv_open": (c_int32, c_char_p, c_void_p, c_int32, c_void_p, c_void_p, c_size_t),
    "dlc_csv_row": (c_int32, c_void_p, c_void_p),
    "dlc_csv_cut": (c_int32, c_void_p, c_int32, c_double),
    "dlc_csv_close": (None, c_void_p),
    "dlc_events_open": (c_int32, c_char_p, c_void_p, c_void_p, c_size_t),
    "dlc_events_scalar": (c_int32, c_void_p, c_char_p, c_int64, c_double),
    "dlc_events_histogram": (c_int32, c_void_p, c_char_p, c_int64, c_int32, c_void_p, c_int64),
    "dlc_events_image": (c_int32, c_void_p, c_char_p, c_int64, c_int32, c_int32, c_int32, c_void_p),
    "dlc_events_hyperparameters": (c_int32, c_void_p, c_void_p, c_int32, c_void_p, c_int32),
    "dlc_events_close": (None, c_void_p),
}


def function(name: str) -> Any:
    """`dlc_<name>`, which gives up Python's lock while it runs."""
    found = _found.get(name)
    if found is None:
        full = f"dlc_{name}"
        address = _native.library().dlc_runtime_function(full.encode())
        if not address:
            raise Error(f"'{_native.library()._name}' does not hand out {full}: it is a libdlc of another version")
        found = _found[name] = ctypes.CFUNCTYPE(*FUNCTIONS[full])(address)
    return found


def check(status: int, what: str, error: Any = None) -> None:
    """An exception where the status is not DLC_OK: with the sentence of `error`, a buffer, or about `what`."""
    if status:
        text = error.value.decode(errors="replace") if error is not None else ""
        raise STATUSES.get(status, Error)(text or f"{what}: {NAMES.get(status, f'status {status}')}")


def error_buffer() -> Any:
    return ctypes.create_string_buffer(ERROR_BYTES)


def call(name: str, what: str, arguments: Sequence[Any]) -> None:
    """A function whose last arguments are a buffer for a sentence and its size."""
    error = error_buffer()
    check(function(name)(*arguments, ctypes.addressof(error), ERROR_BYTES), what, error)
