# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do module and file compute the same? Outputs, gradients of all parameters and running statistics, in training mode
with known random numbers, and outputs in evaluation mode."""
import dataclasses
import math

import torch

from .graph import LOSS, Graph, add_loss, for_prediction, know_numbers, shape_of
from .interpreter import NotRun
from .matching import match
from .naming import first_gradient, first_output
from .record import COUNTER
from .reference import Reference, scaled, steps_of, weights_of

# The file has float32 numbers where the module, in float64, has more digits: an epsilon, a scale. Numbers that
# are wrong for another reason are far more off.
RELATIVE = 1e-5
# A gradient may cancel to nothing, and is then as large as the roundings of the others.
OF_LARGEST = 1e-6
# And what one rounding of the numbers costs this module: its own distance between float32 and float64.
OF_SPREAD = 5
SHRUNK = 0.97  # of the second example: it keeps what is equal and what is zero, and moves all else off its kinks


@dataclasses.dataclass
class Results:
    summary: str
    problems: list = dataclasses.field(default_factory=list)
    remarks: list = dataclasses.field(default_factory=list)
    unused: list = dataclasses.field(default_factory=list)  # parameters without a gradient in PyTorch
    done: list = dataclasses.field(default_factory=list)  # modes that were compared


def largest(tensor):
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def bound_of(expected, rounded, among):
    """How far a number may be from `expected`; `rounded`: the module's own in float32; `among`: the largest number of
    all tensors of this kind."""
    spread = largest((expected - rounded.double()).nan_to_num(0.0)) if rounded is not None else 0.0
    return RELATIVE * largest(expected.nan_to_num(0.0)) + OF_LARGEST * among + OF_SPREAD * spread


def difference(found, expected, bound):
    """"" where they are equal, else the end of a sentence."""
    if found is None or list(found.shape) != list(expected.shape):
        return f"has the shape {None if found is None else tuple(found.shape)} instead of {tuple(expected.shape)}"
    if not expected.is_floating_point():
        count = int((found.to(expected.dtype) != expected).sum())
        return f"has {count} of {expected.numel()} other numbers" if count else ""
    found, expected = found.double(), expected.double()
    if (odd := found.isfinite() != expected.isfinite()).any():
        return f"is {float(found[odd][0]):g} where PyTorch has {float(expected[odd][0]):g}"
    off = largest((found - expected).nan_to_num(0.0))
    return "" if off <= bound else f"is off by up to {off:.2g}, of numbers up to {largest(expected.nan_to_num(0.0)):.2g}"


def compared(found, expected, rounded, exact=0.0):
    """{name: the end of a sentence} of the tensors of {name: tensor} that differ."""
    among = max([largest(tensor.nan_to_num(0.0)) for tensor in expected.values() if tensor.is_floating_point()] + [0.0])
    differences = {}
    for name, tensor in expected.items():
        floats = tensor.is_floating_point()
        bound = bound_of(tensor, rounded.get(name), among) if floats else 0.0
        if text := difference(found.get(name), tensor, bound):
            differences[name] = text
    return differences


class Comparison:
    """Of one example."""

    def __init__(self, module, examples, graph, runner):
        self.graph, self.runner, self.examples, self.module = graph, runner, examples, module
        self.is_double, self.remarks = True, []

    def references(self, trains, **options):
        """The module's results in float64, or in float32 where it does not compute in float64, and in float32."""
        single = Reference(self.module, self.examples, torch.float32).run(trains)
        try:
            return Reference(self.module, self.examples, torch.float64).run(trains, **options), single
        except Exception:  # whatever a module of the user's raises
            self.is_double = False
            return Reference(self.module, self.examples, torch.float32).run(trains, **options), single

    def model(self, computed, trains):
        """(the model to run, its inputs)"""
        model = self.graph.sized(self.examples, computed.outputs)
        if trains:
            know_numbers(model)
        elif not self.runner.trains:
            for_prediction(model)
        inputs = {value.name: example for value, example in zip(self.graph.inputs, self.examples)}
        inputs.update(add_loss(model, computed.outputs, weights_of(computed.outputs)))
        return model, inputs

    def values(self, model, inputs, trains):
        """The outputs of the forward pass in a mode."""
        function = "forward" if trains else "evaluate"
        return self.runner.run(model, function, [inputs], loss=LOSS, stage="forward")[0]

    def steps(self, inputs):
        """The inputs of each training step."""
        names = [value.name for value in self.graph.inputs]
        return [{**inputs, **dict(zip(names, scaled(self.examples, factor)))} for factor in steps_of(self.module)]

    def in_evaluation(self):
        """Sentences on outputs that differ."""
        expected, single = self.references(trains=False)
        if expected.drawn:
            return [], "evaluation mode was not compared: forward draws random numbers also there"
        if self.graph.draws and not self.runner.trains:
            return [], "evaluation mode was not compared: ONNX Runtime draws what the file draws"
        found = self.values(*self.model(expected, trains=False), trains=False)
        names = [value.name for value in self.graph.model.graph.output]
        differences = compared(found, dict(zip(names, expected.outputs)), dict(zip(names, single.outputs)))
        where = first_output(self, trains=False) if differences else ""
        return [f"in evaluation mode, output '{name}' {text}{where}" for name, text in differences.items()], ""

    def in_training(self):
        """(sentences on what differs, why nothing was compared)"""
        expected, single = self.references(trains=True)
        if expected.unknown:
            return [], f"training mode was not compared: forward draws numbers by {', '.join(sorted(expected.unknown))}"
        if not math.isfinite(expected.loss):
            return [], "training mode was not compared: the module's own outputs are not finite on this example"
        self.gradients = {name: gradient for name, gradient in expected.gradients.items() if gradient is not None}
        if not self.gradients:
            return [], "training mode was not compared: the outputs do not depend on any parameter"
        model, inputs = self.model(expected, trains=True)
        outputs, states = self.runner.run(model, "grad_step", self.steps(inputs), loss=LOSS)
        problems = self.losses(outputs, expected, single)
        found, names, self.remarks = match(self.module, self.gradients, states)
        problems += names + self.gradient_problems(found, expected, single, is_known=bool(problems + names))
        buffers = {name: buffer for name, buffer in expected.buffers.items()
                   if name in states and not name.endswith(COUNTER)}
        return problems + [f"after two training steps, the buffer '{name}' {text}" for name, text in
                           compared(states, buffers, single.buffers).items()], ""

    def in_equal_rows(self):
        """Sentences on gradients that are not finite where PyTorch's are: those of distances may be, of equal rows. No
        more than that: which of several equal numbers is the largest, say, is nobody's to choose."""
        expected, _ = self.references(trains=True)
        if expected.unknown or not math.isfinite(expected.loss):
            return []
        model, inputs = self.model(expected, trains=True)
        _, states = self.runner.run(model, "grad_step", [inputs], loss=LOSS)
        found, _, _ = match(self.module, {k: v for k, v in expected.gradients.items() if v is not None}, states)
        return [f"where rows of the inputs are equal, the gradient of '{name}' is {float(gradient[bad][0])} and that of "
                f"PyTorch is a number" for name, gradient in found.items() if gradient is not None
                and (bad := ~gradient.isfinite()).any() and expected.gradients[name].isfinite().all()][:1]

    def losses(self, outputs, expected, single):
        found = float(next(iter(outputs.values())))  # the only one of the step
        spread = abs(expected.loss - single.loss) if math.isfinite(single.loss) else 0.0
        if abs(found - expected.loss) <= RELATIVE * expected.scale + OF_SPREAD * spread:
            return []
        return [f"in training mode, the outputs differ: their weighted sum is {found:.6g} instead of "
                f"{expected.loss:.6g}{first_output(self, trains=True)}"]

    def gradient_problems(self, found, expected, single, is_known):
        present = {name: gradient for name, gradient in self.gradients.items() if found[name] is not None}
        differences = compared(found, present, {k: v for k, v in single.gradients.items() if v is not None})
        if not differences:
            return []
        names = list(differences)
        more = f" (and those of {', '.join(repr(n) for n in names[1:6])}{' ...' * (len(names) > 6)})" * (len(names) > 1)
        where = "" if is_known else first_gradient(self)
        return [f"in training mode, the gradient of '{names[0]}' {differences[names[0]]}{more}{where}"]


def grown(examples, dims, module):
    """Examples with one more of each open size, as a file must take them: their first slices once more."""
    from .module import runs

    larger = list(examples)
    for index, axes in enumerate(dims):
        for axis in axes:
            larger[index] = torch.cat([larger[index], larger[index].narrow(axis, 0, 1)], axis)
    return tuple(larger) if runs(module, larger) else tuple(examples)


def with_equal_rows(examples):
    """The second row of each input is its first one, and of two inputs of one shape the third rows are equal."""
    rows = []
    for example in examples:
        row = example.clone()
        if row.dim() and row.shape[0] > 1:
            row[1] = row[0]
            same = next((other for other in rows if other.shape == row.shape and other.dtype == row.dtype), None)
            if same is not None and row.shape[0] > 2:
                row[2] = same[2]
        rows.append(row)
    return tuple(rows)


def unused_parameters(training, examples):
    """Those that the outputs do not depend on."""
    try:
        gradients = Reference(training, examples, torch.float32).run(trains=True).gradients
    except Exception:  # whatever a module of the user's raises
        return []
    return [name for name, parameter in training.named_parameters()
            if parameter.requires_grad and gradients.get(name) is None]


def compare_results(training, examples, dims, path, runner):
    """A Results. `training`: the module with each layer in the mode of training."""
    results = Results("", unused=unused_parameters(training, examples))
    if runner is None:
        results.summary = "results were not compared: neither dlc and dlc-interpret nor onnxruntime were found (--dlc)"
        return results
    graph = Graph(path)
    open_dims = [{axis: name for axis, name in axes.items() if not isinstance(shape_of(value)[axis], int)}
                 for value, axes in zip(graph.inputs, dims)]
    examples = grown(examples, open_dims, training)
    for mode, compare in (("training", Comparison.in_training), ("evaluation", Comparison.in_evaluation)):
        if mode == "training" and not runner.trains:
            continue
        try:
            comparison = Comparison(training, examples, graph, runner.begin())
            problems, why = compare(comparison)
            results.remarks += comparison.remarks
            if problems:  # rather a kink of a function than another function?
                if not compare(Comparison(training, scaled(examples, SHRUNK), graph, runner.begin()))[0]:
                    problems = []
                    results.remarks.append(f"in {mode} mode the numbers of the first example are so close to a kink of "
                                           "a function that they were not compared; others are equal")
        except NotRun as error:
            problems, why = [], f"{mode} mode was not compared: {error}"
        except Exception as error:  # whatever a module of the user's raises
            problems, why = [], f"{mode} mode was not compared: the module does not run in it: {first_line(error)}"
        results.problems += problems
        if why:
            results.remarks.append(why)
        else:
            results.done.append(f"{mode} mode")
    if runner.trains and graph.has_distances and not results.problems and "training mode" in results.done:
        try:
            results.problems += Comparison(training, with_equal_rows(examples), graph, runner.begin()).in_equal_rows()
        except Exception as error:  # NotRun, or whatever a module of the user's raises
            results.remarks.append(f"equal rows were not compared: {first_line(error)}")
    shape = ", ".join("x".join(map(str, example.shape)) for example in examples)
    results.summary = f"compared in {' and '.join(results.done)} with the module on inputs of {shape}, by {runner.name}" if results.done \
        else "results were not compared"
    return results


def first_line(error):
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
