# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module that is exported: where it comes from, its inputs and outputs, and the mode of each layer."""
import argparse
import copy
import importlib.util
import inspect
import pathlib
import sys

import torch

EXAMPLE_SIZE = 4  # of open dims: torch.export takes sizes 0 and 1 for fixed ones


def small(batch, axis):
    """The size of an open dim: `batch` rows, but not many."""
    return min(batch or EXAMPLE_SIZE, EXAMPLE_SIZE) if axis == 0 else EXAMPLE_SIZE


def load_module(place):
    """The module that FILE.py:NAME means."""
    file, separator, name = place.rpartition(":")
    if not separator or not file:
        raise ValueError(f"'{place}': expected FILE.py:NAME")
    path = pathlib.Path(file).resolve()
    sys.path.insert(0, str(path.parent))  # its own imports
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or not path.is_file():
        raise ValueError(f"'{file}': no such Python file")
    source = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, source)  # as an import would: its classes can be copied and pickled
    spec.loader.exec_module(source)
    if not hasattr(source, name):
        raise ValueError(f"'{file}' defines no '{name}'")
    found = getattr(source, name)
    return found if isinstance(found, torch.nn.Module) else found()


def states_of(module):
    """{name: tensor} of the state_dict, without what layers keep there that is no tensor (get_extra_state)."""
    return {name: value for name, value in module.state_dict().items() if isinstance(value, torch.Tensor)}


def check_module(module):
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"expected a torch.nn.Module, found {type(module).__name__}")
    if isinstance(module, torch.jit.ScriptModule):
        raise TypeError("it is a module of TorchScript, whose training cannot be compared with the file's: export the module "
                        "in Python that it was made of, with the state_dict of this one")
    for name, tensor in states_of(module).items():
        if tensor.is_floating_point() and tensor.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"'{name}' is {tensor.dtype}: dlc reads float32 and float64; call module.float()")
        if tensor.is_complex():
            raise TypeError(f"'{name}' is {tensor.dtype}: dlc reads real numbers; keep the real and the imaginary part "
                            "as two parameters")
    check_copy(module)


def check_copy(module):
    """All that is done with the module is done with copies of it."""
    try:
        copy.deepcopy(module)
    except Exception as error:  # of many classes
        kept = ((f"{name}." * bool(name) + key, layer) for name, layer in module.named_modules() for key, value in vars(layer).items()
                if isinstance(value, torch.Tensor) and not value.is_leaf)
        place, layer = next(kept, ("", None))
        advice = "" if layer is None else (
            f"; {type(layer).__name__} keeps the computed tensor '{place}': " + (
                "use torch.nn.utils.parametrizations in place of the older torch.nn.utils.weight_norm and spectral_norm"
                if layer._forward_pre_hooks else "keep its detach(), or nothing of it"))
        raise TypeError(f"the module cannot be copied ({type(error).__name__}: {str(error).splitlines()[0]}){advice}") from error


def called_once(module, examples):
    """A copy with the buffers that forward registers when it is called first: in evaluation mode, which changes
    none."""
    before, called = buffer_names(module), copy.deepcopy(module).eval()
    try:
        with torch.no_grad():
            called(*copy.deepcopy(examples))
    except Exception:  # the exporter says why
        return copy.deepcopy(module)
    if buffer_names(called) == before:
        return copy.deepcopy(module)
    for layer, original in zip(called.modules(), module.modules()):
        layer.training = original.training
    return called


def buffer_names(module):
    return {name for name, _ in module.named_buffers()}


def in_own_modes(module, examples):
    """(a copy to export, sentences): each layer keeps its mode. Where nothing is in training mode, the module comes
    from predicting, and no layer was chosen to be evaluated: then all of it is taken in training mode."""
    training = called_once(module, examples)
    evaluated = [name for name, layer in module.named_modules() if not layer.training]
    if all(not layer.training for layer in module.modules()):
        return training.train(), ["the module is in evaluation mode as a whole: the file has it in training mode. For "
                                  "layers that shall not be trained so, call train() first, then eval() of these"]
    moded = [f"'{name}' ({type(layer).__name__})" for name, layer in module.named_modules()
             if name in evaluated and has_mode(layer)]
    return training, [f"{name} stays in evaluation mode in training, as in the module" for name in moded]


def has_mode(layer):
    """Whether a layer of PyTorch's own computes otherwise in training mode."""
    kinds = torch.nn.modules
    return isinstance(layer, (kinds.batchnorm._BatchNorm, kinds.dropout._DropoutNd)) or (
        isinstance(layer, kinds.instancenorm._InstanceNorm) and layer.track_running_stats) or (
        isinstance(layer, (torch.nn.RNNBase, torch.nn.MultiheadAttention)) and layer.dropout > 0)


def input_names_of(module, count):
    """The names of forward's arguments: what the C functions' arguments will be called."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (named if len(named) >= count else [f"input_{i}" for i in range(count)])[:count]


def tensors_in(results):
    """The tensors of what forward returns, in the order in which a file has them."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor)]


def output_names_of(module, examples):
    """output, or output_0 and so on: counted by one call of a copy in evaluation mode."""
    with torch.no_grad():
        count = len(tensors_in(copy.deepcopy(module).eval()(*copy.deepcopy(examples))))
    return ["output"] if count == 1 else [f"output_{i}" for i in range(count)]


def parse_shape(text):
    """(sizes, {axis: name}, dtype) of 'batch,784', '1,784' or 'batch,seq:int64'."""
    sizes, _, dtype = text.partition(":")
    dtype = getattr(torch, dtype or "float32", None)
    if not isinstance(dtype, torch.dtype):
        raise argparse.ArgumentTypeError(f"'{text}': expected sizes and a dtype, as batch,16:int64")
    shape, names = [], {}
    for axis, size in enumerate(part.strip() for part in sizes.split(",")):
        if size.isidentifier():
            names[axis] = size
        elif not size.isdigit() or int(size) == 0:
            raise argparse.ArgumentTypeError(f"'{text}': expected sizes or names of open dims, as batch,784")
        elif axis == 0:
            names[axis] = "batch"
        shape.append(int(size) if size.isdigit() else EXAMPLE_SIZE)
    return shape, names, dtype


def example_of(sizes, dtype, seed, limit=2):
    """Random numbers of a normal distribution; integers from 0 up to `limit`, of which two kinds do for labels, tokens
    and masks alike."""
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point:
        return torch.randn(sizes, generator=generator).to(dtype)
    return torch.randint(0, limit, sizes, generator=generator).to(dtype)


def examples_of(described, module, seed=0):
    """An example for each (sizes, dtype): integers are all 0 where the module has no use for a 1 (one class, say)."""
    for limit in (2, 1):
        examples = tuple(example_of(sizes, dtype, seed + i, limit) for i, (sizes, dtype) in enumerate(described))
        if limit == 1 or runs(module, examples):
            return examples


def runs(module, examples):
    """Whether forward takes them, in evaluation mode."""
    try:
        with torch.no_grad():
            copy.deepcopy(module).eval()(*copy.deepcopy(examples))
    except Exception:  # whatever a module of the user's raises
        return False
    return True
