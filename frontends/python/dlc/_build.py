# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A request becomes a step: compiled, or taken from the cache."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Optional

from . import _cache
from ._manifest import Manifest
from ._native import Compiled
from ._options import Origin, Request, tell
from ._step import Step
from .errors import FileError


def instance_options(threads: int, device: Optional[str], seed: Optional[int], check_finite: bool,
                      weights: Optional[str]) -> Dict[str, Any]:
    if weights is not None and not Path(weights).exists():
        raise FileError(f"weights: there is no file '{weights}'")
    return {"threads": threads, "device": device, "seed": seed, "check_finite": check_finite,
            "weights": None if weights is None else os.fspath(weights)}


def compile_request(request: Request, instance: Dict[str, Any], origin: Optional[Origin] = None, depth: int = 4,
                    cache: _cache.Cache = None) -> Step:
    folder = _cache.folder_of(cache)
    kept = _cache.step_parts(folder, *request) if folder is not None else None
    if kept is None:
        compiled = Compiled("dlc_compile", request.file, request.model, request.options)
        messages = compiled.messages
        tell(messages, depth + 1)
        step = Step(compiled, Manifest(compiled.manifest), **instance)
    else:
        code, manifest, more, messages = kept
        tell(messages, depth + 1)
        step = Step(code, manifest, **{**instance, **(more if instance.get("weights") is None else {})})
    step.origin = origin or Origin(request)
    step.origin.messages = messages
    return step
