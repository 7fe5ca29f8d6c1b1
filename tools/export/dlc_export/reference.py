# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the module computes: outputs, gradients of its parameters, buffers after training steps, and, to find where a
difference begins, the results of its layers with their gradients."""
import copy
import dataclasses

import torch

from .interpreter import NotRun
from .module import tensors_in
from .numbers import KnownNumbers
from .write import plain_attention

STEPS = (1.0, 1.125)  # a second step, on other numbers, shows how statistics go on, not only how they begin


class NotTrained(NotRun):
    """A module whose outputs PyTorch computes, and whose gradients it refuses to: no file is wrong or right beside it. The
    sentence stands for itself."""

    def __init__(self, error):
        said, advice = str(error).strip().splitlines()[0], "change the module until loss.backward() works"
        if "modified by an inplace operation" in said:
            said = said.partition(": [")[0]
            advice = ("write the operation in place that overwrites what a gradient needs as one that makes a new tensor: "
                      "y = y * 2 for y.mul_(2)")
        super().__init__("PyTorch does not train the module, so that there is nothing to compare with: its backward pass "
                         f"says '{said}'; {advice}")


@dataclasses.dataclass
class Result:
    """Of one layer that was called once."""

    name: str
    kind: str  # its class
    value: torch.Tensor
    gradient: torch.Tensor = None


@dataclasses.dataclass
class Computed:
    outputs: list  # tensors, of the first step
    loss: float = 0.0  # sum of outputs times weights, of the last step
    scale: float = 0.0  # the same of their absolute values: what roundings of the loss are relative to
    gradients: dict = dataclasses.field(default_factory=dict)  # {name: tensor, or None without any}
    buffers: dict = dataclasses.field(default_factory=dict)
    results: list = dataclasses.field(default_factory=list)  # in the order in which layers finished
    drawn: int = 0  # how often random numbers were
    unknown: set = dataclasses.field(default_factory=set)  # which of them a file cannot be given


def weights_of(outputs):
    """Fixed numbers from 0.5 to 1.5 without a pattern, by which outputs are multiplied: their sum is a loss that every
    element matters to. Rounded to float32, which a file has them in; None for outputs of integers."""
    weights = []
    for index, output in enumerate(outputs):
        places = torch.arange(output.numel(), dtype=torch.float64) + 1000.0 * index
        numbers = 0.5 + (places * 0.6180339887498949) % 1  # the golden ratio's multiples spread evenly
        weights.append(numbers.reshape(output.shape).float().to(output.dtype) if output.is_floating_point() else None)
    return weights


def scaled(examples, factor, dtype=None):
    """All numbers times a factor: what is equal, or zero, stays so. Integers stay."""
    return [(example.detach() * factor).to(dtype or example.dtype) if example.is_floating_point() else example.clone()
            for example in examples]


def steps_of(module):
    """The factors of the examples of each step: one step will do where there is nothing that goes on."""
    return STEPS if any(buffer.is_floating_point() for buffer in module.buffers()) else STEPS[:1]


class Reference:
    """Runs copies of a module, in one precision."""

    def __init__(self, module, examples, dtype):
        self.module, self.examples, self.dtype = module, examples, dtype

    def run(self, trains, keeps_results=False):
        """A Computed. Raises NotRun where the module raises anything."""
        module = copy.deepcopy(self.module).to(self.dtype)
        if not trains:
            module.eval()
        before = torch.get_default_dtype()
        torch.set_default_dtype(self.dtype)  # of what forward makes itself
        try:
            with torch.set_grad_enabled(trains), plain_attention(), KnownNumbers() as numbers:
                computed = self.steps(module, trains, keeps_results)
        except NotTrained:
            raise
        except Exception as error:  # whatever a module of the user's raises
            lines = str(error).strip().splitlines() or [""]
            raise NotRun(f"the module itself does not run ({type(error).__name__}: {lines[0]})") from error
        finally:
            torch.set_default_dtype(before)
        computed.drawn, computed.unknown = numbers.count, numbers.unknown
        return computed

    def steps(self, module, trains, keeps_results):
        computed = None
        for factor in steps_of(module) if trains else STEPS[:1]:
            results, handles = [], []
            if keeps_results:
                handles = [layer.register_forward_hook(keeper(name, results)) for name, layer in
                           module.named_modules() if name]
            outputs = tensors_in(module(*scaled(scaled(self.examples, factor), 1, self.dtype)))
            for handle in handles:
                handle.remove()
            if computed is None:
                computed = Computed([output.detach().clone() for output in outputs])
            if trains:
                self.differentiate(module, outputs, results, computed)
        named = [result.name for result in results]
        computed.results = [result for result in results if named.count(result.name) == 1]
        computed.buffers = {name: buffer.detach().clone() for name, buffer in module.named_buffers()}
        return computed

    @staticmethod
    def differentiate(module, outputs, results, computed):
        module.zero_grad()
        terms = [(output * weight).sum() for output, weight in zip(outputs, weights_of(outputs)) if weight is not None]
        loss = sum(terms)
        computed.loss = float(loss.detach()) if terms else 0.0
        computed.scale = sum(float((output.detach().abs() * weight).sum())
                             for output, weight in zip(outputs, weights_of(outputs)) if weight is not None)
        if isinstance(loss, torch.Tensor) and loss.requires_grad:
            try:
                loss.backward()
            except RuntimeError as error:
                raise NotTrained(error) from error
        computed.gradients = {name: None if parameter.grad is None else parameter.grad.detach().to_dense().clone()
                              for name, parameter in module.named_parameters()}
        for result in results:
            result.value, result.gradient = result.value.detach(), result.value.grad


def keeper(name, results):
    """A forward hook."""
    def keep(layer, _, output):
        if isinstance(output, torch.Tensor) and output.is_floating_point():
            if output.requires_grad:
                output.retain_grad()
            results.append(Result(name, type(layer).__name__, output))
    return keep
