# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dlc compiles neural networks, with their training step, to code of this machine.

    step = dlc.compile(net, (x,), loss="cross_entropy", optimizer=dlc.AdamW(lr=1e-3), batch=(1, 64))
    loss = step(x, y)

NumPy is needed, PyTorch is not: dlc.from_onnx compiles ONNX models, dlc.load takes libraries that were compiled before.
docs/python.md has more.
"""
from __future__ import annotations

from typing import Any

from . import data, logs, metrics, optim, schedules
from ._compile import check, compile, from_onnx, load
from ._device import DeviceMemory, best_device, device_count, device_memory, device_name, is_available
from ._manifest import Manifest
from ._native import Message, version
from ._step import Evaluation, Step
from .errors import (ArrayTypeError, ArrayValueError, BusyError, CompileError, CompilerWarning, DeviceError, Error, FileError,
                     ForkError, NotFiniteError, UnavailableError)
from .optim import (ASGD, LAMB, SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Lion, Muon, NAdam, Optimizer, RAdam,
                    RMSprop, Rprop, SparseAdam)

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """What needs PyTorch is imported where it is used."""
    if name in ("accelerate", "Accelerated"):
        from . import _accelerate
        return getattr(_accelerate, name)
    raise AttributeError(f"module 'dlc' has no attribute '{name}'")
