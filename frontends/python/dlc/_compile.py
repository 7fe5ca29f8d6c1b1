# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a step: the functions that users call."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import _cache, _torch
from ._build import compile_request, instance_options
from ._manifest import Manifest
from ._native import Compiled, Shared
from ._options import Model, Size, for_device, options_of, request_of
from ._step import Step
from .errors import CompileError, FileError


def from_onnx(model: Model, *, loss: Optional[str] = None, optimizer: Any = None, batch: Optional[Size] = None,
              dims: Optional[Mapping[str, Size]] = None, name: Optional[str] = None, threads: int = 0,
              device: Optional[str] = None, seed: Optional[int] = None, check_finite: bool = False,
              weights: Optional[str] = None, cache: _cache.Cache = False, **options: Any) -> Step:
    """Compiles an ONNX model, a program of torch.export.save (.pt2) or of JAX (StableHLO; `parameters` is the file of its
    values), its bytes or the name of its file, into this process.

    loss        a name, as PyTorch or dlc has it ("cross_entropy", "mse", ...); without one, the step predicts only
    optimizer   dlc.AdamW(lr=1e-3) and so on, or a name; sgd without one
    batch       rows of a batch; (1, 64): training takes any number up to 64
    dims        sizes of other dims that the model leaves open, by name: 128, or (1, 128) for any size up to it
    name        of the model in C, where it is exported
    threads, seed, check_finite, weights (a safetensors file): of the instance, as dlc/runtime.h says
    device      "cpu"; "gpu" or "gpu:1", also "cuda", "cuda:1", for which code is made unless `target` says otherwise;
                dlc.best_device() chooses
    cache       True: what is compiled is kept in ~/.cache/dlc (or the folder that is given), and taken from there where model,
                options, compiler and CPU are the same
    options     any other option of `dlc compile`: clip_grad_norm=1.0, ema_decay=0.999, label_smoothing=0.1,
                freeze=["embed.*"], precision="bf16", target="nvptx", ...

    Raises dlc.CompileError with the compiler's sentences; remarks come as warnings of the class dlc.CompilerWarning.
    """
    seed_options = {} if seed is None else {"seed": seed}
    options = dict(for_device(device, options))
    request = request_of(model, options_of(loss, optimizer, batch, dims, {**options, **seed_options}), name)
    return compile_request(request, instance_options(threads, device, None, check_finite, weights), cache=cache)


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
    return Step(code, described, **instance_options(threads, device, seed, check_finite, weights))


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

    The rest is as in dlc.from_onnx, which a model that is no module of PyTorch is given to; a program of
    torch.export.export can be given as it is.
    """
    seed_options = {} if seed is None else {"seed": seed}
    options = dict(for_device(device, options))
    if not _torch.is_module(model):
        model = _torch.saved(model)
        if examples is not None:
            raise TypeError(f"expected a module of PyTorch with its examples, or an ONNX model or a program of torch.export without any; got {type(model).__name__}")
        request = request_of(model, options_of(loss, optimizer, batch, dims, {**options, **seed_options}), name)
        return compile_request(request, instance_options(threads, device, None, check_finite, weights), cache=cache)
    if examples is None:
        raise TypeError("a module of PyTorch is compiled with an example of what forward takes: dlc.compile(net, (x,), ...)")
    return _torch.compile_module(model, examples, loss=loss, optimizer=optimizer, batch=batch, dims=dims, axes=axes, name=name,
                                 exporter=exporter, check=check, check_seconds=check_seconds, cache=cache,
                                 instance=instance_options(threads, device, None, check_finite, weights),
                                 options={**options, **seed_options})
