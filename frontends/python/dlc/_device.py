# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPUs of this machine: what a program asks before it chooses `device`."""
from __future__ import annotations

import ctypes
import sys
from ctypes import c_uint64
from typing import NamedTuple

from . import _runtime

_said = False


class DeviceMemory(NamedTuple):
    """Bytes of a GPU's memory, as torch.cuda.mem_get_info has them."""

    free: int
    total: int


def device_count() -> int:
    """The number of NVIDIA GPUs; 0 where there is none, or no driver."""
    return _runtime.function("gpu_count")(None, 0)


def is_available() -> bool:
    """Whether there is a GPU, as torch.cuda.is_available says."""
    return device_count() > 0


def device_name(number: int = 0) -> str:
    """What the driver calls GPU `number`, from 0. Raises dlc.DeviceError where there is none."""
    name = _runtime.error_buffer()
    _runtime.call("gpu_describe", f"GPU {number}", (number, ctypes.addressof(name), _runtime.ERROR_BYTES, None))
    return name.value.decode(errors="replace")


def device_memory(number: int = 0) -> DeviceMemory:
    """The memory of GPU `number`: what is free at the moment, and all of it, in bytes."""
    total, free = c_uint64(), c_uint64()
    _runtime.call("gpu_memory", f"GPU {number}", (number, ctypes.addressof(total), ctypes.addressof(free)))
    return DeviceMemory(free.value, total.value)


def best_device() -> str:
    """What to give as `device`: the first GPU that dlc makes code for, "gpu" or "gpu:1" and so on, else "cpu". Which it is,
    and why, is said once on standard error."""
    global _said
    why = _runtime.error_buffer()
    number = _runtime.function("gpu_best")(ctypes.addressof(why), _runtime.ERROR_BYTES)
    device = "cpu" if number < 0 else f"gpu:{number}" if number else "gpu"
    if not _said:
        _said = True
        reason = why.value.decode(errors="replace")
        print(f"dlc: note: best_device: {device} ({reason[5:] if reason.startswith('dlc: ') else reason})", file=sys.stderr)
    return device
