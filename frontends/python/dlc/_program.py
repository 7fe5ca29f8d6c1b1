# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the program dlc does with a step: it gets a folder with the step's library, manifest and state, and is run on it."""
from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _export, _native
from ._arrays import Batch
from ._options import option
from .errors import ArrayValueError, Error, UnavailableError

Logs = Union[None, str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


def find(*others: str) -> Optional[Path]:
    """dlc beside libdlc, where the programs `others` are beside it, too."""
    for path in _native.candidates():
        for folder in path.parent.parent / "bin", path.parent / "bin", path.parent:
            if path.exists() and all((folder / name).is_file() for name in ("dlc", *others)):
                return folder / "dlc"
    return None


def run(arguments: Sequence[str]) -> str:
    """What dlc prints; its errors are an exception."""
    program = find()
    if program is None:
        raise UnavailableError("the program dlc was not found, which lies in bin/ beside libdlc.so's folder: this needs a build or "
                               "an installation that has it; DLC_LIBRARY names its libdlc.so")
    done = subprocess.run([str(program), *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip() or f"it ended with status {done.returncode}, and said nothing"
        raise Error(f"dlc {arguments[0]}: {text}")
    return done.stdout.decode(errors="replace")


def library_of(step: Any) -> Dict[str, bytes]:
    """Files by name: a library of the step with its manifest, and the parameters of now."""
    if not isinstance(step._code, _native.Shared):
        values = {state.name: step._read(state) for state in step.manifest.of_kind("parameter", "buffer")}
        return _export.files_of(step.origin, values, None, True, None, {}, depth=6)
    names = [name for name in step.manifest.data.get("files", []) if name.endswith((".so", ".safetensors"))]
    files = {}
    with tempfile.TemporaryDirectory(prefix="dlc-") as folder:
        for name in names:
            path = Path(step._code.path)
            if name.endswith(".safetensors"):
                path = Path(folder, "weights.safetensors")
                step.instance.file("save_weights", path)
            files[name] = path.read_bytes()
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    described = {**step.manifest.data, "files": names, "sha256": digests}
    return {**files, f"{step.manifest.name}.json": json.dumps(described).encode()}


def inputs_of(step: Any, arrays: Sequence[Any], named: Mapping[str, Any], folder: Path) -> List[str]:
    """Options for a batch, whose values are written to files."""
    if not arrays and not named:
        return []
    batch = Batch(step.manifest, arrays, named, with_targets=step.manifest.trains, any_rows=False)
    if not batch.is_at_bounds:
        sizes = ", ".join(f"{name} {size}" for name, size in step.manifest.bounds.items())
        raise ArrayValueError(f"profile: sizes are at their largest, and so has the batch to be ({sizes}); without arrays, random "
                              "numbers are taken")
    options = []
    for number, (tensor, array) in enumerate(zip(batch.tensors, batch.held)):
        path = folder / f"input{number}"
        path.write_bytes(array.tobytes())
        options.append(f"--input={tensor.name}={path}")
    return options


def in_folder(step: Any, with_library: bool, folder: Path) -> str:
    """Writes what there is of the step; returns its manifest's path."""
    manifest = f"{step.manifest.name}.json"
    files = library_of(step) if with_library else {manifest: json.dumps(step.manifest.data).encode()}
    return str(_export.write(folder, {name: files[name] for name in sorted(files)})[sorted(files).index(manifest)])


def threads_of(step: Any, threads: Optional[int]) -> List[str]:
    return option("threads", (step._options.get("threads") if threads is None else threads) or None)


def profile(step: Any, arrays: Sequence[Any], named: Mapping[str, Any], function: Optional[str], threads: Optional[int],
            steps: Optional[int], by_node: bool, values: bool, trace: Union[None, str, "os.PathLike[str]"]) -> str:
    options = threads_of(step, threads)
    for name, value in {"function": function, "steps": steps, "by_node": by_node, "values": values, "trace": trace}.items():
        options += option(name, value)
    with tempfile.TemporaryDirectory(prefix="dlc-") as name:
        folder = Path(name)
        options += inputs_of(step, arrays, named, folder)
        state = folder / "state.safetensors"
        step.instance.file("save" if step.manifest.trains else "save_weights", state)
        return run(["profile", in_folder(step, True, folder), f"--weights={state}", *options])


def report(step: Any, path: Union[str, "os.PathLike[str]"], log: Logs, with_times: bool, function: Optional[str],
           threads: Optional[int]) -> Path:
    options = option("log", log)
    if with_times:
        options += ["--profile", *threads_of(step, threads), *option("function", function)]
    with tempfile.TemporaryDirectory(prefix="dlc-") as folder:
        run(["report", in_folder(step, with_times, Path(folder)), f"--output={os.fspath(path)}", *options])
    return Path(path)
