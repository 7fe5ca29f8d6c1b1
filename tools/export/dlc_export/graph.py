# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The copy of a file that is run to be compared: of the example's sizes, with known random numbers, with a loss, and,
to find where a difference begins, with layers' results as outputs or with zeros added to them, whose gradients are
those of the results."""
import ast
import copy
import dataclasses

import torch

from .module import small
from .numbers import NORMAL, UNIFORM
from .record import SIGNATURE, module_of

LOSS, WEIGHT, ADDED = "dlc_loss", "dlc_weight", "dlc_added"
RANDOM = {"RandomUniformLike", "RandomNormalLike", "RandomUniform", "RandomNormal", "Bernoulli"}
SCOPES, TRACE = "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.stack_trace"


@dataclasses.dataclass
class Place:
    """Where a file has the result of a layer."""

    value: str
    readers: list  # the names of nodes
    sources: list  # where they were written, as net.py:12; "" where nothing tells


def attribute(node, name, default):
    import onnx

    return next((onnx.helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def metadata(node, key):
    return next((entry.value for entry in node.metadata_props if entry.key == key), "")


def scope_of(node):
    """"layers.0.conv" of the layer that the node is a part of; "" of forward's own, None where nothing tells."""
    if scopes := metadata(node, SCOPES):
        names = ast.literal_eval(scopes)
        return names[-2] if len(names) > 1 else ""
    return module_of(node.name) if node.name.startswith("/") else None


def source_of(node):
    """"net.py:12", the innermost place outside of PyTorch that the exporter noted for the node; "" without any."""
    return source_in(metadata(node, TRACE))


def source_in(trace):
    lines = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
    for line in reversed(lines):
        file, rest = line[len('File "'):].split('", line ', 1)
        if "/torch/" not in file:
            return f"{file}:{rest.split(',')[0]}"
    return ""


@dataclasses.dataclass
class Input:
    name: str
    dtype: torch.dtype
    shape: list  # numbers, and the names of open sizes

    def is_open(self, axis):
        return not isinstance(self.shape[axis], int)


class Copy:
    """A copy of the model, to be changed and run."""

    file = "model.onnx"

    def __init__(self, model):
        self.model = model

    @property
    def outputs(self):
        return [value.name for value in self.model.graph.output]

    @property
    def bytes(self):
        return sum(len(tensor.raw_data) for tensor in self.model.graph.initializer)

    def save(self, folder):
        (folder / self.file).write_bytes(self.model.SerializeToString())
        return folder / self.file

    def named(self, found):
        return found

    def name_of(self, output):
        return output

    def know_numbers(self):
        know_numbers(self.model)

    def add_loss(self, outputs, weights):
        return add_loss(self.model, outputs, weights)

    def add_results(self, values):
        add_results(self.model, values)

    def add_zeros(self, shapes):
        return add_zeros(self.model, shapes)


class Graph:
    """A model as it is in a file, of which copies are made."""

    def __init__(self, path):
        import onnx

        self.model = onnx.load(str(path))
        self.inputs = [Input(value.name, dtype_of(value), shape_of(value)) for value in self.model.graph.input
                       if value.name not in {tensor.name for tensor in self.model.graph.initializer}]
        self.draws = any(node.op_type in RANDOM for node in self.model.graph.node)
        self.has_distances = self.finds_distances()

    def finds_distances(self):
        """Whether there is the root of a sum, whose derivative is not finite where all summands are zero."""
        sums = {node.output[0] for node in self.model.graph.node if node.op_type in ("ReduceSum", "ReduceSumSquare")}
        return any(node.op_type == "ReduceL2" or (node.op_type in ("Sqrt", "Pow") and node.input[0] in sums)
                   for node in self.model.graph.node)

    def sizes(self, batch, dims):
        """The sizes of each input: open ones are those given, or small; the batch is the first open dim."""
        return [[size if isinstance(size, int) else dims.get(size, small(batch, axis))
                 for axis, size in enumerate(value.shape)] for value in self.inputs]

    def sized(self, examples, outputs):
        """A copy in which all sizes are numbers."""
        model = copy.deepcopy(self.model)
        by_name = {value.name: example for value, example in zip(self.inputs, examples)}
        for value in model.graph.input:
            if value.name in by_name:
                set_shape(value, by_name[value.name].shape)
        for value, output in zip(model.graph.output, outputs):
            set_shape(value, output.shape)
        del model.graph.value_info[:]
        return Copy(model)

    def places(self):
        """{layer: Place} of the layers whose nodes the file tells."""
        read, last = {}, {}
        for index, node in enumerate(self.model.graph.node):
            for name in node.input:
                read.setdefault(name, []).append(index)
            scope = scope_of(node)
            while scope:  # what a part computes last is also what the whole does
                last[scope] = index
                scope = scope.rpartition(".")[0]
        nodes = self.model.graph.node
        ends = {output.name for output in self.model.graph.output}
        found = {}
        for scope, index in last.items():
            output = nodes[index].output[0]
            outside = [nodes[i] for i in read.get(output, [])]
            if outside or output in ends:
                found[scope] = Place(output, [node.name for node in outside], [source_of(node) for node in outside])
        return found


def shape_of(value):
    """Sizes of an input: numbers, and the names of open ones."""
    return [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or f"{value.name}.{axis}"
            for axis, dim in enumerate(value.type.tensor_type.shape.dim)]


def dtype_of(value):
    import onnx

    dtypes = {onnx.TensorProto.DOUBLE: torch.float64, onnx.TensorProto.INT64: torch.int64,
              onnx.TensorProto.INT32: torch.int32, onnx.TensorProto.UINT8: torch.uint8, onnx.TensorProto.BOOL: torch.bool}
    return dtypes.get(value.type.tensor_type.elem_type, torch.float32)


def set_shape(value, shape):
    del value.type.tensor_type.shape.dim[:]
    for size in shape:
        value.type.tensor_type.shape.dim.add().dim_value = size


def replace_nodes(graph, nodes):
    import onnx

    copies = []
    for node in nodes:
        copies.append(onnx.NodeProto())
        copies[-1].CopyFrom(node)
    del graph.node[:]
    graph.node.extend(copies)


def float_type(model):
    """Of the outputs: the type that the model computes in."""
    import onnx

    kinds = [value.type.tensor_type.elem_type for value in model.graph.output]
    return next((kind for kind in kinds if kind in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE)),
                onnx.TensorProto.FLOAT)


def filled(name, value, shape, kind):
    """Nodes that make a value of a shape, which another value has, filled with a number."""
    from onnx import helper

    return [helper.make_node("ConstantOfShape", [shape], [name], value=helper.make_tensor("value", kind, [1], [value]))]


def filled_like(name, value, like, kind):
    from onnx import helper

    return [helper.make_node("Shape", [like], [name + "_shape"]), *filled(name, value, name + "_shape", kind)]


def known_dropout(node, name, kind):
    """x / (1 - ratio): all elements are kept."""
    from onnx import helper

    def constant(out, value):
        return helper.make_node("Constant", [], [out], value=helper.make_tensor("value", kind, [], [value]))

    nodes = [constant(name + "_one", 1.0)]
    if len(node.input) > 1 and node.input[1]:
        nodes.append(helper.make_node("Cast", [node.input[1]], [name + "_ratio"], to=kind))
    else:
        nodes.append(constant(name + "_ratio", attribute(node, "ratio", 0.5)))
    nodes.append(helper.make_node("Sub", [name + "_one", name + "_ratio"], [name]))
    nodes.append(helper.make_node("Div", [node.input[0], name], [node.output[0]], name=node.name))
    nodes[-1].metadata_props.extend(node.metadata_props)
    return nodes


def known(node, name, kind):
    """What a node that draws is replaced by."""
    from onnx import helper

    out, draw = node.output[0] if node.output else "", node.op_type.removesuffix("Like")
    if node.op_type == "Dropout":
        return known_dropout(node, name, kind)
    if node.op_type == "Bernoulli":
        return [*filled_like(name, UNIFORM, node.input[0], kind),
                helper.make_node("Less", [name, node.input[0]], [name + "_less"]),
                helper.make_node("Cast", [name + "_less"], [out], to=kind)]
    if draw not in ("RandomUniform", "RandomNormal"):
        return [node]
    low, high = attribute(node, "low", 0.0), attribute(node, "high", 1.0)
    value = low + UNIFORM * (high - low) if draw == "RandomUniform" \
        else attribute(node, "mean", 0.0) + NORMAL * attribute(node, "scale", 1.0)
    if node.op_type.endswith("Like"):
        return filled_like(out, value, node.input[0], kind)
    sizes = helper.make_node("Constant", [], [name], value_ints=attribute(node, "shape", []))
    return [sizes, *filled(out, value, name, kind)]


def know_numbers(model):
    """Draws become the numbers that numbers.py has for them."""
    kind = float_type(model)
    replace_nodes(model.graph, [made for index, node in enumerate(model.graph.node)
                                for made in known(node, f"dlc_known_{index}", kind)])


def add_loss(model, outputs, weights):
    """The sum of all outputs times weights, as a further output; returns the inputs that hold the weights."""
    from onnx import helper

    graph, inputs, terms = model.graph, {}, []
    for index, (value, output, weight) in enumerate(zip(list(graph.output), outputs, weights)):
        if weight is None:
            continue
        name, kind = f"{WEIGHT}_{index}", value.type.tensor_type.elem_type
        inputs[name] = weight.to(torch.float64 if kind == 11 else torch.float32)
        graph.input.append(helper.make_tensor_value_info(name, kind, list(output.shape)))
        graph.node.append(helper.make_node("Mul", [value.name, name], [f"{name}_product"]))
        graph.node.append(helper.make_node("ReduceSum", [f"{name}_product"], [f"{name}_sum"], keepdims=0))
        terms.append(f"{name}_sum")
    if len(terms) > 1:
        graph.node.append(helper.make_node("Sum", terms, [LOSS]))
    elif terms:
        graph.node.append(helper.make_node("Identity", terms, [LOSS]))
    if terms:
        graph.output.append(helper.make_tensor_value_info(LOSS, float_type(model), []))
    return inputs


def add_results(model, values):
    """The values become outputs."""
    from onnx import helper

    present = {output.name for output in model.graph.output}
    kind = float_type(model)
    for name in dict.fromkeys(values):
        if name not in present:
            model.graph.output.append(helper.make_tensor_value_info(name, kind, None))


def add_zeros(model, shapes):
    """To each value of {value: shape}, a parameter of zeros is added; returns {value: the parameter's name}."""
    from onnx import helper

    kind = float_type(model)
    added, nodes = {}, []
    for node in model.graph.node:
        nodes.append(node)
        for index, output in enumerate(node.output):
            if output not in shapes:
                continue
            name = f"{ADDED}_{len(added)}"
            node.output[index] = f"{name}_before"
            nodes.append(helper.make_node("Add", [node.output[index], name], [output]))
            size = torch.Size(shapes[output]).numel()
            model.graph.initializer.append(helper.make_tensor(name, kind, shapes[output], [0.0] * size))
            added[output] = name
    replace_nodes(model.graph, nodes)
    for entry in model.graph.metadata_props:
        if entry.key == SIGNATURE:
            lines = "\n".join(f"p_{name}: PARAMETER target='{name}'" for name in added.values())
            entry.value = entry.value.replace("# outputs", lines + "\n# outputs", 1) if "# outputs" in entry.value \
                else entry.value + lines + "\n"
    return added


def for_prediction(copied):
    """For ONNX Runtime, which does what a file says and has no modes: drops nothing, and takes running statistics."""
    from onnx import helper

    model, ready = copied.model, []
    for node in model.graph.node:
        if node.op_type == "Dropout":
            node = helper.make_node("Identity", [node.input[0]], [node.output[0]], name=node.name)
        if node.op_type == "BatchNormalization":
            del node.output[1:]
            for index in reversed(range(len(node.attribute))):
                if node.attribute[index].name == "training_mode":
                    del node.attribute[index]
        ready.append(node)
    replace_nodes(model.graph, ready)
