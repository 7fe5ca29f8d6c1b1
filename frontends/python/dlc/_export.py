# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step as files: the library, header and manifest that `dlc compile` writes, with the parameters that the step has now."""
from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

import numpy as np

from . import _native, _tensors
from ._options import Origin, option, tell
from .errors import FileError, UnavailableError


def files_of(origin: Optional[Origin], values: Mapping[str, np.ndarray], target: Optional[str], shared: bool,
             name: Optional[str], options: Mapping[str, Any], depth: int) -> Dict[str, bytes]:
    """The files by name."""
    if origin is None:
        raise UnavailableError("the step was loaded from a library, and the model that it was compiled from is not known: export "
                               "where it was compiled")
    for key in ("embed_weights", "output", "emit"):
        if key in options:
            raise ValueError(f"export: {key} has no place here: the parameters of a step are in a file, and shared=True asks for "
                             "a shared library")
    wanted: List[str] = [*origin.request.options, f"--emit={'shared' if shared else 'lib'}"]
    if name:
        wanted = [each for each in wanted if not each.startswith("--name=")] + [f"--name={name}"]
    if target:
        wanted.append(f"--triple={target}")
    for key, value in options.items():
        wanted += option(key, value)
    compiled = _native.Compiled("dlc_compile_files", origin.request.file, origin.request.model, wanted)
    tell([message for message in compiled.messages if message.severity == _native.WARNING], depth)
    files = compiled.files()
    compiled.close()
    return with_values(files, values)


def with_values(files: Dict[str, bytes], values: Mapping[str, np.ndarray]) -> Dict[str, bytes]:
    """The step's parameters in the file of weights, whose digest stands in the manifest."""
    weights = next((file for file in files if file.endswith(".safetensors")), None)
    if weights is None:
        return files
    before = files[weights]
    after = _tensors.replaced(before, values, f"'{weights}'")
    digests = [hashlib.sha256(content).hexdigest().encode() for content in (before, after)]
    result = {**files, weights: after}
    for file in files:
        if file.endswith(".json"):
            result[file] = files[file].replace(*digests)
    return result


def write(folder: Path, files: Mapping[str, bytes]) -> List[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _tensors.write_whole(folder / name, content)
    except OSError as error:
        raise FileError(f"'{folder}' cannot be written to: {error}") from None
    return [folder / name for name in files]
