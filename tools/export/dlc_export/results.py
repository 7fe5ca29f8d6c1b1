# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do module and file compute the same? What is compared on which examples, and what is said of it."""
import dataclasses

import torch

from .comparison import Comparison
from .interpreter import NotRun
from .module import runs
from .reference import NotTrained, Reference, scaled

SHRUNK = 0.97  # of the second example: it keeps what is equal and what is zero, and moves all else off its kinks
NO_RUNNER = "results were not compared: neither dlc and dlc-interpret nor onnxruntime were found (--dlc)"


@dataclasses.dataclass
class Results:
    summary: str
    problems: list = dataclasses.field(default_factory=list)
    remarks: list = dataclasses.field(default_factory=list)
    unused: list = dataclasses.field(default_factory=list)  # parameters without a gradient in PyTorch
    done: list = dataclasses.field(default_factory=list)  # modes that were compared


def grown(examples, dims, module):
    """Examples with one more of each open size, as a file must take them: their first slices once more."""
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
    except NotRun:
        return []
    return [name for name, parameter in training.named_parameters()
            if parameter.requires_grad and gradients.get(name) is None]


class Examples:
    """Compares on one example, and again on a second one where the first one's numbers differ."""

    def __init__(self, training, examples, graph, runner, results):
        self.training, self.examples, self.graph, self.runner = training, examples, graph, runner
        self.results = results

    def on(self, examples):
        return Comparison(self.training, examples, self.graph, self.runner.begin())

    def mode(self, mode, compare):
        first = self.on(self.examples)
        try:
            problems, why = compare(first)
        except NotTrained as error:
            problems, why = [str(error)], ""
        except NotRun as error:
            problems, why = [], f"{mode} mode was not compared: {error}"
        self.results.remarks += first.remarks
        if problems and self.differs_only_here(compare):
            problems = []
            self.results.remarks.append(f"in {mode} mode the numbers of the first example are so close to a kink of a "
                                        "function that they were not compared; those of a second one are equal")
        self.results.problems += problems
        (self.results.remarks if why else self.results.done).append(why or f"{mode} mode")

    def differs_only_here(self, compare):
        """Rather a kink of a function than another function?"""
        try:
            return compare(self.on(scaled(self.examples, SHRUNK))) == ([], "")
        except NotRun:
            return False

    def other_sizes(self, tried):
        """Where forward takes examples of other sizes, the file computes the same."""
        for examples, sentence in tried:
            modes = [Comparison.in_training] * self.runner.trains + [Comparison.in_evaluation]
            if runs(self.training, examples) and any(self.differs(mode, examples) for mode in modes):
                self.results.problems.append(sentence)

    def differs(self, compare, examples):
        try:
            return bool(compare(self.on(examples))[0])
        except NotRun:
            return False

    def equal_rows(self):
        try:
            self.results.problems += self.on(with_equal_rows(self.examples)).in_equal_rows()
        except NotRun as error:
            self.results.remarks.append(f"equal rows were not compared: {error}")


def compare_results(training, examples, dims, graph, runner, tried=()):
    """A Results. `training`: the module with each layer in the mode of training; `graph` is the file; without a runner,
    nothing is run but the module. `tried`: examples of other sizes, with the sentence on them where they differ."""
    results = Results(NO_RUNNER, unused=unused_parameters(training, examples))
    if runner is None:
        return results
    open_dims = [{axis: name for axis, name in axes.items() if value.is_open(axis)}
                 for value, axes in zip(graph.inputs, dims)]
    examples = grown(examples, open_dims, training)
    both = Examples(training, examples, graph, runner, results)
    if runner.trains:
        both.mode("training", Comparison.in_training)
    both.mode("evaluation", Comparison.in_evaluation)
    if not results.problems:
        both.other_sizes(tried)
    if "training mode" in results.done and graph.has_distances and not results.problems:
        both.equal_rows()
    shapes = ", ".join("x".join(map(str, example.shape)) for example in examples)
    results.summary = "results were not compared" if not results.done else \
        f"compared in {' and '.join(results.done)} with the module on inputs of {shapes}, by {runner.name}"
    return results
