# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled steps that are kept: by what was compiled, with which options, by which compiler, for which CPU.

A folder for each, with a shared library, manifest, weights and messages, appears whole or not at all. What is there is code
that will run, so the folder must be the user's own, and files are compared with the manifest's digests.
"""
from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _native, _tensors
from ._manifest import Manifest
from ._native import Compiled, Message, Shared
from .errors import Error, FileError

Cache = Union[None, bool, str, "os.PathLike[str]"]
MESSAGES = "messages.txt"
# Options whose files are not part of what is compared: such steps are compiled anew.
NAMING_FILES = ("--class-weights", "--parameters", "--custom-ops", "--tune", "--nvrtc", "--clang", "--ptxas", "--dump-ir")
# As an ONNX file has it where its weights are in another file: the key "location" of an entry.
EXTERNAL = b"\x0a\x08location"


def folder_of(cache: Cache) -> Optional[Path]:
    """None where nothing is to be kept."""
    if cache is None or cache is False:
        return None
    if cache is not True:
        return Path(cache)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "dlc")


def prepared(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.stat()
    except OSError as error:
        raise FileError(f"cache: the folder '{folder}' cannot be used ({error})") from None
    if found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise FileError(f"cache: '{folder}' can be written by others than its user, and code is loaded from it: give a folder of "
                        "your own, without write permission for others (chmod go-w)")
    return folder


def processor() -> str:
    """What code for this CPU depends on: its model and instruction sets."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0].splitlines()
        kept = ("vendor", "model", "cpu family", "flags", "features", "cpu impl", "cpu part", "cpu variant", "stepping")
        return "\n".join(line for line in lines if line.lower().startswith(kept))
    except OSError:
        return platform.processor()


def key_of(file: str, model: Optional[bytes], options: Sequence[str]) -> Optional[str]:
    """Hexadecimal digits; None for what is compiled anew each time."""
    if any(option.partition("=")[0] in NAMING_FILES for option in options):
        return None
    try:
        content = Path(file).read_bytes() if model is None else model
        library = Path(_native.library()._name).resolve()
        state = library.stat()
    except OSError:
        return None  # the compiler says what is wrong
    if EXTERNAL in content:
        return None
    digest = hashlib.sha256()
    for part in (_native.version(), str(library), str(state.st_size), str(state.st_mtime_ns), platform.machine(), processor(),
                 Path(file).name, *options):
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    digest.update(content)
    return digest.hexdigest()


def load(folder: Path) -> Optional[Tuple[Shared, Manifest, Dict[str, Any], List[Message]]]:
    """(code, manifest, what else the instance is made with, messages); None where it is not there, or damaged."""
    try:
        manifests = list(folder.glob("*.json"))
        described = Manifest(manifests[0].read_text(encoding="utf-8"))
        for file, digest in described.data.get("sha256", {}).items():
            if hashlib.sha256((folder / file).read_bytes()).hexdigest() != digest:
                return None
        loss, told = json.loads((folder / MESSAGES).read_text(encoding="utf-8"))
        messages = [Message(*each) for each in told]
        code = Shared(folder / f"lib{described.name}.so", described.name, described.abi, described.fingerprint)
        code.loss = str(loss)
    except (OSError, IndexError, ValueError, TypeError, Error):
        return None
    weights = folder / f"{described.name}.safetensors"
    return code, described, {"weights": str(weights)} if weights.exists() else {}, messages


def store(folder: Path, compiled: Compiled) -> None:
    """Beside each other, two processes may make the same; the one that comes second leaves the first one's."""
    temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=str(folder.parent)))
    try:
        for name, content in compiled.files().items():
            _tensors.write_whole(temporary / name, content)
        _tensors.write_whole(temporary / MESSAGES, json.dumps([compiled.loss, [list(message) for message in compiled.messages]]).encode())
        if folder.exists():  # it was damaged: see load
            shutil.rmtree(folder, ignore_errors=True)
        try:
            os.rename(temporary, folder)
        except OSError:
            if not folder.exists():
                raise
    except OSError as error:
        raise FileError(f"cache: '{folder}' cannot be written ({error})") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def step_parts(cache: Path, file: str, model: Optional[bytes], options: Sequence[str]):
    """As `load`, of what is there or has been compiled now; None for what is not kept."""
    key = key_of(file, model, options)
    if key is None:
        return None
    folder = prepared(cache) / key
    found = load(folder)
    if found is None:
        compiled = Compiled("dlc_compile_files", file, model, [*options, "--emit=shared"])
        store(folder, compiled)
        compiled.close()
        found = load(folder)
    if found is None:
        raise FileError(f"cache: '{folder}' was written, and cannot be read: remove it, or compile without cache")
    return found
