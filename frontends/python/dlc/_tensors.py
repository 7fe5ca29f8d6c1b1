# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Safetensors files: those of steps, whose values are put in place of others. Nothing in a file is trusted."""
from __future__ import annotations

import json
import os
import struct
import tempfile
from pathlib import Path
from typing import Any, Dict, Mapping, Tuple, Union

import numpy as np

from .errors import FileError

DTYPES = {"F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "BF16": np.dtype("<u2"),
          "I64": np.dtype("<i8"), "I32": np.dtype("<i4"), "BOOL": np.dtype(np.bool_), "U8": np.dtype(np.uint8)}


def parse(content: Union[bytes, bytearray], place: str) -> Tuple[Dict[str, Any], int]:
    """(the header, where the data begin)."""
    try:
        size, = struct.unpack_from("<Q", content)
        header = json.loads(bytes(content[8:8 + size]))
        if size > len(content) - 8 or not isinstance(header, dict):
            raise ValueError("its header is cut off")
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            first, last = entry["data_offsets"]
            count = 1
            for extent in entry["shape"]:
                count *= int(extent)
            if not 0 <= first <= last <= len(content) - 8 - size or last - first != count * DTYPES[entry["dtype"]].itemsize:
                raise ValueError(f"the tensor '{name}' lies outside of it")
        return header, 8 + size
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(f"{place} is no safetensors file that dlc reads: {error}") from None


def read(path: Union[str, "os.PathLike[str]"]) -> Dict[str, np.ndarray]:
    """All tensors of a file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"'{path}' cannot be read: {error}") from None
    header, start = parse(content, f"'{path}'")
    result = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            values = np.frombuffer(content[start + first:start + last], DTYPES[entry["dtype"]])
            result[name] = values.reshape(entry["shape"]).copy()
    return result


def replaced(content: bytes, values: Mapping[str, np.ndarray], place: str) -> bytes:
    """The same file with these values for those of the same names, whose dtypes and shapes are equal."""
    header, start = parse(content, place)
    result = bytearray(content)
    for name, array in values.items():
        entry = header.get(name)
        if entry is None:
            continue
        first, last = entry["data_offsets"]
        data = np.ascontiguousarray(array, DTYPES[entry["dtype"]]).tobytes()
        if len(data) != last - first or list(array.shape) != list(entry["shape"]):
            raise FileError(f"{place}: '{name}' has the shape {entry['shape']}, not {list(array.shape)}")
        result[start + first:start + last] = data
    return bytes(result)


def write_whole(path: Path, content: bytes) -> None:
    """The file appears whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=str(path.parent))
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
