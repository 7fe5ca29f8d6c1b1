# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What exporters leave out and training needs: notes in the file's metadata, which dlc reads, and repairs."""
import pathlib
import re

import torch

SIGNATURE = "pkg.torch.export.ExportedProgram.graph_signature"  # where the newer exporter lists what is what
PADDING = "dlc.padding_index"  # of a Gather that is an embedding: its row that is not trained
FROZEN = "dlc.frozen"  # the parameters that do not require gradients
TIED = "dlc.tied"  # lines "name=other": in the module both are one tensor, which the file has as 'other'
UNUSED = "dlc.unused"  # the parameters that have no gradient in PyTorch either, and are not in the file
HARDTANH = "dlc.hardtanh"  # of a Clip that is one: at its limits it passes no gradient, as clamp() does
MODE = "dlc.mode"  # "train": what is in evaluation mode is so on purpose
COUNTER = "num_batches_tracked"  # of batch norms: dlc counts steps itself


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


def note(entries, key, lines):
    """Adds metadata, where there is something to say; an older entry of that key goes."""
    for index in reversed([i for i, entry in enumerate(entries) if entry.key == key]):
        del entries[index]
    if lines:
        entry = entries.add()
        entry.key, entry.value = key, "\n".join(lines)


def complete(module, path, exporter):
    """Adds what dlc needs to know of the module: which parameters are frozen and which tied, and that layers in
    evaluation mode are so on purpose."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    if exporter == "torchscript":
        complete_record(module, model)
    drop_invalid_biases(model.graph)
    entries = model.graph.metadata_props
    note(entries, FROZEN, [name for name, parameter in module.named_parameters(remove_duplicate=False)
                           if not parameter.requires_grad])
    note(entries, TIED, ties(module, {tensor.name for tensor in model.graph.initializer}))
    note(entries, MODE, ["train"] if any(layer.training for layer in module.modules()) else [])
    onnx.save(model, str(path))


def note_unused(path, names):
    """Adds that these parameters are missing for a good reason."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    note(model.graph.metadata_props, UNUSED, names)
    onnx.save(model, str(path))


def ties(module, present):
    """"name=other" for each further name of a tensor: 'other' is the one that the file has."""
    names = {}
    for name, tensor in [*module.named_parameters(remove_duplicate=False),
                         *module.named_buffers(remove_duplicate=False)]:
        names.setdefault(id(tensor), []).append(name)
    lines = []
    for group in names.values():
        written = [name for name in group if name in present]
        if len(group) > 1 and len(written) == 1:
            lines += [f"{name}={written[0]}" for name in group if name != written[0]]
    return lines


def drop_invalid_biases(graph):
    """A convolution without a bias gets zeros from the newer exporter, with three spatial dims in a shape that no bias
    may have. Zeros that the file computes of a number add nothing, whatever their shape: the operand is left out."""
    makers = {output: node for node in graph.node for output in node.output}
    dropped = []
    for node in graph.node:
        if node.op_type in ("Conv", "ConvTranspose") and len(node.input) == 3 and is_zero(node.input[2], makers):
            dropped.append(node.input.pop())
    drop_unused(graph, dropped)


def is_zero(name, makers):
    """Whether the value is a constant 0, expanded or not."""
    import onnx.numpy_helper

    node = makers.get(name)
    while node is not None and node.op_type in ("Expand", "Cast", "CastLike", "Identity"):
        node = makers.get(node.input[0])
    if node is None or node.op_type != "Constant" or node.attribute[0].name != "value":
        return False
    return not onnx.numpy_helper.to_array(node.attribute[0].t).any()


def drop_unused(graph, names):
    """Removes the nodes that nothing reads any more, from these values upwards."""
    while names:
        read = {name for node in graph.node for name in node.input} | {output.name for output in graph.output}
        unread = [i for i, node in enumerate(graph.node)
                  if set(node.output) & set(names) and not set(node.output) & read]
        names = [name for i in unread for name in graph.node[i].input]
        for i in reversed(unread):
            del graph.node[i]


def complete_record(module, model):
    """What the older exporter leaves out: the running statistics before tracing, which moved them, the newer
    exporter's list of parameters and buffers, without which a mask looks like a parameter, and which row of an
    embedding is not trained, and which of the nodes that limit numbers are layers."""
    import onnx.numpy_helper

    buffers, parameters = dict(module.named_buffers()), dict(module.named_parameters(remove_duplicate=False))
    for tensor in model.graph.initializer:
        buffer = buffers.get(tensor.name)
        if buffer is not None and buffer.is_floating_point() and list(buffer.shape) == list(tensor.dims):
            tensor.CopyFrom(onnx.numpy_helper.from_array(buffer.detach().cpu().numpy(), tensor.name))
    present = [tensor.name for tensor in model.graph.initializer]
    lines = [f"p_{i}: PARAMETER target='{name}'" for i, name in enumerate(present) if name in parameters]
    lines += [f"b_{i}: BUFFER target='{name}'" for i, name in enumerate(present) if name in buffers]
    note(model.graph.metadata_props, SIGNATURE, ["# inputs", *lines, ""])
    limiting = {name for name, layer in module.named_modules() if isinstance(layer, torch.nn.Hardtanh)}  # ReLU6, too
    padding = padding_indices(module)
    for node in model.graph.node:
        if node.op_type == "Clip" and {module_of(node.name), re.sub(r"_\d+$", "", module_of(node.name))} & limiting:
            note(node.metadata_props, HARDTANH, ["1"])
        if node.op_type == "Gather" and node.input[0] in padding:
            note(node.metadata_props, PADDING, [str(padding[node.input[0]])])


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
