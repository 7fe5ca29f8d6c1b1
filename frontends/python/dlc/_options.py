# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled, and as what: arguments of Python as options of the compiler, which checks them."""
from __future__ import annotations

import os
from typing import Any, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native, optim
from ._native import Message
from .errors import warn

Size = Union[int, Tuple[int, int]]
Model = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"]


class Request(NamedTuple):
    """What is compiled: by file or in memory, with these options of `dlc compile`."""

    file: str
    model: Optional[bytes]
    options: Tuple[str, ...]


class Origin:
    """How a step was compiled, so that it can be compiled again for another machine."""

    is_torch = False
    other_names: FrozenSet[str] = frozenset()  # of tied parameters, in PyTorch's state_dict
    messages: Sequence[Message] = ()  # what the compiler said

    def __init__(self, request: Request):
        self.request = request


def size_text(size: Size, what: str) -> str:
    """64 or (1, 64): "64" or "1..64"."""
    if isinstance(size, (tuple, list)) and len(size) == 2:
        return f"{_whole(size[0], what)}..{_whole(size[1], what)}"
    return str(_whole(size, what))


def _whole(value: Any, what: str) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise TypeError(f"{what}: expected a number of rows or (1, most), got {value!r}") from None


def option(name: str, value: Any) -> List[str]:
    """clip_grad_norm=1.0 as --clip-grad-norm=1.0; True is a flag, a list is given again and again."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [part for each in value for part in option(name, each)]
    return [f"{flag}={repr(value) if isinstance(value, float) else os.fspath(value) if hasattr(value, '__fspath__') else value}"]


def options_of(loss: Optional[str], optimizer: Any, batch: Optional[Size], dims: Optional[Mapping[str, Size]],
               others: Mapping[str, Any]) -> List[str]:
    result = []
    if batch is not None:
        result.append(f"--batch={size_text(batch, 'batch')}")
    for name, size in (dims or {}).items():
        result.append(f"--dim={name}={size_text(size, f'dim {name!r}')}")
    if loss is not None:
        if not isinstance(loss, str):
            raise TypeError(f"loss: expected a name, such as 'cross_entropy', or a loss of torch.nn; got {type(loss).__name__}")
        result.append(f"--loss={loss}")
    result += optim.options_of(optimizer)
    for name, value in others.items():
        result += option(name, value)
    return result


def for_device(device: Optional[str], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """With a GPU as the device, code for this machine's GPUs, unless the options say what code is made."""
    if device is None or device.partition(":")[0] not in ("gpu", "cuda") or "target" in options:
        return options
    return {"target": "nvptx", **({} if "gpu" in options or "gpu_code" in options else {"gpu": "native"}), **options}


def request_of(model: Model, options: Sequence[str], name: Optional[str]) -> Request:
    """Bytes, or a file by its name."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        start = bytes(model[:16])
        kind = "pt2" if start.startswith(b"PK") else "onnx"  # torch.export.save writes a zip archive
        if start.startswith((b"module", b"#loc", b'"builtin.module"')):  # the text of a JAX function
            kind = "mlir"
        return Request(f"{name or 'model'}.{kind}", bytes(model), tuple(options))
    file = os.fspath(model)
    return Request(os.fsdecode(file), None, tuple(options) + ((f"--name={name}",) if name else ()))


def tell(messages: Sequence[Message], depth: int) -> None:
    """Warnings and remarks, each with its notes, as Python's warnings."""
    text = ""
    for message in list(messages) + [None]:
        if message is not None and message.severity == _native.NOTE:
            text += f"\n  {message}" if text else ""
            continue
        if text:
            warn(text, depth)
        text = str(message) if message is not None and message.severity in (_native.WARNING, _native.REMARK) else ""
