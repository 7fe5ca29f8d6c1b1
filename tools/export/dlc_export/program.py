# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The copy of a program of torch.export (.pt2) that is run to be compared, as graph.py makes one of an ONNX file: PyTorch reads
the program, which gets a loss, known random numbers and, to find where a difference begins, layers' results as outputs; then
PyTorch writes it again, and dlc reads that."""
import torch

from .graph import ADDED, LOSS, WEIGHT, Input, Place, source_in
from .interpreter import NotRun
from .module import small
from .numbers import UNIFORM

ATEN = torch.ops.aten
# Operators that drop elements inside of others, where the numbers that they draw cannot be given to them.
DRAWING = {"lstm", "gru", "rnn_tanh", "rnn_relu", "scaled_dot_product_attention"}
ROOTS = {"sqrt", "pow", "norm", "linalg_vector_norm", "cosine_similarity"}


def operator_of(node):
    """"dropout" of aten.dropout.default; "" of what is no operator."""
    packet = getattr(node.target, "overloadpacket", None)
    return packet.__name__ if packet is not None else ""


def argument_of(node, *names):
    """The value of the argument that has one of the names; None where it is left out."""
    given = dict(zip((argument.name for argument in node.target._schema.arguments), node.args))
    return next((value for name, value in {**given, **node.kwargs}.items() if name in names), None)


class Program:
    """A program as it is in a file, of which copies are made."""

    def __init__(self, path):
        try:
            self.program = torch.export.load(str(path))
        except Exception as error:  # of many classes
            raise ValueError(f"PyTorch does not read '{path}': {str(error).strip().splitlines()[0]}") from None
        graph = self.unlifted().graph
        self.inputs = [Input(f"dlc_input_{index}", value.dtype, list(value.shape))
                       for index, value in enumerate(node.meta["val"] for node in placeholders(graph))
                       if isinstance(value, torch.Tensor)]
        operators = {operator_of(node) for node in graph.nodes}
        self.draws = any("dropout" in name for name in operators)
        self.has_distances = bool(operators & ROOTS)

    def unlifted(self):
        """The program as a module that has its parameters."""
        return self.program.module(check_guards=False)

    def sizes(self, batch, dims):
        """The sizes of each input: open ones are those given, or small, within the program's bounds."""
        values = {}
        for value in self.inputs:
            for axis, size in enumerate(value.shape):
                for symbol in [] if isinstance(size, int) else size.node.expr.free_symbols:
                    bounds = self.program.range_constraints.get(symbol)
                    wanted = dims.get(str(symbol), small(batch, axis))
                    values.setdefault(symbol, wanted if bounds is None else
                                      min(max(wanted, int(bounds.lower)), int(min(bounds.upper, 1 << 40))))
        return [[size if isinstance(size, int) else int(size.node.expr.subs(values)) for size in value.shape]
                for value in self.inputs]

    def sized(self, examples, outputs):
        """A copy for inputs of these sizes."""
        return Copy(self.unlifted(), examples)

    def places(self):
        """{layer: Place} of the layers whose nodes the file tells."""
        last = {}
        for node in self.unlifted().graph.nodes:
            if node.op != "call_function" or not isinstance(node.meta.get("val"), torch.Tensor):
                continue
            for name, _ in (node.meta.get("nn_module_stack") or {}).values():
                if name:
                    last[name] = node  # what a part computes last is also what the whole does
        return {name: Place(node.name, [user.name for user in node.users], [source_of(user) for user in node.users])
                for name, node in last.items()}


def source_of(node):
    """"net.py:12", the innermost place outside of PyTorch that the program notes for the node; "" without any."""
    return source_in(node.meta.get("stack_trace") or "")


def placeholders(graph):
    return [node for node in graph.nodes if node.op == "placeholder"]


class Copy:
    """A copy of the program, to be changed and run."""

    file = "model.pt2"

    def __init__(self, module, examples):
        self.module, self.graph, self.arguments = module, module.graph, list(examples)
        self.graph.set_codegen(torch.fx.graph.CodeGen())  # plain arguments and results
        for index, node in enumerate(placeholders(self.graph)):
            node.target = f"dlc_input_{index}"
        self.values = {node.name: node for node in self.graph.nodes}  # by the names of the file
        end = next(node for node in self.graph.nodes if node.op == "output")
        self.results = [value for value in torch.utils._pytree.tree_leaves(end.args)
                        if isinstance(value, torch.fx.Node) and isinstance(value.meta.get("val"), torch.Tensor)]
        self.outputs = ["output"] if len(self.results) == 1 else [f"output_{i}" for i in range(len(self.results))]
        self.names = list(self.outputs)

    @property
    def bytes(self):
        return sum(tensor.nbytes for tensor in self.module.state_dict().values())

    def save(self, folder):
        end = next(node for node in self.graph.nodes if node.op == "output")
        end.args = (tuple(self.results),)
        self.graph.lint()
        module = torch.fx.GraphModule(self.module, self.graph)  # without the program's own checks of its inputs
        tensors = iter(self.arguments)
        given = tuple(next(tensors) if isinstance(node.meta.get("val"), torch.Tensor) or node.target.startswith(WEIGHT)
                      else node.meta.get("val") for node in placeholders(self.graph))
        try:
            torch.export.save(torch.export.export(module, given), folder / self.file)
        except Exception as error:  # of many classes
            raise NotRun(f"PyTorch does not export the program again: {str(error).strip().splitlines()[0]}") from None
        return folder / self.file

    def named(self, found):
        """What a run has given, by the names that outputs have here."""
        in_file = ["output"] if len(self.names) == 1 else [f"output_{i}" for i in range(len(self.names))]
        return {ours: found[theirs] for ours, theirs in zip(self.names, in_file) if theirs in found}

    def name_of(self, output):
        return "output" if len(self.names) == 1 else f"output_{self.names.index(output)}"

    def know_numbers(self):
        """Draws become the numbers that numbers.py has for them."""
        for node in list(self.graph.nodes):
            name = operator_of(node)
            trains = argument_of(node, "train") if name else False
            if name in DRAWING and argument_of(node, "dropout", "dropout_p") and trains is not False:
                raise NotRun(f"{name} drops elements, and what it draws cannot be given to it")
            if "dropout" not in name or not trains:
                continue
            source, share = node.args[0], 1 - node.args[1]
            with self.graph.inserting_after(node):
                known = self.graph.call_function(ATEN.mul.Scalar, (source, 1 / share if UNIFORM < share else 0.0))
            known.meta = dict(node.meta)
            if name != "native_dropout":
                self.replace(node, known)
                continue
            for user in list(node.users):
                if user.args[1] != 0:
                    raise NotRun("the program reads which elements a dropout drops")
                self.replace(user, known)
            self.graph.erase_node(node)

    def replace(self, node, other):
        self.values[node.name] = other
        node.replace_all_uses_with(other)
        self.results = [other if result is node else result for result in self.results]
        self.graph.erase_node(node)

    def add_loss(self, outputs, weights):
        """The sum of all outputs times weights, as a further output; returns the inputs that hold the weights."""
        inputs, total, first = {}, None, next(node for node in self.graph.nodes if node.op == "output")
        for index, (result, output, weight) in enumerate(zip(list(self.results), outputs, weights)):
            if weight is None:
                continue
            name, dtype = f"{WEIGHT}_{index}", result.meta["val"].dtype
            inputs[name] = weight.to(dtype)
            self.arguments.append(inputs[name])
            with self.graph.inserting_before(next(n for n in self.graph.nodes if n.op not in ("placeholder", "get_attr"))):
                given = self.graph.placeholder(name)
            with self.graph.inserting_before(first):
                term = self.graph.call_function(ATEN.sum.default, (self.graph.call_function(ATEN.mul.Tensor, (result, given)),))
                total = term if total is None else self.graph.call_function(ATEN.add.Tensor, (total, term))
        if total is not None:
            self.results.append(total)
            self.names.append(LOSS)
        return inputs

    def add_results(self, values):
        """The values become outputs."""
        for value in dict.fromkeys(values):
            self.results.append(self.values[value])
            self.names.append(value)

    def add_zeros(self, shapes):
        """To each value of {value: shape}, a parameter of zeros is added; returns {value: the parameter's name}."""
        added = {}
        for value, shape in shapes.items():
            name, node = f"{ADDED}_{len(added)}", self.values[value]
            self.module.register_parameter(name, torch.nn.Parameter(torch.zeros(shape, dtype=node.meta["val"].dtype)))
            with self.graph.inserting_after(node):
                zeros = self.graph.get_attr(name)
            with self.graph.inserting_after(zeros):
                total = self.graph.call_function(ATEN.add.Tensor, (node, zeros))
            node.replace_all_uses_with(total, delete_user_cb=lambda user, total=total: user is not total)
            self.results = [total if result is node else result for result in self.results]
            added[value] = name
        return added
