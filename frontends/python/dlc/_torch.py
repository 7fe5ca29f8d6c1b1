# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch: exported in memory by dlc_export (tools/export), compiled, and compared with the module."""
from __future__ import annotations

import importlib
import importlib.util
import io
import logging
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _program, _torch_compare, _torch_settings
from ._arrays import is_torch
from ._build import compile_request
from ._options import Request, Size, options_of
from ._step import Step
from ._torch_state import TorchOrigin
from .errors import CompileError, Error, warn


def is_module(value: Any) -> bool:
    return any(kind.__name__ == "Module" and kind.__module__ == "torch.nn.modules.module" for kind in type(value).__mro__)


def saved(model: Any) -> Any:
    """The bytes of a program of torch.export.export, as torch.export.save writes them; anything else as it is."""
    if not any(kind.__name__ == "ExportedProgram" and kind.__module__.startswith("torch.export") for kind in type(model).__mro__):
        return model
    import torch
    file = io.BytesIO()
    torch.export.save(model, file)
    return file.getvalue()


def exporter_package() -> Any:
    """dlc_export: beside this package, in the sources, or in an installation around it."""
    if "dlc_export" not in sys.modules:
        here = Path(__file__).resolve().parent
        folders = [here, here.parent, here.parents[2] / "tools" / "export", *(folder / "share" / "dlc" for folder in here.parents),
                   here / "share" / "dlc"]
        found = next((folder for folder in folders if (folder / "dlc_export" / "__init__.py").exists()), None)
        if found is None:
            raise Error("the package dlc_export was not found, which exports modules of PyTorch: it is a part of dlc, in "
                        "share/dlc of an installation and in tools/export of the sources")
        path = found / "dlc_export"
        spec = importlib.util.spec_from_file_location("dlc_export", path / "__init__.py", submodule_search_locations=[str(path)])
        module = importlib.util.module_from_spec(spec)
        sys.modules["dlc_export"] = module
        spec.loader.exec_module(module)
    for name in "onnx", "onnxscript":
        if importlib.util.find_spec(name) is None:
            raise Error(f"exporting a module of PyTorch needs the Python package {name}: pip install onnx onnxscript")
    return importlib.import_module("dlc_export.export")


def tensors_of(examples: Any) -> Tuple[Any, ...]:
    """Tensors of two rows or more, as exporters take one for a size that is fixed."""
    import torch
    if is_torch(examples) or isinstance(examples, np.ndarray):
        examples = (examples,)
    result = []
    for number, example in enumerate(examples):
        tensor = torch.from_numpy(np.ascontiguousarray(example)) if isinstance(example, np.ndarray) else example
        if not is_torch(tensor):
            raise TypeError(f"example {number}: expected a tensor or an array of NumPy, as forward takes it; got "
                            f"{type(example).__name__}")
        result.append(tensor.detach().cpu())
    return tuple(result)


def with_rows(examples: Tuple[Any, ...], axes: Sequence[Mapping[int, str]]) -> Tuple[Any, ...]:
    import torch
    result = []
    for example, names in zip(examples, axes):
        for axis in names:
            if axis < example.dim() and example.shape[axis] == 1:
                example = torch.cat([example, example], axis)
        result.append(example)
    return tuple(result)


def compile_module(module: Any, examples: Any, *, loss: Any, optimizer: Any, batch: Optional[Size],
                   dims: Optional[Mapping[str, Size]], axes: Optional[Sequence[Mapping[int, str]]], name: Optional[str],
                   exporter: str, check: bool, check_seconds: float, cache: Any, instance: Dict[str, Any],
                   options: Dict[str, Any]) -> Step:
    examples = tensors_of(examples)
    axes = [{0: "batch"} if example.dim() else {} for example in examples] if axes is None else [dict(each) for each in axes]
    if len(axes) != len(examples):
        raise ValueError(f"axes: expected the open axes of each of the {len(examples)} inputs, got {len(axes)}")
    if batch is None and any("batch" in each.values() for each in axes):
        batch = int(examples[0].shape[0])
    folder = tempfile.mkdtemp(prefix="dlc-")  # options may name a file in it: it goes with the step's origin
    try:
        request, report, follow = request_of_module(module, examples, Path(folder), loss=loss, optimizer=optimizer, batch=batch,
                                                    dims=dims, axes=axes, name=name, exporter=exporter, check=check,
                                                    check_seconds=check_seconds, options=options)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    origin = TorchOrigin(request, module, report, folder)
    for remark in report.remarks:
        warn(f"{type(module).__name__}: {remark}", depth=4)
    step = compile_request(request, instance, origin, depth=5, cache=cache)
    if follow is not None:
        step._hooks.append(follow)
    rates = _torch_settings.KeptRates(module)
    if rates.layers:
        step._hooks.append(rates)
    if check:
        _torch_compare.compare(step, module, examples)
    return step


def request_of_module(module: Any, examples: Tuple[Any, ...], folder: Path, *, loss: Any, optimizer: Any, batch: Optional[Size],
                      dims: Optional[Mapping[str, Size]], axes: Sequence[Mapping[int, str]], name: Optional[str], exporter: str,
                      check: bool, check_seconds: float, options: Dict[str, Any]) -> Tuple[Request, Any, Any]:
    """(what is compiled, the exporter's report, the hook by which an optimizer is followed). What can be refused at once is,
    before the exporter takes its time."""
    follow, extra = None, []
    if _torch_settings.is_optimizer(optimizer):
        follow = _torch_settings.Follow(optimizer, module)
        optimizer, extra = _torch_settings.optimizer_options(optimizer, module)
    if loss is not None and not isinstance(loss, str):
        loss, more = _torch_settings.loss_options(loss, folder)
        extra += more
    every = options_of(loss, optimizer, batch, dims, options) + extra
    model, report = exported(module, with_rows(examples, axes), axes, exporter, check, check_seconds)
    request = Request(f"{name or identifier(type(module).__name__)}.onnx", model, tuple(every))
    return request, report, follow


def identifier(text: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in text).lower() or "model"


def exported(module: Any, examples: Tuple[Any, ...], axes: Sequence[Mapping[int, str]], exporter: str, check: bool,
             seconds: float) -> Tuple[bytes, Any]:
    """(the file's bytes, the report on them)."""
    package, interpreter = exporter_package(), _program.find("dlc-interpret")
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it warns of packages that nothing here needs
    try:
        with tempfile.TemporaryDirectory(prefix="dlc-") as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = Path(folder, "model.onnx")
            report = package.export(module, examples, path, exporter=exporter, dims=axes, compares=check,
                                    dlc=None if interpreter is None else str(interpreter), seconds=seconds)
            model = path.read_bytes()
    except (ValueError, TypeError) as error:
        raise CompileError(f"{type(module).__name__}: {error}") from error
    finally:
        logger.setLevel(level)
    if report.problems:
        raise CompileError(f"{type(module).__name__} cannot be compiled as it is: " + "\n  ".join(report.problems))
    return model, report
