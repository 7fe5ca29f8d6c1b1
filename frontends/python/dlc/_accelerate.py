# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss and gradients by dlc for training loops that are somebody else's: a module of PyTorch whose forward gives the loss."""
from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type

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
    does with gradients (accumulating, clipping, hooks) it does. Before a call they are copied to the step, and running statistics
    are copied back."""

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

    def gradient(self, name: str, parameter: Any) -> Any:
        return torch.from_numpy(self.step.gradient(self.in_step[name])).to(parameter.dtype)

    def _tensors(self) -> Dict[str, Any]:
        tensors = {**dict(self.module.named_parameters()), **dict(self.module.named_buffers())}
        return {self.in_step.get(name, name): tensors[name] for name in [*self.names, *self.statistics]}

    def _copy(self) -> None:
        """To the step. Whether something has changed cannot be seen: PyTorch's fused optimizers do not count versions."""
        for name, tensor in self._tensors().items():
            self.step.set_parameter(name, tensor.detach().float().contiguous())

    def _copy_statistics(self) -> None:
        buffers = dict(self.module.named_buffers())
        with torch.no_grad():
            for name in self.statistics:
                buffers[name].copy_(torch.from_numpy(self.step.parameter(name)))
            for name in self.step.origin.counted & set(buffers):
                buffers[name] += 1

    def forward(self, *arrays: Any, **named: Any) -> Any:
        """The loss of a batch: the module's inputs, then the target, by place or by name. With as_dict, evaluation also gives the
        module's output as "logits", and this alone where the target is not there."""
        is_step = self.training and torch.is_grad_enabled()
        values = self._arranged(arrays, named, needs_target=is_step or not self.as_dict)
        self._copy()
        if is_step:
            parameters = dict(self.module.named_parameters())
            loss = _Loss.apply(self, values, *[parameters[name] for name in self.names])
            self._copy_statistics()
            return {"loss": loss} if self.as_dict else loss
        found = {}
        if len(values) == len(self.step.manifest.inputs):
            found["loss"] = torch.tensor(self.step.evaluate(*values).loss, dtype=torch.float32)
        if not self.as_dict:
            return found["loss"]
        inputs = [value for tensor, value in zip(self.step.manifest.inputs, values) if not tensor.is_target]
        return {**found, "logits": self._predicted(inputs)}

    def _arranged(self, arrays: Sequence[Any], named: Mapping[str, Any], needs_target: bool) -> List[Any]:
        """The values in the order of the inputs. Loops also pass what this model has no use for."""
        inputs = self.step.manifest.inputs
        wanted = [tensor.name for tensor in inputs]
        given = {**{name: value for name, value in named.items() if value is not None}, **dict(zip(wanted, arrays))}
        missing = [tensor.name for tensor in inputs if tensor.name not in given and (needs_target or not tensor.is_target)]
        if missing or len(arrays) > len(wanted):
            raise ArrayTypeError(f"expected the inputs {', '.join(wanted)}, got {len(arrays)} by place and "
                                 f"{', '.join(named) or 'none'} by name")
        values = [given[name] for name in wanted if name in given]
        has_all = len(values) == len(wanted)
        return values if has_all else [given[tensor.name] for tensor in inputs if not tensor.is_target]

    def predict(self, *arrays: Any) -> Any:
        """The module's output without training, as tensors."""
        self._copy()
        return self._predicted(arrays)

    def _predicted(self, arrays: Sequence[Any]) -> Any:
        found = self.step.predict(*arrays)
        return tuple(map(torch.from_numpy, found)) if isinstance(found, tuple) else torch.from_numpy(found)


def _class_for(step: Step) -> Type[Accelerated]:
    """With the names of the inputs in forward's signature: the Hugging Face Trainer leaves out what stands in no signature, and finds
    the target there."""
    def forward(self: Accelerated, *arrays: Any, **named: Any) -> Any:
        return Accelerated.forward(self, *arrays, **named)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    inputs = sorted(step.manifest.inputs, key=lambda tensor: tensor.is_target)
    if inputs == step.manifest.inputs and all(tensor.name.isidentifier() for tensor in inputs):
        parameters = [inspect.Parameter(tensor.name, kind, default=None if tensor.is_target else inspect.Parameter.empty)
                      for tensor in inputs]
        forward.__signature__ = inspect.Signature([inspect.Parameter("self", kind), *parameters])
    return type("Accelerated", (Accelerated,), {"forward": forward, "__module__": __name__, "__doc__": Accelerated.__doc__})


def accelerate(module: nn.Module, examples: Any, *, loss: Any, batch: Optional[Size] = None, as_dict: bool = False,
               **options: Any) -> Accelerated:
    """A module of PyTorch whose forward takes the inputs of `module`, then the target, and gives the loss, computed with its
    gradients by dlc. For trainers that own the loop (Lightning, the Hugging Face Trainer with as_dict=True): they call it,
    call backward() on the loss, and step an optimizer of module.parameters(). Arguments are those of dlc.compile."""
    if "optimizer" in options:
        raise UnavailableError("accelerate: the optimizer is the loop's own, of module.parameters(); dlc.compile trains with one of "
                               "dlc's")
    step = compile(module, examples, loss=loss, batch=batch, **options)
    return _class_for(step)(module, step, as_dict)
