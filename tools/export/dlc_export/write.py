# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls PyTorch's exporters so that the file is right for training."""
import contextlib
import copy
import inspect
import pathlib
import traceback
import warnings

import torch

from . import decisions
from .report import place_in
from .sizes import FixedSizes


def options_of(exporter, dims, input_names, output_names, opset):
    """What torch.onnx.export is given."""
    options = {"input_names": input_names, "output_names": output_names}
    if opset is not None:
        options["opset_version"] = opset
    if exporter == "dynamo":
        named = {name: torch.export.Dim(name) for axes in dims for name in axes.values()}
        options.update(dynamo=True, optimize=False, external_data=False, verbose=False)
        options["dynamic_shapes"] = tuple({axis: named[name] for axis, name in axes.items()} for axes in dims)
        return options
    if exporter != "torchscript":
        raise ValueError(f"exporter '{exporter}': expected dynamo or torchscript")
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    # PRESERVE leaves each layer in its own mode, where TRAINING would call train() on all. Without constant folding:
    # it replaces parameters by transposed copies under other names.
    options.update(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    options["dynamic_axes"] = {name: axes for name, axes in zip(input_names, dims) if axes}
    batch = {axes.get(0) for axes in dims}
    if len(batch) == 1 and None not in batch:
        options["dynamic_axes"].update({name: {0: dims[0][0]} for name in output_names})
    return options


def plain_attention():
    """Attention by its formula, which all files can have: how a CPU computes it fast cannot always be exported."""
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:  # before PyTorch 2.3
        return contextlib.nullcontext()
    return sdpa_kernel(SDPBackend.MATH)


def arranged(training, shapes):
    """As torch.export wants the shapes of a forward(self, x, *others): those of the others are one entry."""
    kinds = [parameter.kind for parameter in inspect.signature(training.forward).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return shapes
    place = kinds.index(inspect.Parameter.VAR_POSITIONAL)
    return (*shapes[:place], tuple(shapes[place:]))


def write(training, examples, path, exporter, options):
    """Exports; returns (warnings that were raised, where sizes were fixed)."""
    fixed = FixedSizes()
    if "dynamic_shapes" in options:
        options = {**options, "dynamic_shapes": arranged(training, options["dynamic_shapes"])}
    with warnings.catch_warnings(record=True) as caught, plain_attention(), fixed:
        warnings.simplefilter("always")
        # Copies: tracing runs the module, which changes running statistics.
        try:
            torch.onnx.export(copy.deepcopy(training), copy.deepcopy(examples), str(path), **options)
        except Exception as error:  # it has many classes of them
            raise ValueError(f"PyTorch's exporter '{exporter}' cannot export the module: "
                             f"{reason_of(error, exporter, training, examples)}") from error
    return caught, fixed


def reason_of(error, exporter, module, examples):
    """Why the exporter gave up, where in the user's source, and what to write instead where that is known: what no file can have,
    the other exporter does not write either."""
    if refused := decisions.refusal(error) or decisions.packed_sequence(module, examples):
        return refused
    cause = error.__cause__ or error
    reason = (str(cause).strip() or type(cause).__name__).splitlines()[0]
    place = place_in(traceback.extract_tb(cause.__traceback__))
    other = {"dynamo": "torchscript", "torchscript": "dynamo"}[exporter]
    return f"{f'at {place}: ' if place else ''}{reason}; try the exporter '{other}'"


def traced_values(caught, module, examples):
    """(problems, remarks): sentences on numbers that the older exporter took for the example's. A number of the data is one for
    all data in the file, and a size one for all sizes."""
    library = str(pathlib.Path(torch.__file__).parent)
    places = {f"{w.filename}:{w.lineno}": None for w in caught
              if issubclass(w.category, torch.jit.TracerWarning) and not w.filename.startswith(library)}
    deciding = decisions.deciding_places(module, examples) if places else set()
    return [decisions.advice(place) for place in places if place in deciding], [
        f"at {place} forward computes with a number of the example, which the file has for all data; where it is a size that is "
        "open, use dynamo" for place in places if place not in deciding]
