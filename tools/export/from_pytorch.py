#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a PyTorch module to ONNX so that dlc trains it as PyTorch would.

usage: from_pytorch.py FILE.py:NAME --shape SHAPE [--shape SHAPE ...] [-o MODEL.onnx]

NAME is a torch.nn.Module, or a class or function that returns one when it is called without arguments. Give
one --shape for each input, in forward's order:

    from_pytorch.py digits.py:Net --shape batch,784 -o digits.onnx
    from_pytorch.py gpt.py:make_model --shape batch,64:int64 --weights trained.pt -o gpt.onnx

The first size is the batch. A size that is a word (batch, seq) stays open in the file under that name. The
module is exported in training mode, without the exporter's optimizations, and its parameters keep the names
of its state_dict. Then the file is compared with the state_dict: what differs is said, and the exit status
is 1.

In Python: from_pytorch.export(module, (example,), "model.onnx") does the same and returns a Report.
Needs torch (2.x) and onnx, and onnxscript for the default exporter.
"""
import argparse
import copy
import dataclasses
import importlib.util
import inspect
import logging
import pathlib
import re
import sys
import traceback
import warnings

import torch
from torch.overrides import TorchFunctionMode

EXAMPLE_SIZE = 4  # of open dims: torch.export takes sizes 0 and 1 for fixed ones
SIGNATURE = "pkg.torch.export.ExportedProgram.graph_signature"  # where the newer exporter lists what is what
PADDING = "dlc.padding_index"  # of a Gather that is an embedding: its row that is not trained
FROZEN = "dlc.frozen"  # the parameters that do not require gradients
HARDTANH = "dlc.hardtanh"  # of a Clip that is one: at its limits it passes no gradient, as clamp() does
MODE = "dlc.mode"  # "train": what is in evaluation mode is so on purpose
COUNTER = "num_batches_tracked"  # of batch norms: dlc counts steps itself


@dataclasses.dataclass
class Report:
    """What the file holds, compared with the module."""

    summary: str
    problems: list  # sentences; empty: every parameter and buffer is there with its name, shape and values
    remarks: list  # sentences about what is in order but good to know

    def __str__(self):
        lines = [self.summary, *(f"problem: {line}" for line in self.problems)]
        return "\n".join(lines + [f"remark: {line}" for line in self.remarks])


def input_names_of(module, count):
    """The names of forward's arguments: what the C functions' arguments will be called."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (named if len(named) >= count else [f"input_{i}" for i in range(count)])[:count]


def output_names_of(module, examples):
    """output, or output_0 and so on: counted by one call of a copy in evaluation mode."""
    with torch.no_grad():
        results = copy.deepcopy(module).eval()(*examples)
    count = len(results) if isinstance(results, (tuple, list)) else 1
    return ["output"] if count == 1 else [f"output_{i}" for i in range(count)]


def export(module, examples, path, *, exporter="dynamo", opset=None, input_names=None, output_names=None,
           dims=None):
    """Writes `module` to `path`, right for training, and compares the file with the module.

    examples: one tensor for each argument of forward, with 2 rows or more.
    dims: for each input, {axis: name} of the sizes that stay open; default {0: "batch"} for each.
    opset: the ONNX operator set; default: the exporter's own choice.
    """
    check_module(module)
    examples = tuple(examples)
    dims = [{0: "batch"} for _ in examples] if dims is None else list(dims)
    input_names = list(input_names or input_names_of(module, len(examples)))
    output_names = list(output_names or output_names_of(module, examples))
    for name, example, axes in zip(input_names, examples, dims):
        for axis, dim in axes.items():
            if example.shape[axis] < 2:
                raise ValueError(f"input '{name}': the example's size of dim '{dim}' (axis {axis}) is "
                                 f"{example.shape[axis]}; give 2 or more, exporters take 1 for a fixed size")
    # A copy: tracing runs the module, which changes the running statistics of batch norms.
    training = copy.deepcopy(module).train()
    options = {"input_names": input_names, "output_names": output_names}
    if opset is not None:
        options["opset_version"] = opset
    if exporter == "dynamo":
        named = {name: torch.export.Dim(name) for axes in dims for name in axes.values()}
        options.update(dynamo=True, optimize=False, external_data=False, verbose=False)
        options["dynamic_shapes"] = tuple({axis: named[name] for axis, name in axes.items()} for axes in dims)
    elif exporter == "torchscript":
        if "dynamo" in inspect.signature(torch.onnx.export).parameters:
            options["dynamo"] = False
        # Without constant folding: it replaces parameters by transposed copies under other names.
        options.update(training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)
        options["dynamic_axes"] = {name: axes for name, axes in zip(input_names, dims) if axes}
        batch = {axes.get(0) for axes in dims}
        if len(batch) == 1 and None not in batch:
            options["dynamic_axes"].update({name: {0: dims[0][0]} for name in output_names})
    else:
        raise ValueError(f"exporter '{exporter}': expected dynamo or torchscript")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.onnx.export(training, examples, str(path), **options)
    complete(module, path, exporter, training.training)
    report = compare(module, path)
    report.remarks += traced_values(caught)
    report.problems += [*training_problems(module, examples, exporter), *embedding_problems(module)]
    return report


def traced_values(caught):
    """Sentences on values that the older exporter took for the example's: others may take another way."""
    library = str(pathlib.Path(torch.__file__).parent)
    places = {f"{w.filename}:{w.lineno}": None for w in caught
              if issubclass(w.category, torch.jit.TracerWarning) and not w.filename.startswith(library)}
    return [f"at {place} forward computes with a number of the example, which the file has for all data; where it is "
            "more than a size, use dynamo" for place in places]


def embedding_problems(module):
    """Sentences on options of embeddings that change the training and are not in a file."""
    found = []
    for name, layer in module.named_modules():
        for option, default in (("max_norm", None), ("scale_grad_by_freq", False)):
            if isinstance(layer, (torch.nn.Embedding, torch.nn.EmbeddingBag)) and getattr(layer, option) != default:
                found.append(f"'{name or 'the module'}' has {option}={getattr(layer, option)}, which a file of ONNX "
                             "does not say: it is trained without")
    return found


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
            library, stack = str(pathlib.Path(torch.__file__).parent), traceback.extract_stack()[:-1]
            if any(f.name == "apply" and f.filename.endswith("autograd/function.py") for f in stack):
                return result  # which has a backward of its own
            frame = next((f for f in reversed(stack) if not f.filename.startswith(library)), None)
            place = f"{frame.filename}:{frame.lineno}" if frame else "a place in torch"
            self.places.setdefault(place, "detach()" if detaches else "no_grad")
        return result


def training_problems(module, examples, exporter):
    """Sentences on what a file cannot say: where forward lets no gradient through or has a backward of its own, and
    which buffers it changes."""
    training = copy.deepcopy(module).train()  # tracing runs the module, too
    before = {name: buffer.clone() for name, buffer in training.named_buffers()}
    with torch.enable_grad(), StoppedGradients() as found:
        results = training(*examples)
    problems = [f"at {place} forward stops gradients ({how}), which a file of "
                + ("the older exporter does not say: use dynamo" if how == "detach()"
                   else "ONNX does not say; write detach(), which the newer exporter notes")
                for place, how in found.places.items() if (exporter, how) != ("dynamo", "detach()")]
    problems += [f"forward uses the autograd function '{name}', whose backward a file of ONNX does not have: dlc "
                 "derives the gradient from forward's formulas" for name in own_functions(results)]
    statistics = {name + buffer for name, layer in prefixed_modules(training)
                  if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)
                  for buffer in ("running_mean", "running_var", COUNTER)}
    return problems + [f"forward changes the buffer '{name}', which a file of ONNX does not say: it stays as it is"
                       for name, buffer in training.named_buffers()
                       if name not in statistics and not torch.equal(buffer, before[name])]


def prefixed_modules(module):
    return [(f"{name}." if name else "", layer) for name, layer in module.named_modules()]


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


def check_module(module):
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"expected a torch.nn.Module, found {type(module).__name__}")
    for name, tensor in module.state_dict().items():
        if tensor.is_floating_point() and tensor.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"'{name}' is {tensor.dtype}: dlc reads float32 and float64; call module.float()")


def initializers(path):
    """{name: tensor} of the file, its operator set, and {copy: original} of what Identity nodes copy."""
    import onnx
    import onnx.numpy_helper

    model = onnx.load(str(path))
    folder = str(pathlib.Path(path).resolve().parent)
    tensors = {t.name: torch.from_numpy(onnx.numpy_helper.to_array(t, folder).copy())
               for t in model.graph.initializer}
    copies = {node.output[0]: node.input[0] for node in model.graph.node
              if node.op_type == "Identity" and node.input[0] in tensors}
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
    return tensors, opset, copies


def complete(module, path, exporter, is_training):
    """What exporters leave out: which parameters do not require gradients, and that the module was in training mode."""
    import onnx

    if exporter == "torchscript":
        complete_record(module, path)
    model = onnx.load(str(path), load_external_data=False)
    frozen = [name for name, parameter in module.named_parameters(remove_duplicate=False)
              if not parameter.requires_grad]
    for key, value in ((FROZEN, "\n".join(frozen)), (MODE, "train" if is_training else "")):
        if value:
            entry = model.graph.metadata_props.add()
            entry.key, entry.value = key, value
    onnx.save(model, str(path))


def complete_record(module, path):
    """What the older exporter leaves out: the running statistics before tracing, which moved them, the newer
    exporter's list of parameters and buffers, without which a mask looks like a parameter, and which row of an
    embedding is not trained, and which of the nodes that limit numbers are layers."""
    import onnx
    import onnx.numpy_helper

    model = onnx.load(str(path))
    buffers, parameters = dict(module.named_buffers()), dict(module.named_parameters(remove_duplicate=False))
    for tensor in model.graph.initializer:
        buffer = buffers.get(tensor.name)
        if buffer is not None and buffer.is_floating_point() and list(buffer.shape) == list(tensor.dims):
            tensor.CopyFrom(onnx.numpy_helper.from_array(buffer.detach().cpu().numpy(), tensor.name))
    present = [tensor.name for tensor in model.graph.initializer]
    lines = [f"p_{i}: PARAMETER target='{name}'" for i, name in enumerate(present) if name in parameters]
    lines += [f"b_{i}: BUFFER target='{name}'" for i, name in enumerate(present) if name in buffers]
    entry = model.graph.metadata_props.add()
    entry.key, entry.value = SIGNATURE, "\n".join(["# inputs", *lines, ""])
    limiting = {name for name, layer in module.named_modules() if isinstance(layer, torch.nn.Hardtanh)}  # ReLU6, too
    padding = padding_indices(module)
    for node in model.graph.node:
        if node.op_type == "Clip" and {module_of(node.name), re.sub(r"_\d+$", "", module_of(node.name))} & limiting:
            entry = node.metadata_props.add()
            entry.key, entry.value = HARDTANH, "1"
        if node.op_type == "Gather" and node.input[0] in padding:
            entry = node.metadata_props.add()
            entry.key, entry.value = PADDING, str(padding[node.input[0]])
    onnx.save(model, str(path))


def module_of(node):
    """"blocks.1.0.act" of "/blocks.1/blocks.1.0/act/Clip"; later calls have a number, "act_1"."""
    parts = []
    for part in node.split("/")[1:-1]:
        if parts and part.startswith(parts[-1] + "."):
            parts.pop()
        parts.append(part)
    return ".".join(parts)


def padding_indices(module):
    """{parameter: padding_idx} of the embeddings that have one."""
    found = {}  # by the tensor: tied ones have several names
    for layer in module.modules():
        if isinstance(layer, torch.nn.Embedding):
            found.setdefault(layer.weight, set()).add(layer.padding_idx)
    result = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        indices = found.get(parameter, {None})
        if len(indices) > 1:
            raise ValueError(f"'{name}' is the weight of embeddings with different padding_idx; the older exporter "
                             "does not tell them apart, use dynamo")
        if indices != {None}:
            result[name] = indices.copy().pop()
    return result


def compare(module, path):
    """A Report on the file: are the module's parameters and buffers in it, under their names?"""
    found, opset, copies = initializers(path)
    parameters = dict(module.named_parameters(remove_duplicate=False))
    stored = {name: tensor for name, tensor in {**parameters, **dict(module.named_buffers())}.items()
              if not name.endswith(COUNTER)}
    first_name = {}  # of each tensor: tied ones have several
    problems, remarks, count, elements = [], [], 0, 0
    for name, tensor in stored.items():
        kind = "parameter" if name in parameters else "buffer"
        others = [other for other, t in stored.items() if t is tensor and other != name]
        if id(tensor) in first_name:
            remarks.append(f"'{name}' is tied to '{first_name[id(tensor)]}': one parameter, as in the module")
            continue
        first_name[id(tensor)] = name
        written = [n for n in (name, *others) if n in found]
        if len(written) > 1:
            problems.append(f"'{name}' is tied to '{others[0]}' in the module; the file has both, untied")
        elif not written:
            size = f"{tuple(tensor.shape)}, {tensor.numel()} elements"
            if name in copies:
                why = f"the exporter merged it with '{copies[name]}', which has the same values now"
            else:
                why = "forward does not use it, or the exporter folded it into another"
            (problems if kind == "parameter" else remarks).append(
                f"{kind} '{name}' ({size}) is not in the file: {why}")
            continue
        value = found[written[0]]
        if value.shape != tensor.shape or not torch.equal(value, tensor.detach().cpu()):
            problems.append(f"{kind} '{name}' has other values in the file than in the module")
        if kind == "parameter":
            count, elements = count + 1, elements + tensor.numel()
            if not tensor.requires_grad:
                remarks.append(f"parameter '{name}' does not require gradients: it is not trained")
    known = set(stored)
    for name, value in found.items():
        if name not in known and value.is_floating_point() and value.numel() > 1:
            remarks.append(f"initializer '{name}' {tuple(value.shape)} is no parameter of the module")
    unique = {id(p): p for p in parameters.values()}.values()
    summary = (f"{path}: operator set {opset}; {count} of {len(unique)} parameters, {elements} of "
               f"{sum(p.numel() for p in unique)} elements, under the names of the state_dict")
    return Report(summary, problems, remarks)


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
    spec.loader.exec_module(source)
    if not hasattr(source, name):
        raise ValueError(f"'{file}' defines no '{name}'")
    found = getattr(source, name)
    return found if isinstance(found, torch.nn.Module) else found()


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


def example_of(shape, names, dtype, is_fixed):
    """A tensor to export with: of all open dims the same size."""
    sizes = shape if is_fixed else [EXAMPLE_SIZE if axis in names else size for axis, size in enumerate(shape)]
    generator = torch.Generator().manual_seed(0)
    example = torch.randn(sizes, generator=generator) if dtype.is_floating_point else torch.zeros(sizes)
    return example.to(dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__.split("\n\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", metavar="FILE.py:NAME", help="a module, or what returns one when called")
    parser.add_argument("--shape", action="append", required=True, type=parse_shape, dest="inputs",
                        help="of one input: sizes or names of open dims, and a dtype; may be repeated")
    parser.add_argument("-o", "--output", default="model.onnx", help="the file to write (model.onnx)")
    parser.add_argument("--exporter", choices=["dynamo", "torchscript"], default="dynamo")
    parser.add_argument("--opset", type=int, help="the ONNX operator set (default: the exporter's)")
    parser.add_argument("--input-names", metavar="A,B", help="default: the names of forward's arguments")
    parser.add_argument("--output-names", metavar="A,B", help="default: output")
    parser.add_argument("--weights", metavar="FILE", help="a state_dict that torch.save wrote, loaded first")
    parser.add_argument("--fixed", action="store_true", help="leave no dim open: write the sizes given")
    arguments = parser.parse_args()
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of packages that nothing here needs
    try:
        module = load_module(arguments.module)
        check_module(module)
        if arguments.weights:
            module.load_state_dict(torch.load(arguments.weights, map_location="cpu", weights_only=True))
        split = lambda names: names.split(",") if names else None
        examples = [example_of(*described, arguments.fixed) for described in arguments.inputs]
        dims = [{} if arguments.fixed else names for _, names, _ in arguments.inputs]
        report = export(module, examples, arguments.output,
                        exporter=arguments.exporter, opset=arguments.opset, dims=dims,
                        input_names=split(arguments.input_names), output_names=split(arguments.output_names))
    except (ValueError, TypeError, OSError) as error:
        sys.exit(f"from_pytorch.py: {error}")
    print(report)
    sys.exit(1 if report.problems else 0)


if __name__ == "__main__":
    main()
