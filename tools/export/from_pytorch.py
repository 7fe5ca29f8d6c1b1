#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a PyTorch module to ONNX so that dlc trains it as PyTorch would.

usage: from_pytorch.py FILE.py:NAME --shape SHAPE [--shape SHAPE ...] [-o MODEL.onnx]

NAME is a torch.nn.Module, or a class or function that returns one when it is called without arguments. Give
one --shape for each input, in forward's order:

    from_pytorch.py digits.py:Net --shape batch,784 -o digits.onnx
    from_pytorch.py gpt.py:make_model --shape batch,64:int64 --weights trained.pt -o gpt.onnx

The first size is the batch. A size that is a word (batch, seq) stays open in the file under that name. The
module is exported without the exporter's optimizations, its parameters keep the names of its state_dict, and
each layer keeps its mode: what the module has in evaluation mode is not trained otherwise (a module that is in
evaluation mode as a whole is taken in training mode). Then file and module are compared: the names, and on random
numbers the outputs, the gradients of all parameters and the running statistics, in training mode and in evaluation
mode. What differs is said, and the exit status is 1. The file is run by dlc's interpreter, so dlc must be found:
on PATH, in build/bin, or by --dlc. Without it, ONNX Runtime runs the file where it is installed, for prediction.

In Python: from_pytorch.export(module, (example,), "model.onnx") does the same and returns a Report.
Needs torch (2.x) and onnx, and onnxscript for the default exporter.
"""
import argparse
import logging
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from dlc_export import require  # noqa: E402

require("from_pytorch.py")
import torch  # noqa: E402

from dlc_export.gradients import embedding_problems, training_problems  # noqa: E402
from dlc_export.interpreter import find_dlc, find_runner  # noqa: E402, F401
from dlc_export.module import (EXAMPLE_SIZE, check_module, examples_of, in_own_modes,  # noqa: E402
                               input_names_of, load_module, output_names_of, parse_shape)
from dlc_export.names import compare  # noqa: E402
from dlc_export.record import (FROZEN, MODE, SIGNATURE, TIED, UNUSED, complete, initializers,  # noqa: E402, F401
                               note_unused)
from dlc_export.report import Report  # noqa: E402, F401
from dlc_export.results import compare_results  # noqa: E402
from dlc_export.sizes import size_problems  # noqa: E402
from dlc_export.write import options_of, traced_values, write  # noqa: E402


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
    results = compare_results(training, examples, dims, path, runner)
    report = compare(training, path, results.unused)
    note_unused(path, [name for name in results.unused if name not in initializers(path)[0]])
    report.compared = results.summary if compares else "results were not compared: only names were"
    report.problems += results.problems + size_problems(path, dims, arguments, fixed)
    is_equal = "training mode" in results.done and not results.problems
    unsaid, same = training_problems(training, examples, exporter, is_equal)
    report.problems += [*unsaid, *embedding_problems(module)]
    report.remarks += [*results.remarks, *modes, *traced_values(caught), *same]
    return report


def parse_arguments():
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
    parser.add_argument("--dlc", metavar="PROGRAM", help="runs the file (default: build/bin/dlc, or dlc on PATH)")
    parser.add_argument("--no-compare", action="store_true", help="compare names alone, and run nothing")
    parser.add_argument("--compare-seconds", type=float, default=300, metavar="N",
                        help="how long the file may run (300)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of packages that nothing here needs
    try:
        module = load_module(arguments.module)
        check_module(module)
        if arguments.weights:
            module.load_state_dict(torch.load(arguments.weights, map_location="cpu", weights_only=True))
        split = lambda names: names.split(",") if names else None
        shapes = [shape_of(*described[:2], arguments.fixed) for described in arguments.inputs]
        dtypes = [described[2] for described in arguments.inputs]
        dims = [{} if arguments.fixed else names for _, names, _ in arguments.inputs]
        report = export(module, examples_of(list(zip(shapes, dtypes)), module), arguments.output,
                        exporter=arguments.exporter, opset=arguments.opset, dims=dims,
                        input_names=split(arguments.input_names), output_names=split(arguments.output_names),
                        dlc=arguments.dlc, compares=not arguments.no_compare, seconds=arguments.compare_seconds)
    except (ValueError, TypeError, OSError) as error:
        sys.exit(f"from_pytorch.py: {error}")
    print(report)
    sys.exit(1 if report.problems else 0)


def shape_of(shape, names, is_fixed):
    """An example's: of all open dims the same size."""
    return shape if is_fixed else [EXAMPLE_SIZE if axis in names else size for axis, size in enumerate(shape)]


if __name__ == "__main__":
    main()
