# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a step came from a module of PyTorch: the names and tensors that the module's own state_dict has."""
from __future__ import annotations

import shutil
import weakref
from typing import Any, Dict, FrozenSet, List

import numpy as np

from ._options import Origin, Request


class TorchOrigin(Origin):
    is_torch = True

    def __init__(self, request: Request, module: Any, report: Any, folder: str):
        super().__init__(request)
        self.report = report
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.template = {name: tensor.detach().cpu().clone() for name, tensor in module.state_dict().items()}
        self.same, self.counted = same_tensors(module), counted_batches(module)
        self.other_names = frozenset(self.template)
        # In the order in which an optimizer of module.parameters() has them.
        self.parameter_names = [name for name, _ in module.named_parameters()]


def counted_batches(module: Any) -> FrozenSet[str]:
    """The counters of batches that training moves: of layers in training mode, which all are where none is."""
    layers = dict(module.named_modules(remove_duplicate=False))
    none_trains = not any(layer.training for layer in layers.values())
    return frozenset(name for name, _ in module.named_buffers(remove_duplicate=False) if name.endswith("num_batches_tracked")
                     and (none_trains or layers[name.rpartition(".")[0]].training))


def same_tensors(module: Any) -> Dict[str, List[str]]:
    """All names of each tensor of the state_dict."""
    by_tensor: Dict[int, List[str]] = {}
    tensors = list(module.named_parameters(remove_duplicate=False)) + list(module.named_buffers(remove_duplicate=False))
    for name, tensor in tensors:
        by_tensor.setdefault(id(tensor), []).append(name)
    return {name: names for names in by_tensor.values() for name in names}


def state_dict(step: Any, values: Dict[str, np.ndarray]) -> Dict[str, Any]:
    """Tensors under all names that the module's state_dict has."""
    import torch
    origin = step.origin
    if origin is None or not origin.is_torch:
        return {name: torch.from_numpy(array) for name, array in values.items()}
    result = {}
    for name, tensor in origin.template.items():
        array = next((values[other] for other in [name, *origin.same.get(name, [])] if other in values), None)
        if array is not None:
            result[name] = torch.from_numpy(array).to(tensor.dtype)
        elif name in origin.counted:
            result[name] = tensor + step.step_count
        else:
            result[name] = tensor.clone()
    return result
