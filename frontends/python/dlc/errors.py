# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions: each is a dlc.Error, and what Python calls such a thing, too."""
from __future__ import annotations

import warnings


class Error(Exception):
    """Any error of dlc. Its text is a sentence that says what was expected, what was found and what to do."""


class CompileError(Error, ValueError):
    """The model cannot be compiled as asked. `messages` has all of what the compiler said."""

    def __init__(self, text: str, messages=()):
        super().__init__(text)
        self.messages = list(messages)


class ArrayTypeError(Error, TypeError):
    """An array of another dtype than the model takes, or no array at all."""


class ArrayValueError(Error, ValueError):
    """An array of another shape or device, or with values that it must not have, such as labels out of range."""


class NotFiniteError(Error, ArithmeticError):
    """With check_finite: a step would have made numbers that are NaN or infinite. The state is as before."""


class BusyError(Error, RuntimeError):
    """Another thread is in a call of the same step."""


class ForkError(Error, RuntimeError):
    """The step belongs to the process that this one was forked from."""


class UnavailableError(Error, RuntimeError):
    """The step was compiled without what the call needs, or is not in a state for it."""


class FileError(Error, OSError):
    """A file cannot be read or written, or is not what it should be."""


class DeviceError(Error, RuntimeError):
    """This machine cannot run the step: another CPU, no GPU, or a GPU that has failed."""


class CompilerWarning(UserWarning):
    """What the compiler warns of, or remarks: training is not what the model's file says."""


# Of dlc_status in dlc/runtime.h.
STATUSES = {1: ArrayValueError, 2: MemoryError, 3: FileError, 4: FileError, 5: ArrayValueError, 6: NotFiniteError,
            7: DeviceError, 8: FileError, 9: Error, 10: BusyError, 11: UnavailableError, 12: DeviceError, 13: DeviceError}
NAMES = {1: "invalid argument", 2: "out of memory", 3: "input or output error", 4: "bad file", 5: "index out of range",
         6: "not finite", 7: "unsupported CPU", 8: "library and runtime do not belong together", 9: "not found",
         10: "busy", 11: "unavailable", 12: "unsupported device", 13: "the device has failed"}


def warn(text: str, depth: int = 3) -> None:
    warnings.warn(text, CompilerWarning, stacklevel=depth)
