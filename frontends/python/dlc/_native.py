# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdlc, the compiler as a C library (dlc/compiler.h), by ctypes: no function of it holds Python's lock."""
from __future__ import annotations

import ctypes
import os
import tempfile
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .errors import CompileError, Error

ERROR, WARNING, REMARK, NOTE = range(4)


class Message(NamedTuple):
    """What the compiler said."""

    severity: int  # ERROR, WARNING, REMARK or NOTE
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class _Request(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("file", c_char_p), ("model", c_char_p), ("model_bytes", c_size_t),
                ("options", POINTER(c_char_p)), ("option_count", c_size_t)]


class _Message(ctypes.Structure):
    _fields_ = [("severity", c_int32), ("place", c_char_p), ("text", c_char_p)]


class _File(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("data", c_void_p), ("bytes", c_size_t)]


class CreateOptions(ctypes.Structure):
    """dlc_create_options of dlc/runtime.h."""

    _fields_ = [("struct_size", c_size_t), ("weights_path", c_char_p), ("seed", c_uint64), ("use_seed", c_int32),
                ("threads", c_int32), ("arena", c_void_p), ("arena_bytes", c_size_t), ("check_finite", c_int32),
                ("reserved", c_int32), ("error", c_void_p), ("error_bytes", c_size_t), ("device", c_char_p)]


class Metrics(ctypes.Structure):
    """dlc_metrics of dlc/runtime.h."""

    _fields_ = [("loss_sum", c_double), ("loss_weight", c_double), ("correct", c_int64), ("count", c_int64)]


def candidates() -> List[Path]:
    """Where libdlc may be: what DLC_LIBRARY names, in this package, in a build or an installation around it."""
    here = Path(__file__).resolve().parent
    chosen = os.environ.get("DLC_LIBRARY")
    if chosen:
        return [Path(chosen)]
    root = here.parents[2]  # of the sources; this package is frontends/python/dlc
    found = [here / "libdlc.so", here / "lib" / "libdlc.so", root / "build" / "lib" / "libdlc.so"]
    return found + [folder / name / "libdlc.so" for folder in here.parents for name in ("lib", "lib64")]


_loaded: Optional[ctypes.CDLL] = None
_loading = threading.Lock()


def library() -> ctypes.CDLL:
    """libdlc; loaded once, when something is compiled."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def _load() -> ctypes.CDLL:
    looked = candidates()
    path = next((path for path in looked if path.exists()), None)
    if path is None:
        raise Error("libdlc.so was not found, which compiles models: looked for " +
                    ", ".join(f"'{path}'" for path in looked[:3]) +
                    "; set DLC_LIBRARY to the file of a build or an installation (dlc.load works without it)")
    try:
        native = ctypes.CDLL(str(path))
    except OSError as error:
        raise Error(f"'{path}' cannot be loaded: {error}") from None
    handle = c_void_p
    for name in ("dlc_compile", "dlc_compile_files", "dlc_check"):
        _declare(native, name, c_int32, POINTER(_Request), POINTER(handle))
    _declare(native, "dlc_compiled_destroy", None, handle)
    _declare(native, "dlc_compiled_error", c_char_p, handle)
    _declare(native, "dlc_compiled_manifest", c_char_p, handle)
    _declare(native, "dlc_compiled_loss", c_char_p, handle)
    _declare(native, "dlc_compiled_message_count", c_size_t, handle)
    _declare(native, "dlc_compiled_message", c_int32, handle, c_size_t, POINTER(_Message))
    _declare(native, "dlc_compiled_file_count", c_size_t, handle)
    _declare(native, "dlc_compiled_file", c_int32, handle, c_size_t, POINTER(_File))
    _declare(native, "dlc_compiled_function", c_void_p, handle, c_char_p)
    _declare(native, "dlc_compiled_create", c_int32, handle, POINTER(CreateOptions), POINTER(c_void_p))
    _declare(native, "dlc_runtime_function", c_void_p, c_char_p)
    _declare(native, "dlc_compiler_version", c_char_p)
    return native


def _declare(native: ctypes.CDLL, name: str, result, *arguments) -> None:
    try:
        function = getattr(native, name)
    except AttributeError:
        raise Error(f"'{native._name}' has no function {name}: it is a libdlc of another version") from None
    function.restype, function.argtypes = result, arguments


def version() -> str:
    """The version of the compiler, as `dlc --version` says it."""
    return library().dlc_compiler_version().decode()


class Compiled:
    """A dlc_compiled: what came of a model and options."""

    def __init__(self, function: str, file: str, model: Optional[bytes], options: Sequence[str]):
        self._native, self._process = library(), os.getpid()
        self._handle, self._instances, self._is_closed = c_void_p(), 0, False
        texts = (c_char_p * len(options))(*[encoded(option, "option") for option in options])
        request = _Request(ctypes.sizeof(_Request), encoded(file, "file"), model, len(model or b""), texts, len(options))
        status = getattr(self._native, function)(byref(request), byref(self._handle))
        if not self._handle:
            raise MemoryError("the model cannot be compiled: out of memory")
        self.messages = self._messages()
        if status:
            text = self._native.dlc_compiled_error(self._handle).decode(errors="replace")
            self.close()
            raise CompileError(text, self.messages)
        self.manifest = self._native.dlc_compiled_manifest(self._handle).decode(errors="replace")
        self.loss = self._native.dlc_compiled_loss(self._handle).decode(errors="replace")

    def _messages(self) -> List[Message]:
        result, message = [], _Message()
        for index in range(self._native.dlc_compiled_message_count(self._handle)):
            self._native.dlc_compiled_message(self._handle, index, byref(message))
            result.append(Message(message.severity, message.place.decode(errors="replace"),
                                  message.text.decode(errors="replace")))
        return result

    def files(self) -> Dict[str, bytes]:
        """Of dlc_compile_files."""
        result, file = {}, _File()
        for index in range(self._native.dlc_compiled_file_count(self._handle)):
            self._native.dlc_compiled_file(self._handle, index, byref(file))
            result[file.name.decode()] = ctypes.string_at(file.data, file.bytes)
        return result

    def address(self, name: str) -> Optional[int]:
        return self._native.dlc_compiled_function(self._handle, name.encode())

    def create(self, options: CreateOptions) -> Tuple[int, Optional[int]]:
        """(status, instance)."""
        instance = c_void_p()
        status = self._native.dlc_compiled_create(self._handle, byref(options), byref(instance))
        return status, instance.value

    def retain(self) -> None:
        """An instance was made: the code stays until it is gone."""
        self._instances += 1

    def release(self) -> None:
        self._instances -= 1
        if self._is_closed:
            self.close()

    def close(self) -> None:
        self._is_closed = True
        if self._instances > 0:
            return
        handle, self._handle = self._handle, c_void_p()
        if handle and os.getpid() == self._process:  # a child has none of the threads that it would wait for
            self._native.dlc_compiled_destroy(handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


_opened: Dict[str, Tuple[int, int, int]] = {}  # by path: device, number and time of the file that was loaded


def opened(path: Path) -> ctypes.CDLL:
    """The library in the file of now: for a path that it knows, the system's loader gives what it has loaded before, even where
    the file is another one since."""
    found = path.stat()
    identity = (found.st_dev, found.st_ino, found.st_mtime_ns)
    with _loading:
        before = _opened.get(str(path), identity)
        if before == identity:
            native = ctypes.CDLL(str(path))
        elif before[:2] == identity[:2]:
            raise OSError("it was loaded in this process, and has been written over since: write another file, as dlc does")
        else:
            with tempfile.TemporaryDirectory(prefix="dlc-") as folder:
                other = Path(folder, path.name)
                other.symlink_to(path)
                native = ctypes.CDLL(str(other))
        _opened[str(path)] = identity
    return native


class Shared:
    """A library that `dlc compile --emit=shared` wrote: it needs no libdlc."""

    def __init__(self, path: Union[str, Path], name: str, abi: int, fingerprint: int):
        self.path, self.name = str(path), name
        self.loss = ""  # not known
        self._abi, self._fingerprint = abi, fingerprint
        try:
            self._native = opened(Path(path).resolve())
        except OSError as error:
            raise Error(f"'{path}' cannot be loaded: {error}") from None
        if self.address(f"{name}_create_checked") is None:
            raise Error(f"'{path}' has no function {name}_create_checked: it is not the library of the model '{name}', which "
                        "the manifest describes")

    def address(self, name: str) -> Optional[int]:
        try:
            return ctypes.cast(getattr(self._native, name), c_void_p).value
        except AttributeError:
            return None

    def create(self, options: CreateOptions) -> Tuple[int, Optional[int]]:
        function = getattr(self._native, f"{self.name}_create_checked")
        function.restype = c_int32
        function.argtypes = (c_uint32, c_uint64, POINTER(CreateOptions), POINTER(c_void_p))
        instance = c_void_p()
        return function(self._abi, self._fingerprint, byref(options), byref(instance)), instance.value

    def retain(self) -> None:
        """It stays loaded: others may have it, too."""

    def release(self) -> None:
        pass


def encoded(text, what: str) -> bytes:
    """For C, which ends a text at a zero."""
    result = os.fsencode(text)
    if b"\0" in result:
        raise ValueError(f"{what} {text!r} has a zero character in it")
    return result
