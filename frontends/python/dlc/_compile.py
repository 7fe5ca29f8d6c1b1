# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a step: what is asked for becomes options of the compiler, which checks them."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from . import _cache, _native, optim
from ._manifest import Manifest
from ._native import Compiled, Message, Shared
from ._step import Step
from .errors import CompileError, FileError, warn

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
    other_names: Set[str] = frozenset()  # of tied parameters, in PyTorch's state_dict

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


def request_of(model: Model, options: Sequence[str], name: Optional[str]) -> Request:
    """Bytes, or a file by its name."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Request(f"{name or 'model'}.onnx", bytes(model), tuple(options))
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


def compile_request(request: Request, instance: Dict[str, Any], origin: Optional[Origin] = None, depth: int = 4,
                    cache: _cache.Cache = None) -> Step:
    folder = _cache.folder_of(cache)
    kept = _cache.step_parts(folder, *request) if folder is not None else None
    if kept is None:
        compiled = Compiled("dlc_compile", request.file, request.model, request.options)
        tell(compiled.messages, depth + 1)
        step = Step(compiled, Manifest(compiled.manifest), **instance)
    else:
        code, manifest, more, messages = kept
        tell(messages, depth + 1)
        step = Step(code, manifest, **{**instance, **(more if instance.get("weights") is None else {})})
    step.origin = origin or Origin(request)
    return step


def from_onnx(model: Model, *, loss: Optional[str] = None, optimizer: Any = None, batch: Optional[Size] = None,
              dims: Optional[Mapping[str, Size]] = None, name: Optional[str] = None, threads: int = 0,
              device: Optional[str] = None, seed: Optional[int] = None, check_finite: bool = False,
              weights: Optional[str] = None, cache: _cache.Cache = False, **options: Any) -> Step:
    """Compiles an ONNX model, its bytes or the name of its file, into this process.

    loss        a name, as PyTorch or dlc has it ("cross_entropy", "mse", ...); without one, the step predicts only
    optimizer   dlc.AdamW(lr=1e-3) and so on, or a name; sgd without one
    batch       rows of a batch; (1, 64): training takes any number up to 64
    dims        sizes of other dims that the model leaves open, by name: 128, or (1, 128) for any size up to it
    name        of the model in C, where it is exported
    threads, device ("cpu", "gpu"), seed, check_finite, weights (a safetensors file): of the instance, as dlc/runtime.h says
    cache       True: what is compiled is kept in ~/.cache/dlc (or the folder that is given), and taken from there where model,
                options, compiler and CPU are the same
    options     any other option of `dlc compile`: clip_grad_norm=1.0, ema_decay=0.999, label_smoothing=0.1,
                freeze=["embed.*"], precision="bf16", target="nvptx", ...

    Raises dlc.CompileError with the compiler's sentences; remarks come as warnings of the class dlc.CompilerWarning.
    """
    seed_options = {} if seed is None else {"seed": seed}
    request = request_of(model, options_of(loss, optimizer, batch, dims, {**options, **seed_options}), name)
    return compile_request(request, _instance_options(threads, device, None, check_finite, weights), cache=cache)


def _instance_options(threads: int, device: Optional[str], seed: Optional[int], check_finite: bool,
                      weights: Optional[str]) -> Dict[str, Any]:
    if weights is not None and not Path(weights).exists():
        raise FileError(f"weights: there is no file '{weights}'")
    return {"threads": threads, "device": device, "seed": seed, "check_finite": check_finite,
            "weights": None if weights is None else os.fspath(weights)}


def check(model: Model, *, loss: Optional[str] = None, optimizer: Any = None, batch: Optional[Size] = None,
          dims: Optional[Mapping[str, Size]] = None, **options: Any) -> List[str]:
    """Everything that would stop dlc.from_onnx with the same arguments, a sentence each, all at once; empty if nothing
    does."""
    request = request_of(model, options_of(loss, optimizer, batch, dims, options), None)
    try:
        Compiled("dlc_check", request.file, request.model, request.options)
    except CompileError as error:
        return str(error).split("\n")
    return []


def load(library: Union[str, "os.PathLike[str]"], manifest: Union[None, str, "os.PathLike[str]"] = None, *, threads: int = 0,
         device: Optional[str] = None, seed: Optional[int] = None, check_finite: bool = False,
         weights: Union[None, str, "os.PathLike[str]"] = None) -> Step:
    """A library that `dlc compile --emit=shared` wrote, and its manifest (by default the .json beside it). Nothing is
    compiled, and libdlc is not needed. `weights`: a safetensors file with the initial parameters; by default the one beside
    the library where the manifest names one."""
    path = Path(library)
    beside = Path(manifest) if manifest is not None else path.parent / (path.name[3:] if path.name.startswith("lib")
                                                                        else path.name).replace(".so", ".json")
    try:
        text = beside.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"the manifest '{beside}' cannot be read ({error}); dlc compile writes it beside the library") from None
    if not path.exists():
        raise FileError(f"there is no library '{path}'")
    described = Manifest(text, f"'{beside}'")
    if weights is None:
        name = next((file for file in described.data.get("files", []) if file.endswith(".safetensors")), None)
        weights = beside.parent / name if name else None
    code = Shared(path, described.name, described.abi, described.fingerprint)
    return Step(code, described, **_instance_options(threads, device, seed, check_finite, weights))


def compile(model: Any, examples: Any = None, *, loss: Any = None, optimizer: Any = None, batch: Optional[Size] = None,
            dims: Optional[Mapping[str, Size]] = None, axes: Optional[Sequence[Mapping[int, str]]] = None,
            name: Optional[str] = None, exporter: str = "dynamo", check: bool = True, check_seconds: float = 60,
            threads: int = 0, device: Optional[str] = None, seed: Optional[int] = None, check_finite: bool = False,
            weights: Optional[str] = None, cache: _cache.Cache = False, **options: Any) -> Step:
    """Compiles a module of PyTorch into this process: it is exported in memory, as each of its layers is (training or
    evaluation mode), compared with what was made of it, and stays as it is.

    examples    what forward takes: a tensor, or a tuple of them
    loss        a name ("cross_entropy"), a loss of torch.nn, or "output" where forward returns the loss
    optimizer   one of dlc's (dlc.AdamW(lr=1e-3)), or an object of torch.optim, which is read with its groups: before each
                update, the step takes the rates that it has then, so that a torch.optim.lr_scheduler works as ever
    batch       rows of a batch; by default those of the example; (1, 64): any number up to 64
    axes        which axes of the examples stay open, a dict for each: [{0: "batch", 1: "time"}]; by default the first
    dims        their sizes by name: {"time": (1, 128)}
    exporter    "dynamo", or "torchscript", PyTorch's older one
    check       whether outputs and gradients are compared with PyTorch's; a difference is a dlc.CompileError that names
                the layer. check_seconds: for how long dlc's interpreter may run for it

    The rest is as in dlc.from_onnx, which a model that is no module of PyTorch is given to.
    """
    from . import _torch
    seed_options = {} if seed is None else {"seed": seed}
    if not _torch.is_module(model):
        if examples is not None:
            raise TypeError(f"expected a module of PyTorch with its examples, or an ONNX model without any; got {type(model).__name__}")
        request = request_of(model, options_of(loss, optimizer, batch, dims, {**options, **seed_options}), name)
        return compile_request(request, _instance_options(threads, device, None, check_finite, weights), cache=cache)
    if examples is None:
        raise TypeError("a module of PyTorch is compiled with an example of what forward takes: dlc.compile(net, (x,), ...)")
    return _torch.compile_module(model, examples, loss=loss, optimizer=optimizer, batch=batch, dims=dims, axes=axes, name=name,
                                 exporter=exporter, check=check, check_seconds=check_seconds, cache=cache,
                                 instance=_instance_options(threads, device, None, check_finite, weights),
                                 options={**options, **seed_options})
