# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled step beside the module: predictions, and where nothing is random the first loss and all gradients."""
from __future__ import annotations

import copy
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._step import Step
from .errors import CompileError

# Compiled code computes in float32: so far may it be from PyTorch in float64, of the largest number of the same tensor
# and of the largest gradient of all; what rounding costs the module itself comes on top.
RELATIVE, OF_LARGEST, OF_SPREAD = 1e-4, 1e-5, 10
# What operands of products are rounded to says how near they are.
COARSE = {"tf32": 2e-2, "bf16": 1e-1, "fp16": 2e-2}


# What the compiler says where it computes a loss from the scores before the module's last activation, and PyTorch's is another
# one. The loss of a LogSoftmax, or of a logarithm of a Softmax, is that of its scores.
LEFT_OUT = re.compile(r"loss '([\w-]+)' applies this (Softmax|Sigmoid) itself, .*\(PyTorch applies both\)")
INSTEAD = {"Softmax": "put a LogSoftmax in its place and give the loss 'nll'", "Sigmoid": "keep it and give the loss 'bce'"}


def compare(step: Step, module: Any, examples: Tuple[Any, ...]) -> None:
    """Raises dlc.CompileError where they differ. The step is left as it is: another instance of its code is run."""
    refuse_two_activations(step, module, examples)
    relative = COARSE.get(step.manifest.data.get("settings", {}).get("precision", "fp32"), RELATIVE)
    probe = Step(step._code, step.manifest, **{**step._options, "seed": None})
    probe.origin = step.origin
    with probe:
        arrays = fitting(probe, examples)
        if arrays is None:
            return
        problems = differing_predictions(probe, module, arrays, relative)
        function = loss_function(step)
        if not problems and function is not None and step.manifest.trains:
            problems = differing_gradients(probe, module, arrays, function, relative)
    if problems:
        raise CompileError(f"{type(module).__name__} is not what was compiled: " + "\n  ".join(problems))


def refuse_two_activations(step: Step, module: Any, examples: Tuple[Any, ...]) -> None:
    left_out = next(filter(None, (LEFT_OUT.search(str(message)) for message in step.origin.messages)), None)
    if left_out is None:
        return
    loss, kind = left_out.groups()
    raise CompileError(
        f"{type(module).__name__} ends in {last_layer(module, examples) or f'a {kind}'}, and the loss '{loss}' applies a "
        f"{kind.lower()} itself: PyTorch's loss has two, dlc's has one, and they train differently. Take the {kind} out of the module, "
        f"which then predicts scores ({kind.lower()} of them are the probabilities); or {INSTEAD[kind]}")


def last_layer(module: Any, examples: Tuple[Any, ...]) -> str:
    """"'3' (Softmax)": what gives the result of forward; "" where that is forward itself."""
    import torch
    own, results = copy.deepcopy(module).cpu().eval(), []
    for name, layer in own.named_modules():
        if name and not any(layer.children()):
            layer.register_forward_hook(lambda layer, _, output, name=name: results.append((output, f"'{name}' ({type(layer).__name__})")))
    with torch.no_grad():
        found = own(*examples)
    return next((text for output, text in results if output is found), "")


def fitting(step: Step, examples: Tuple[Any, ...]) -> Optional[List[Any]]:
    """The examples with as many rows as the step trains on; None where their sizes are no batch of it."""
    import torch
    tensors = [tensor for tensor in step.manifest.inputs if not tensor.is_target]
    if len(tensors) != len(examples):
        return None
    bounds, result = step.manifest.bounds, []
    for tensor, example in zip(tensors, examples):
        for axis, (factor, names) in enumerate(tensor.shape):
            size = factor
            for name in names:
                size *= bounds[name]
            if axis >= example.dim() or example.shape[axis] < 1:
                return None
            repeated = torch.cat([example] * -(-size // example.shape[axis]), axis) if example.shape[axis] < size else example
            example = repeated.narrow(axis, 0, size)
        result.append(example)
    return result


def run(module: Any, arrays: List[Any], dtype: Any) -> Any:
    import torch
    cast = [array.to(dtype) if array.is_floating_point() else array for array in arrays]
    result = module.to(dtype)(*cast)
    return [leaf for leaf in torch.utils._pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def largest(tensor: Any) -> float:
    return float(tensor.detach().abs().max()) if tensor.numel() else 0.0


def difference(found: np.ndarray, exact: Any, rounded: Any, relative: float, among: float) -> str:
    """"" where they are equal, else the end of a sentence."""
    import torch
    got, exact = torch.from_numpy(np.array(found, np.float64)), exact.detach().double()
    if got.shape != exact.shape:
        return f"has the shape {tuple(got.shape)} instead of {tuple(exact.shape)}"
    if not torch.equal(got.isfinite(), exact.isfinite()):
        return "is not finite where PyTorch's is, or the other way round"
    spread = largest((exact - rounded.detach().double()).nan_to_num(0.0, 0.0, 0.0))
    bound = relative * largest(exact.nan_to_num(0.0, 0.0, 0.0)) + OF_LARGEST * among + OF_SPREAD * spread
    off = largest((got - exact).nan_to_num(0.0, 0.0, 0.0))
    return "" if off <= bound else f"is off by up to {off:.2g}, of numbers up to {largest(exact):.2g}"


def exact_and_rounded(work: Callable[[Any], Any]) -> Optional[Tuple[Any, Any]]:
    """In float64, and in float32; only the latter twice where the module cannot compute in float64."""
    import torch
    rounded = work(torch.float32)
    try:
        return work(torch.float64), rounded
    except Exception:  # whatever a module of the user's raises
        return rounded, rounded


def differing_predictions(step: Step, module: Any, arrays: List[Any], relative: float) -> List[str]:
    import torch
    def work(dtype: Any) -> List[Any]:
        with torch.no_grad():
            return run(copy.deepcopy(module).cpu().eval(), arrays, dtype)
    exact, rounded = exact_and_rounded(work)
    found = step.predict(*arrays)
    problems = []
    for tensor, mine, theirs, theirs32 in zip(step.manifest.predictions, found if isinstance(found, tuple) else (found,), exact,
                                              rounded):
        text = difference(mine, theirs, theirs32, relative, 0.0) if theirs.is_floating_point() else ""
        if text:
            problems.append(f"the output '{tensor.name}' in evaluation mode {text}")
    return problems


def loss_function(step: Step) -> Optional[Callable]:
    """PyTorch's loss of one prediction and its target, where it follows from a name alone."""
    import torch.nn.functional as F
    settings = {option.partition("=")[0] for option in step.origin.request.options}
    if settings & {"--label-smoothing", "--class-weights", "--delta", "--reduction", "--class-axis", "--ignore-index",
                   "--prediction", "--loss-scale"}:
        return None
    known = {"softmax-cross-entropy": F.cross_entropy, "mse": F.mse_loss, "l1": F.l1_loss, "huber": F.huber_loss,
             "bce-with-logits": F.binary_cross_entropy_with_logits, "output": lambda output, _: output}
    return known.get(step.manifest.loss)  # options may have another of its names


def targets_of(step: Step, count: int) -> Optional[List[np.ndarray]]:
    """Random labels, or values, with the shapes that the manifest says."""
    generator = np.random.default_rng(0)
    result = []
    for tensor, entry in zip(step.manifest.inputs, step.manifest.data["inputs"]):
        if not tensor.is_target:
            continue
        shape = [factor * int(np.prod([step.manifest.bounds[name] for name in names])) for factor, names in tensor.shape]
        if "range" in entry:
            result.append(generator.integers(entry["range"][0], entry["range"][1], shape).astype(tensor.dtype))
        elif tensor.dtype.kind == "f":
            result.append(generator.random(shape).astype(tensor.dtype))
        else:
            return None
    return result if len(result) == count else None


def is_random(module: Any, arrays: List[Any]) -> bool:
    """Whether two calls in training mode give other results."""
    import torch
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        one, other = (run(copy.deepcopy(module).cpu(), arrays, torch.float32) for _ in range(2))
    return any(not torch.equal(a.nan_to_num(0.0), b.nan_to_num(0.0)) if a.is_floating_point() else not torch.equal(a, b)
               for a, b in zip(one, other))


def differing_gradients(step: Step, module: Any, arrays: List[Any], function: Callable, relative: float) -> List[str]:
    import torch
    is_output = not any(tensor.is_target for tensor in step.manifest.inputs)
    targets = targets_of(step, 0 if is_output else 1)
    if all(not layer.training for layer in module.modules()):
        module = copy.deepcopy(module).train()  # as it was exported
    if targets is None or len(step.manifest.predictions) > 1 or is_random(module, arrays):
        return []  # the interpreter has compared these, with known numbers in place of random ones
    def work(dtype: Any) -> Tuple[Any, Dict[str, Any]]:
        own = copy.deepcopy(module).cpu()
        output = run(own, arrays, dtype)[0]
        target = torch.from_numpy(targets[0]) if targets else None
        if target is not None and target.is_floating_point():
            target = target.to(dtype)
        value = function(output, target)
        value.sum().backward()
        return value.detach(), {name: parameter.grad for name, parameter in own.named_parameters() if parameter.grad is not None}
    try:
        (exact, exact_gradients), (rounded, rounded_gradients) = exact_and_rounded(work)
    except RuntimeError as error:  # of autograd: forward has been run before, and the exporter found no fault with another loss
        said = str(error).partition(": [")[0].splitlines()[0]
        raise CompileError(f"{type(module).__name__} cannot be compiled as it is: PyTorch does not train the module with this loss: "
                           f"its backward pass says '{said}'") from error
    loss = step.grad(*arrays, *targets)
    text = difference(np.asarray(loss), exact.reshape(()), rounded.reshape(()), relative, 0.0)
    if text:
        return [f"the loss of the first batch {text}"]
    among = max([largest(gradient) for gradient in exact_gradients.values()] + [0.0])
    problems, found = [], step.gradients()
    for name, gradient in exact_gradients.items():
        mine = next((found[other] for other in [name, *step.origin.same.get(name, [])] if other in found), None)
        text = "" if mine is None else difference(mine, gradient, rounded_gradients[name], relative, among)
        if text:
            layer = module.get_submodule(name.rpartition(".")[0])
            problems.append(f"the gradient of '{name}' ({type(layer).__name__}) {text}")
    return problems
