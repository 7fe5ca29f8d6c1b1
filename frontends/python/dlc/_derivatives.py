# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives that a step was compiled with (function=["vjp", "jvp", "jacobian", "hvp"]), by the names of JAX."""
from __future__ import annotations

from ctypes import c_int64, c_void_p
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import Batch
from ._instance import Instance
from ._manifest import Manifest, State, Tensor
from .errors import ArrayTypeError, ArrayValueError, UnavailableError

Arrays = Union[np.ndarray, Tuple[np.ndarray, ...]]


class Derivatives:
    """What dlc.Step has of them. Inputs are given as to predict, or to a training step for hvp; a batch has at most the rows
    that the step was compiled for. Nothing is trained, and no state changes."""

    manifest: Manifest
    instance: Instance

    def vjp(self, *arrays: Any, cotangents: Any, **named: Any) -> Arrays:
        """The gradient by each input of the sum of all outputs times their cotangents: cotangents times the Jacobian.

        cotangents  an array of the output's shape and dtype; where the model has several outputs, a list of them in their
                    order, or a dict by their names, in which those that are left out are zeros
        Returns the gradient of the input of numbers that it was compiled for, or a tuple where there are several.
        """
        return self._along("vjp", arrays, named, cotangents)

    def jvp(self, *arrays: Any, tangents: Any, **named: Any) -> Arrays:
        """How the outputs change when the inputs go along their tangents: the Jacobian times tangents. `tangents` is of the
        inputs as the cotangents of vjp are of the outputs; returns the output's tangent, or a tuple of several."""
        return self._along("jvp", arrays, named, tangents)

    def jacobian(self, *arrays: Any, **named: Any) -> Union[np.ndarray, tuple]:
        """How each element of each output changes with each element of each input, of the shape of the output and then that of
        the input, as torch.autograd.functional.jacobian gives it: an array, or a tuple over the inputs where there are
        several, or over the outputs, or a tuple over the outputs of tuples over the inputs."""
        pairs = self.manifest.jacobian
        self._require_derivative("jacobian", bool(pairs))
        batch = Batch(self.manifest, arrays, named, with_targets=False, any_rows=False)
        found = [np.empty(batch.shape_of(pair.tensor), pair.tensor.dtype) for pair in pairs]
        self._call("jacobian", batch, [], found)
        rows: Dict[str, List[np.ndarray]] = {}
        for pair, array in zip(pairs, found):
            rows.setdefault(pair.of, []).append(array)
        nested = [each[0] if len(each) == 1 else tuple(each) for each in rows.values()]
        return nested[0] if len(nested) == 1 else tuple(nested)

    def hvp(self, *arrays: Any, vector: Any, **named: Any) -> Union[np.ndarray, Dict[str, np.ndarray]]:
        """The Hessian of a batch's loss by the trained parameters, times a vector.

        vector      a dict of arrays by the parameters' names, as gradients() gives it, in which those that are left out are
                    zeros; or one array with a number for each element of the trained parameters, one after the other
        Returns the product in the same form.
        """
        takes, _ = self._derivative("hvp")
        tensor, states = takes[0], [state for state in self.manifest.of_kind("parameter") if state.trainable]
        batch = Batch(self.manifest, arrays, named, with_targets=True, any_rows=False)
        is_by_name = isinstance(vector, Mapping)
        flat = batch.beside(tensor, self._joined(vector, states, tensor) if is_by_name else vector)
        product = np.empty_like(flat)
        self._call("hvp", batch, [flat], [product])
        if not is_by_name:
            return product
        ends = np.cumsum([int(np.prod(state.shape)) for state in states])
        return {state.name: part.reshape(state.shape).astype(state.dtype)
                for state, part in zip(states, np.split(product, ends[:-1]))}

    def _joined(self, vector: Mapping[str, Any], states: Sequence[State], tensor: Tensor) -> np.ndarray:
        unknown = [name for name in vector if name not in {state.name for state in states}]
        if unknown:
            raise KeyError(f"the model trains no parameter '{unknown[0]}'; it trains {', '.join(state.name for state in states)}")
        parts = [self._checked(state, vector[state.name]) if state.name in vector else np.zeros(state.shape)
                 for state in states]
        return np.concatenate([part.ravel().astype(tensor.dtype) for part in parts])

    def _along(self, name: str, arrays: Sequence[Any], named: Mapping[str, Any], directions: Any) -> Arrays:
        takes, gives = self._derivative(name)
        batch = Batch(self.manifest, arrays, dict(named), with_targets=False, any_rows=False)
        given = [batch.beside(tensor, value) if value is not None else np.zeros(batch.shape_of(tensor), tensor.dtype)
                 for tensor, value in zip(takes, self._arranged(takes, directions))]
        found = [np.empty(batch.shape_of(tensor), tensor.dtype) for tensor in gives]
        self._call(name, batch, given, found)
        return found[0] if len(found) == 1 else tuple(found)

    @staticmethod
    def _arranged(takes: Sequence[Tensor], directions: Any) -> List[Optional[Any]]:
        """By the order of what the function takes; None where a dict has none."""
        names = [tensor.of for tensor in takes]
        if isinstance(directions, Mapping):
            unknown = [name for name in directions if name not in names]
            if unknown or not directions:
                raise KeyError(f"expected arrays by these names: {', '.join(map(str, names))}; got " +
                               (f"'{unknown[0]}'" if unknown else "none"))
            return [directions.get(name) for name in names]
        values = list(directions) if isinstance(directions, (list, tuple)) else [directions]
        if len(values) != len(takes):
            expected = ", ".join(f"'{tensor.name}' {tensor.type_text()}" for tensor in takes)
            raise ArrayTypeError(f"expected {len(takes)} arrays ({expected}), got {len(values)}")
        return values

    def _require_derivative(self, name: str, is_there: bool) -> None:
        if not is_there:
            raise UnavailableError(f"the model '{self.manifest.name}' was compiled without {name}: compile it with "
                                   f"function=[\"{name}\"]")

    def _derivative(self, name: str) -> Tuple[List[Tensor], List[Tensor]]:
        found = self.manifest.derivatives.get(name)
        self._require_derivative(name, found is not None)
        return found

    def _call(self, name: str, batch: Batch, given: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        pointers = [c_void_p(pointer) for pointer in batch.pointers()]
        pointers += [c_void_p(array.ctypes.data) for array in [*given, *results]]
        sizes = batch.other_sizes
        self.instance.call(name, [c_int64] * (1 + len(sizes)) + [c_void_p] * len(pointers), batch.rows, *sizes, *pointers)
