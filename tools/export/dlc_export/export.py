# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The whole export: a file that is right for training, and what it differs in from the module."""
from .choices import other_ways
from .gradients import embedding_problems, training_problems
from .graph import Graph
from .interpreter import find_runner
from .module import check_module, in_own_modes, input_names_of, output_names_of
from .names import compare
from .record import complete, initializers, note_unused
from .results import compare_results
from .sizes import size_problems
from .write import options_of, traced_values, write


def export(module, examples, path, *, exporter="dynamo", opset=None, input_names=None, output_names=None,
           dims=None, dlc=None, compares=True, seconds=300):
    """Writes `module` to `path`, right for training, and compares the file with the module.

    examples: one tensor for each argument of forward, with 2 rows or more.
    dims: for each input, {axis: name} of the sizes that stay open; default {0: "batch"} for each.
    opset: the ONNX operator set; default: the exporter's own choice.
    dlc: the program that runs the file; default: build/bin/dlc of this tool's project, or dlc on PATH.
    compares: whether module and file are run; `seconds`: for how long the file may run.
    """
    check_module(module)
    examples = tuple(examples)
    dims = [{0: "batch"} for _ in examples] if dims is None else list(dims)
    arguments = input_names_of(module, len(examples))
    input_names = list(input_names or arguments)
    output_names = list(output_names or output_names_of(module, examples))
    for name, example, axes in zip(input_names, examples, dims):
        for axis, dim in axes.items():
            if example.shape[axis] < 2:
                raise ValueError(f"input '{name}': the example's size of dim '{dim}' (axis {axis}) is "
                                 f"{example.shape[axis]}; give 2 or more, exporters take 1 for a fixed size")
    runner = find_runner(dlc, seconds) if compares else None  # before the exporter takes its time
    training, modes = in_own_modes(module, examples)
    caught, fixed = write(training, examples, path, exporter,
                          options_of(exporter, dims, input_names, output_names, opset))
    complete(training, path, exporter)
    results = compare_results(training, examples, dims, Graph(path), runner, other_ways(examples, dims, arguments, fixed))
    report = compare(training, path, results.unused)
    note_unused(path, [name for name in results.unused if name not in initializers(path)[0]])
    report.compared = results.summary if compares else "results were not compared: only names were"
    traced, constant = traced_values(caught, training, examples)
    report.problems += results.problems + size_problems(path, dims, arguments, fixed) + traced
    is_equal = "training mode" in results.done and not results.problems
    unsaid, same = training_problems(training, examples, exporter, is_equal)
    report.problems += [*unsaid, *embedding_problems(module)]
    report.remarks += [*results.remarks, *modes, *constant, *same]
    return report
