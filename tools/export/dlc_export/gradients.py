# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a file cannot say about a module's training: where gradients stop, whose backward is its own, what moves."""
import copy
import traceback

import torch
from torch.overrides import TorchFunctionMode

from .module import tensors_in
from .record import COUNTER
from .reference import weights_of
from .report import place_in

FACTORS = (2.0**14, 2.0**-14)  # of losses whose gradients are compared


class StoppedGradients(TorchFunctionMode):
    """Notes where gradients stop while a module computes: {place in the source: "detach()" or "no_grad"}."""

    def __init__(self):
        super().__init__()
        self.places = {}

    def __torch_function__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        name = getattr(function, "__name__", "")
        operands = torch.utils._pytree.tree_leaves((arguments, options))
        detaches = function in (torch.Tensor.detach, torch.detach) or function == torch.Tensor.data.__get__
        # What is computed of shapes and dtypes alone has no gradient anyway.
        computes = isinstance(result, torch.Tensor) and result.is_floating_point() and not (
            name.endswith("_like") or name.startswith("new_"))
        if (detaches or (computes and not torch.is_grad_enabled())) and any(
                isinstance(operand, torch.Tensor) and operand.requires_grad for operand in operands):
            stack = traceback.extract_stack()[:-1]
            if any(f.name == "apply" and f.filename.endswith("autograd/function.py") for f in stack):
                return result  # which has a backward of its own
            self.places.setdefault(place_in(stack) or "a place in torch", "detach()" if detaches else "no_grad")
        return result


def training_problems(training, examples, exporter, is_equal):
    """(problems, remarks) on what a file cannot say: where forward lets no gradient through or has a backward of its
    own, and which buffers it changes. `training` is in the modes that the file has; `is_equal`: its gradients were
    compared with the file's, and are equal."""
    module, training = training, copy.deepcopy(training)  # running it changes it
    before = {name: buffer.clone() for name, buffer in training.named_buffers()}
    numbers = numbers_of(training)
    with torch.enable_grad(), StoppedGradients() as found:
        results = training(*copy.deepcopy(examples))
    problems, remarks = changed_numbers(module, examples, numbers, numbers_of(training))
    problems += [f"at {place} forward stops gradients ({how}), which a file of "
                + ("the older exporter does not say: use dynamo" if how == "detach()"
                   else "ONNX does not say; write detach(), which the newer exporter notes")
                for place, how in found.places.items() if (exporter, how) != ("dynamo", "detach()")]
    backward = [f"forward uses the autograd function '{name}', whose backward a file of ONNX does not have: dlc "
                "derives the gradient from forward's formulas" for name in own_functions(results)]
    if backward and is_equal and follows_the_loss(training, results):
        remarks += [f"{sentence}, which has the same numbers on the examples that were compared" for sentence in backward]
    else:
        problems += backward
    statistics = {f"{name}." * bool(name) + buffer for name, layer in training.named_modules()
                  if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)
                  for buffer in ("running_mean", "running_var", COUNTER)}
    # A buffer that forward registers itself, when it is called first, has no value before.
    problems += [f"forward changes the buffer '{name}', which a file of ONNX does not say: it stays as it is"
                 for name, buffer in training.named_buffers()
                 if name not in statistics and name in before and not torch.equal(buffer, before[name])]
    return problems, remarks


def numbers_of(module):
    """{name: value} of the numbers that layers keep as attributes."""
    return {f"{name}." * bool(name) + key: value for name, layer in module.named_modules() for key, value in vars(layer).items()
            if isinstance(value, (bool, int, float)) and key != "training" and value == value}


def changed_numbers(module, examples, before, after):
    """(problems, remarks) on numbers that a call of forward has changed: a problem where the next call gives other results by them."""
    changed = {name: value for name, value in after.items() if name in before and value != before[name]}
    if not changed:
        return [], []
    calls = []
    for numbers in {}, changed:
        own = copy.deepcopy(module)
        for name, value in numbers.items():
            place, _, key = name.rpartition(".")
            setattr(own.get_submodule(place), key, value)
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            calls.append(tensors_in(own(*copy.deepcopy(examples))))
    sentences = [f"forward changes the attribute '{name}', from {before[name]} to {value} in one call, and a file has one number for all "
                 "calls" for name, value in changed.items()]
    if all(torch.equal(one, other) for one, other in zip(*calls)):
        return [], [f"{sentence}; the next call gives the same results" for sentence in sentences]
    return [f"{sentence}: give what changes as an input of forward" for sentence in sentences], []


def follows_the_loss(training, results):
    """Whether a loss of many times the size has gradients of many times the size, as all derivatives do: a backward
    that limits gradients is equal on small numbers alone. Powers of two change no rounding."""
    outputs = [result for result in tensors_in(results) if result.requires_grad]
    parameters = [parameter for parameter in training.parameters() if parameter.requires_grad]

    def gradients(factor):
        weights = [weight * factor for weight in weights_of(outputs)]
        return torch.autograd.grad(outputs, parameters, weights, retain_graph=True, allow_unused=True)

    try:
        once, others = gradients(1.0), {factor: gradients(factor) for factor in FACTORS}
    except RuntimeError:  # a backward that can be run once only
        return False
    return all(torch.allclose(other / factor, one, rtol=1e-4, atol=1e-6 * float(one.abs().max()))
               for factor, found in others.items() for one, other in zip(once, found)
               if one is not None and one.numel())


def own_functions(results):
    """Names of the torch.autograd.Function's that made them, in order of appearance."""
    names, seen = {}, set()
    nodes = [result.grad_fn for result in torch.utils._pytree.tree_leaves(results) if isinstance(result, torch.Tensor)]
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            names[type(node).__name__.removesuffix("Backward")] = None
        nodes += [before for before, _ in node.next_functions]
    return list(names)


def embedding_problems(module):
    """Sentences on options of embeddings that change the training and are not in a file."""
    found = []
    for name, layer in module.named_modules():
        for option, default in (("max_norm", None), ("scale_grad_by_freq", False)):
            if isinstance(layer, (torch.nn.Embedding, torch.nn.EmbeddingBag)) and getattr(layer, option) != default:
                found.append(f"'{name or 'the module'}' has {option}={getattr(layer, option)}, which a file of ONNX "
                             "does not say: it is trained without")
    return found
