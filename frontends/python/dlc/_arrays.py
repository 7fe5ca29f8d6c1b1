# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of any library as memory that a step reads, checked before it does: C knows only their addresses."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._manifest import Manifest, Tensor
from .errors import ArrayTypeError, ArrayValueError

CPU = 1  # DLPack's number of it
DEVICES = {2: "an NVIDIA GPU", 3: "pinned memory of CUDA", 8: "Metal", 10: "an AMD GPU", 13: "managed memory of CUDA"}


def shape_text(shape: Sequence[int]) -> str:
    return "[" + ", ".join(str(size) for size in shape) + "]"


def is_torch(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "torch" or any(
        kind.__module__.split(".")[0] == "torch" for kind in type(value).__mro__)


def to_numpy(value: Any, name: str) -> np.ndarray:
    """The same memory as an array of NumPy."""
    if isinstance(value, np.ma.MaskedArray):
        raise ArrayTypeError(f"{name}: expected an array, got a masked one; fill it with x.filled(...)")
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if is_torch(value):
        value = value.detach()  # its values are wanted, and a tensor that requires a gradient has no __dlpack__
        if str(getattr(value, "layout", "torch.strided")) != "torch.strided":
            raise ArrayTypeError(f"{name}: expected a dense tensor, got one of the layout {value.layout}; give x.to_dense()")
        if "bfloat16" in str(value.dtype):  # which NumPy has not; its bits it has
            return to_numpy(value.view(_torch().int16), name).view(np.uint16).view(_BITS)
    if not hasattr(value, "__dlpack__"):
        raise ArrayTypeError(f"{name}: expected an array of NumPy, or of any library that has __dlpack__, such as a tensor of "
                             f"PyTorch; got {type(value).__name__}; numpy.asarray makes an array of a list")
    try:
        kind = int(value.__dlpack_device__()[0])
    except (ValueError, TypeError, BufferError, RuntimeError) as error:  # of PyTorch's device "meta", which has no memory
        raise ArrayTypeError(f"{name}: expected memory of the CPU, got an array that has no such memory ({error})") from None
    if kind != CPU:
        raise ArrayValueError(f"{name}: expected memory of the CPU, got an array in {DEVICES.get(kind, f'device {kind}')}; "
                              "copy it first, as x.cpu() does")
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ArrayTypeError(f"{name}: NumPy cannot read this array ({error}); convert it to a dtype that NumPy has") from None


def _torch():
    import torch
    return torch


# Bits of bfloat16, told from numbers of uint16 by the field's name.
_BITS = np.dtype([("bfloat16", np.uint16)])


def dtype_name(array: np.ndarray) -> str:
    return "bfloat16" if array.dtype == _BITS else array.dtype.name if array.dtype.isnative else array.dtype.str


class Batch:
    """The arrays of a call, compared with what the model takes. `held` keeps their memory."""

    def __init__(self, manifest: Manifest, arrays: Sequence[Any], named: Dict[str, Any], *, with_targets: bool,
                 any_rows: bool):
        self.manifest = manifest
        self.tensors = [tensor for tensor in manifest.inputs if with_targets or not tensor.is_target]
        self.held = [self._read(tensor, value) for tensor, value in zip(self.tensors, self._arrange(arrays, named))]
        self.sizes: Dict[str, int] = {}
        self.can_cut = any_rows and bool(manifest.batch) and self._is_cut_by_rows()
        for _ in range(2):  # first the axes that say a size, then products of several
            for tensor, array in zip(self.tensors, self.held):
                self._match(tensor, array)
        for name, bound in manifest.bounds.items():
            self.sizes.setdefault(name, bound)  # no input says it

    def beside(self, tensor: Tensor, value: Any) -> np.ndarray:
        """What a function takes beside the inputs, of this batch's sizes. The caller keeps it."""
        array = self._read(tensor, value)
        self._match(tensor, array)
        return array

    def _arrange(self, arrays: Sequence[Any], named: Dict[str, Any]) -> List[Any]:
        expected = ", ".join(f"'{tensor.name}' {tensor.type_text()}" for tensor in self.tensors)
        left = list(self.tensors)[len(arrays):]
        if len(arrays) > len(self.tensors) or len(left) != len(named):
            raise ArrayTypeError(f"expected {len(self.tensors)} arrays ({expected}), got {len(arrays) + len(named)}")
        values = list(arrays)
        for tensor in left:
            key = tensor.name if tensor.name in named else tensor.argument
            if key not in named:
                raise ArrayTypeError(f"input '{tensor.name}' is missing: expected {expected}; got {len(arrays)} by place and " +
                                     ", ".join(f"'{name}'" for name in named) + " by name")
            values.append(named[key])
        return values

    def _read(self, tensor: Tensor, value: Any) -> np.ndarray:
        array = to_numpy(value, f"input '{tensor.name}'")
        is_bits = tensor.is_bits and array.dtype == _BITS
        if (array.dtype != tensor.dtype or tensor.is_bits or not array.dtype.isnative) and not is_bits:
            wanted = "bfloat16" if tensor.is_bits else tensor.dtype.name
            more = array.ndim - len(tensor.shape) if tensor.is_target else 0
            advice = ("labels are the numbers of classes, as x.argmax(1) of one-hot rows gives them; for probabilities of classes "
                      "compile with label_type='f32'"
                      if more == 1 and tensor.dtype.kind == "i" else
                      "labels, the numbers of classes, are for a cross entropy"
                      if more == -1 and tensor.dtype.kind == "f" and array.dtype.kind in "iu" else
                      "give a tensor of PyTorch of that type" if tensor.is_bits else
                      f"convert it with x.to(torch.{wanted})" if is_torch(value) else f"convert it with x.astype('{wanted}')")
            raise ArrayTypeError(f"input '{tensor.name}': expected {tensor.type_text()}, got {dtype_name(array)} "
                                 f"{shape_text(array.shape)}; {advice}")
        # Other orders in memory, such as Fortran's, are copied.
        return np.require(array, requirements=["C", "A"])

    def _is_cut_by_rows(self) -> bool:
        """Whether the rows are the outermost axis of all that has any, so that a batch can be gone over in parts."""
        rows = self.manifest.batch_name
        for tensor in self.tensors + self.manifest.predictions:
            is_output = tensor in self.manifest.predictions
            axes = [axis for axis, (_, names) in enumerate(tensor.shape) if rows in names]
            if any(axis > 0 or len(tensor.shape[axis][1]) > 1 for axis in axes) or (is_output and not axes):
                return False
        return True

    def _match(self, tensor: Tensor, array: np.ndarray) -> None:
        if array.ndim != len(tensor.shape):
            self._refuse(tensor, array)
        for size, (factor, names) in zip(array.shape, tensor.shape):
            if len(names) == 1 and names[0] not in self.sizes:
                found, bound = size // factor, self.manifest.bounds[names[0]]
                is_open = names[0] == self.manifest.batch_name and self.can_cut
                if size % factor or found < 1 or (found > bound and not is_open):
                    self._refuse(tensor, array)
                self.sizes[names[0]] = found
            expected: Optional[int] = factor
            for name in names:
                expected = expected * self.sizes[name] if expected and name in self.sizes else None
            if expected is not None and size != expected:
                self._refuse(tensor, array)

    def _refuse(self, tensor: Tensor, array: np.ndarray) -> None:
        text = f"input '{tensor.name}': expected {tensor.type_text()}"
        for name in {name: None for _, names in tensor.shape for name in names}:
            if name in self.sizes:
                text += f", {name} being {self.sizes[name]} elsewhere"
            elif name == self.manifest.batch_name and self.can_cut:
                text += f", {name} at least 1"
            else:
                text += f", {name} from 1 to {self.manifest.bounds[name]}"
        raise ArrayValueError(f"{text}; got {dtype_name(array)} {shape_text(array.shape)}")

    @property
    def rows(self) -> int:
        return self.sizes[self.manifest.batch_name] if self.manifest.batch_name else max(self.manifest.batch, 1)

    @property
    def other_sizes(self) -> List[int]:
        return [self.sizes[name] for name in self.manifest.sizes]

    @property
    def is_at_bounds(self) -> bool:
        return all(self.sizes[name] == bound for name, bound in self.manifest.bounds.items())

    def parts(self) -> List[Tuple[int, int]]:
        """(first row, rows) of the parts that a call takes."""
        most = self.manifest.batch if self.manifest.batch_name else self.rows
        return [(first, min(most, self.rows - first)) for first in range(0, self.rows, most)] or [(0, self.rows)]

    def pointers(self, first: int = 0) -> List[int]:
        result = []
        for tensor, array in zip(self.tensors, self.held):
            has_rows = bool(tensor.shape) and self.manifest.batch_name in tensor.shape[0][1]
            result.append(array.ctypes.data + (first * array.nbytes // self.rows if has_rows and first else 0))
        return result

    def shape_of(self, output: Tensor) -> Tuple[int, ...]:
        shape = []
        for factor, names in output.shape:
            for name in names:
                factor *= self.sizes[name]
            shape.append(factor)
        return tuple(shape)
