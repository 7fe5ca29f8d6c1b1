# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of a compiled model, called with the instance that they are of."""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Optional, Union

from ._manifest import Manifest
from ._native import Compiled, CreateOptions, Metrics, Shared, encoded
from .errors import STATUSES, NAMES, BusyError, Error, ForkError, UnavailableError

ERROR_BYTES = 2000
Code = Union[Compiled, Shared]


class Instance:
    """`<model>_create` to `<model>_destroy`. Ctypes gives up Python's lock while one of the functions runs; each runs to its
    end, so that Ctrl-C is answered when a step is done, whole."""

    def __init__(self, code: Code, manifest: Manifest, *, threads: int = 0, device: Optional[str] = None,
                 seed: Optional[int] = None, check_finite: bool = False, weights: Optional[str] = None):
        self.code, self.manifest = code, manifest
        self._process, self._handle, self._functions = os.getpid(), None, {}
        error = ctypes.create_string_buffer(ERROR_BYTES)
        options = CreateOptions(struct_size=ctypes.sizeof(CreateOptions), threads=threads, check_finite=int(check_finite),
                                error=ctypes.cast(error, c_void_p), error_bytes=ERROR_BYTES)
        if seed is not None:
            options.seed, options.use_seed = seed, 1
        if device is not None:
            options.device = encoded(device, "device")
        if weights is not None:
            options.weights_path = encoded(weights, "weights")
        status, handle = code.create(options)
        if status:
            raise self.error(status, error.value.decode(errors="replace"))
        self._handle, self._destroy = c_void_p(handle), self.function("destroy", result=None)
        code.retain()

    @staticmethod
    def error(status: int, text: str) -> BaseException:
        kind = STATUSES.get(status, Error)
        return kind(text or NAMES.get(status, f"status {status}"))

    def has(self, name: str) -> bool:
        return self.code.address(f"{self.manifest.name}_{name}") is not None

    def function(self, name: str, *types, result=c_int32):
        """`<model>_name`, whose first argument, the instance, is not among `types`."""
        found = self._functions.get(name)
        if found is None:
            address = self.code.address(f"{self.manifest.name}_{name}")
            if address is None:
                why = "" if self.manifest.trains else ": it was compiled without a loss, and predicts only"
                raise UnavailableError(f"the model '{self.manifest.name}' has no function {name}{why}")
            found = self._functions[name] = ctypes.CFUNCTYPE(result, c_void_p, *types)(address)
        return found

    def alive(self) -> c_void_p:
        if self._process != os.getpid():
            raise ForkError(f"the step belongs to process {self._process}, of which this one is a fork, and its threads are not "
                            "here: compile or load it in the child, or start processes by 'spawn' (multiprocessing)")
        if self._handle is None:
            raise UnavailableError("the step is closed")
        return self._handle

    def call(self, name: str, types, *arguments) -> None:
        """An exception where the status is not DLC_OK."""
        handle = self.alive()
        status = self.function(name, *types)(handle, *arguments)
        if status:
            self.fail(status)

    def fail(self, status: int) -> None:
        if status == 10:
            raise BusyError("another thread is in a call of this step, which serves one at a time; a step of its own for each "
                            "thread is made by step.copy()")
        text = self.function("last_error", result=c_char_p)(self._handle) or b""
        raise self.error(status, text.decode(errors="replace"))

    def remark(self) -> str:
        return (self.function("last_remark", result=c_char_p)(self.alive()) or b"").decode(errors="replace")

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and self._process == os.getpid():
            self._destroy(handle)
            self.code.release()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()

    # What most calls of a step are.

    def train(self, name: str, batch) -> float:
        loss = c_float()
        pointers = [c_void_p(pointer) for pointer in batch.pointers()]
        if batch.is_at_bounds:
            self.call(name, [c_void_p] * len(pointers) + [POINTER(c_float)], *pointers, byref(loss))
            return loss.value
        if not self.has(f"{name}_n"):
            bounds = self.manifest.bounds
            given = ", ".join(f"{key} {batch.sizes[key]}" for key in bounds)
            wanted = ", ".join(f"{key} {bound}" for key, bound in bounds.items())
            dims = ", ".join(f"{name!r}: (1, {size})" for name, size in self.manifest.sizes.items())
            raise self.error(1, f"the step was compiled to train on {wanted} only, this batch has {given}: compile it with "
                                f"batch=(1, {self.manifest.batch}){f' and dims={{{dims}}}' if dims else ''}, to train on any size "
                                "up to these")
        sizes = batch.other_sizes
        self.call(f"{name}_n", [c_int64] * (1 + len(sizes)) + [c_void_p] * len(pointers) + [POINTER(c_float)], batch.rows,
                  *sizes, *pointers, byref(loss))
        return loss.value

    def evaluate(self, batch, first: int, rows: int) -> Metrics:
        metrics = Metrics()
        pointers = [c_void_p(pointer) for pointer in batch.pointers(first)]
        sizes = batch.other_sizes if self.has("eval_step_n") else []
        name = "eval_step_n" if sizes else "eval_step"
        self.call(name, [c_int64] * (1 + len(sizes)) + [c_void_p] * len(pointers) + [POINTER(Metrics)], rows, *sizes, *pointers,
                  byref(metrics))
        return metrics

    def predict(self, batch, first: int, rows: int, outputs) -> None:
        pointers = [c_void_p(pointer) for pointer in batch.pointers(first)] + [c_void_p(output) for output in outputs]
        sizes = batch.other_sizes
        self.call("predict", [c_int64] * (1 + len(sizes)) + [c_void_p] * len(pointers), rows, *sizes, *pointers)

    def read(self, name: str, array, function: str = "parameter_read") -> None:
        self.call(function, [c_char_p, c_void_p, c_size_t], encoded(name, "name"), c_void_p(array.ctypes.data), array.nbytes)

    def write(self, name: str, array, function: str = "parameter_write") -> None:
        self.read(name, array, function)

    def get(self, name: str) -> float:
        value = c_double()
        self.call(f"get_{name}", [POINTER(c_double)], byref(value))
        return value.value

    def set(self, name: str, value: float) -> None:
        self.call(f"set_{name}", [c_double], value)

    def set_seed(self, seed: int) -> None:
        self.call("set_seed", [c_uint64], seed)

    def step_count(self) -> int:
        return self.function("step_count", result=c_int64)(self.alive())

    def file(self, function: str, path) -> None:
        self.call(function, [c_char_p], encoded(path, "path"))

    def grad_norm(self) -> float:
        norm = c_double()
        self.call("grad_norm", [POINTER(c_double)], byref(norm))
        return norm.value

    def step_metrics(self) -> Metrics:
        metrics = Metrics()
        self.call("step_metrics", [POINTER(Metrics)], byref(metrics))
        return metrics

    def extra_names(self):
        """{name: whether it is a number}"""
        names, name, is_number = {}, c_char_p(), c_int32()
        for i in range(self.function("extra_count", result=c_int64)(self.alive())):
            self.call("extra_name", [c_int64, POINTER(c_char_p), POINTER(c_int32)], i, byref(name), byref(is_number))
            names[name.value.decode()] = bool(is_number.value)
        return names

    def read_extra(self, name: str, is_number: bool):
        if is_number:
            number = c_double()
            self.call("extra_read_number", [c_char_p, POINTER(c_double)], encoded(name, "name"), byref(number))
            return number.value
        text = c_char_p()
        self.call("extra_read_text", [c_char_p, POINTER(c_char_p)], encoded(name, "name"), byref(text))
        return text.value.decode()

    def write_extra(self, name: str, value) -> None:
        if isinstance(value, str) or value is None:
            self.call("extra_write_text", [c_char_p, c_char_p], encoded(name, "name"),
                      None if value is None else encoded(value, f"the entry '{name}'"))
        else:
            self.call("extra_write_number", [c_char_p, c_double], encoded(name, "name"), float(value))

    def use_average(self, use: bool) -> None:
        self.call("use_average", [c_int32], int(use))
