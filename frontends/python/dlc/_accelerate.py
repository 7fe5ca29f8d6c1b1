# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss and gradients by dlc for training loops that are somebody else's: a module of PyTorch whose forward gives the loss."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

import torch
from torch import nn

from ._compile import compile
from ._options import Size
from ._step import Step
from .errors import ArrayTypeError, UnavailableError


class _Loss(torch.autograd.Function):
    """The loss of a batch; its gradients have been computed with it."""

    @staticmethod
    def forward(context: Any, owner: "Accelerated", arrays: Sequence[Any], *parameters: Any) -> Any:
        value = owner.step.grad(*arrays)
        context.gradients = [owner.gradient(name, parameter) for name, parameter in zip(owner.names, parameters)]
        return torch.tensor(value, dtype=torch.float32)

    @staticmethod
    def backward(context: Any, factor: Any) -> Any:
        return (None, None, *[None if gradient is None else gradient * factor for gradient in context.gradients])


class Accelerated(nn.Module):
    """What `accelerate` returns. Its parameters are the module's, in PyTorch: any optimizer updates them, and whatever a loop
    does with gradients (accumulating, clipping, hooks) it does. Before a call they are copied to the step where they have
    changed, and running statistics are copied back."""

    def __init__(self, module: nn.Module, step: Step, as_dict: bool):
        super().__init__()
        self.module, self.as_dict = module, as_dict
        self.__dict__["step"] = step  # no part of the state_dict
        known = {state.name for state in step.manifest.of_kind("parameter")}
        same = step.origin.same
        every = [name for name, parameter in module.named_parameters() if parameter.requires_grad]
        self.names = [name for name in every if any(other in known for other in [name, *same[name]])]
        self.in_step = {name: next(other for other in [name, *same[name]] if other in known) for name in self.names}
        buffers = dict(module.named_buffers())
        self.statistics = [state.name for state in step.manifest.of_kind("buffer") if state.name in buffers]
        self.__dict__["_versions"] = None

    def gradient(self, name: str, parameter: Any) -> Any:
        return torch.from_numpy(self.step.gradient(self.in_step[name])).to(parameter.dtype)

    def _tensors(self) -> Dict[str, Any]:
        tensors = {**dict(self.module.named_parameters()), **dict(self.module.named_buffers())}
        return {self.in_step.get(name, name): tensors[name] for name in [*self.names, *self.statistics]}

    def _copy(self) -> None:
        """To the step, what has changed since."""
        tensors = self._tensors()
        versions = {name: (tensor.data_ptr(), tensor._version) for name, tensor in tensors.items()}
        for name, version in versions.items():
            if self._versions is None or self._versions[name] != version:
                self.step.set_parameter(name, tensors[name].detach().float().contiguous())
        self.__dict__["_versions"] = versions

    def _copy_statistics(self) -> None:
        buffers = dict(self.module.named_buffers())
        with torch.no_grad():
            for name in self.statistics:
                buffers[name].copy_(torch.from_numpy(self.step.parameter(name)))
            for name, buffer in buffers.items():
                if name.endswith("num_batches_tracked"):
                    buffer += 1
        self.__dict__["_versions"] = {name: (tensor.data_ptr(), tensor._version) for name, tensor in self._tensors().items()}

    def forward(self, *arrays: Any, **named: Any) -> Any:
        """The loss of a batch: the module's inputs, then the target, by place or by name."""
        values = self._arranged(arrays, named)
        self._copy()
        if self.training and torch.is_grad_enabled():
            parameters = dict(self.module.named_parameters())
            loss = _Loss.apply(self, values, *[parameters[name] for name in self.names])
            self._copy_statistics()
        else:
            loss = torch.tensor(self.step.evaluate(*values).loss, dtype=torch.float32)
        return {"loss": loss} if self.as_dict else loss

    def _arranged(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> List[Any]:
        wanted = [tensor.name for tensor in self.step.manifest.inputs]
        values, missing = list(arrays), [name for name in wanted[len(arrays):] if name not in named]
        if missing or len(values) > len(wanted):
            raise ArrayTypeError(f"expected the inputs {', '.join(wanted)}, got {len(arrays)} by place and "
                                 f"{', '.join(named) or 'none'} by name")
        return values + [named[name] for name in wanted[len(arrays):]]  # loops also pass what this model has no use for

    def predict(self, *arrays: Any) -> Any:
        """The module's output without training, as tensors."""
        self._copy()
        found = self.step.predict(*arrays)
        return tuple(map(torch.from_numpy, found)) if isinstance(found, tuple) else torch.from_numpy(found)


def accelerate(module: nn.Module, examples: Any, *, loss: Any, batch: Optional[Size] = None, as_dict: bool = False,
               **options: Any) -> Accelerated:
    """A module of PyTorch whose forward takes the inputs of `module`, then the target, and gives the loss, computed with its
    gradients by dlc. For trainers that own the loop (Lightning, the Hugging Face Trainer with as_dict=True): they call it,
    call backward() on the loss, and step an optimizer of module.parameters(). Arguments are those of dlc.compile."""
    if "optimizer" in options:
        raise UnavailableError("accelerate: the optimizer is the loop's own, of module.parameters(); dlc.compile trains with one of "
                               "dlc's")
    return Accelerated(module, compile(module, examples, loss=loss, batch=batch, **options), as_dict)
