# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where forward decides in Python by numbers of the data. An exporter that follows one example writes the way that this example
takes, for all data; sizes are numbers of Python already, and are no matter of this file."""
import copy
import pathlib
import traceback

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .report import LIBRARY, place_in

READERS = {"__bool__", "__int__", "__float__", "__index__", "__complex__", "__array__", "__contains__", "item", "tolist", "numpy",
           "is_nonzero", "equal", "allclose"}  # functions that make Python's numbers of a tensor's
# Between a reader and who calls it.
WRAPPERS = {str(pathlib.Path(LIBRARY, name)) for name in ("_tensor.py", "overrides.py", "utils/_python_dispatch.py")}


def advice(place):
    return (f"at {place} forward decides in Python by numbers of the data (if, while, assert, int() or .item() of a tensor), and what "
            "is compiled computes one way for all data: write torch.where(condition, a, b), which chooses for each element, or keep "
            "the number a tensor; sizes, such as x.shape[1], may decide")


def sized_by_data(place):
    return (f"at {place} forward makes a tensor whose size depends on the data, as x[mask] or nonzero() do, and sizes are fixed when a "
            "model is compiled: torch.where(mask, x, 0), or a product with the mask, keeps the size")


def refusal(error):
    """The sentence on the place at which torch.export met a number of the data; "" where the error is another one."""
    sentence = ""
    while error is not None:  # the cause, which comes last, has the place
        said = str(error)
        if "data-dependent" in said.lower():
            place = place_in(traceback.extract_tb(error.__traceback__)) or "a place that PyTorch does not name"
            has_sizes = "Size-like symbols: " in said and "Size-like symbols: none" not in said
            sentence = sized_by_data(place) if has_sizes else advice(place)
        error = error.__cause__ or error.__context__
    return sentence


def packed_sequence(module, examples):
    """The sentence on a recurrent layer that is given a PackedSequence; "" where none is."""
    found, own = [], copy.deepcopy(module)
    for name, layer in own.named_modules():
        if isinstance(layer, torch.nn.RNNBase):
            layer.register_forward_pre_hook(lambda layer, given, name=name: found.append(f"'{name}' ({type(layer).__name__})")
                                            if isinstance(given[0], torch.nn.utils.rnn.PackedSequence) else None)
    try:
        own(*copy.deepcopy(tuple(examples)))
    except Exception:  # whatever a module of the user's raises
        pass
    return "" if not found else (
        f"layer {found[0]} is given a packed sequence, whose sizes depend on the data, and sizes are fixed when a model is compiled: give "
        "it the padded sequences, and take what belongs to the last place of each row, output[torch.arange(len(x)), lengths - 1] with "
        "batch_first=True; in one direction, what stands behind it does not count")


class DataDependence(TorchDispatchMode):
    """Knows which memory has numbers that follow from the inputs and the parameters."""

    def __init__(self, sources):
        super().__init__()
        self.storages = {}  # by address; kept, so that no other one gets it
        for tensor in sources:
            self.add(tensor)

    def add(self, tensor):
        storage = tensor.untyped_storage()
        self.storages[storage._cdata] = storage

    def has(self, tensor):
        return isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided and \
            tensor.untyped_storage()._cdata in self.storages

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        leaves = torch.utils._pytree.tree_leaves((arguments, named))
        result = function(*arguments, **(named or {}))
        if any(self.has(leaf) for leaf in leaves):
            for tensor in torch.utils._pytree.tree_leaves(result):  # what is written in place is a result, too
                if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided:
                    self.add(tensor)
        return result


class Readers(TorchFunctionMode):
    """Notes the places in the user's source that read numbers which depend on the data."""

    def __init__(self, dependence):
        super().__init__()
        self.dependence, self.places = dependence, set()

    def __torch_function__(self, function, types, arguments=(), named=None):
        if getattr(function, "__name__", "") in READERS and any(self.dependence.has(each) for each in arguments):
            stack = [frame for frame in traceback.extract_stack()[:-1] if frame.filename not in WRAPPERS]
            if stack and not stack[-1].filename.startswith(LIBRARY):  # PyTorch's own layers know that they are followed
                self.places.add(place_in(stack))
        return function(*arguments, **(named or {}))


def deciding_places(module, examples):
    """{"net.py:12", ...}: seen while forward runs on the examples; nothing where it does not run so."""
    own, given = copy.deepcopy(module), copy.deepcopy(tuple(examples))
    dependence = DataDependence([*given, *own.parameters()])
    readers = Readers(dependence)
    try:
        with torch.random.fork_rng(devices=[]), readers, dependence:
            own(*given)
    except Exception:  # whatever a module of the user's raises; what was seen before counts
        pass
    return readers.places - {None}
