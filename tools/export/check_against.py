#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares an ONNX file, whoever wrote it, or a program of torch.export with the PyTorch module that it was made of.

usage: check_against.py MODEL.onnx|MODEL.pt2 FILE.py:NAME [--dlc PROGRAM] [--batch N] [--dim NAME=N] [--json]

NAME is a torch.nn.Module, or a class or function that returns one when it is called without arguments: with the
weights that it had when it was exported, so a seed or a state_dict belongs into it. Both are run on the same random
numbers: outputs, the gradient of each parameter and running statistics must be equal, in training mode and in
evaluation mode. What differs is said, with the layer where the difference begins. Exit status 0: equal, 1: something
differs, 2: nothing could be compared. dlc check --against and dlc verify --against run this program. Needs torch, and for
ONNX files onnx.
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from dlc_export import require  # noqa: E402

is_program = any(argument.endswith(".pt2") for argument in sys.argv[1:])
require("check_against.py", ["torch"] if is_program else ["torch", "onnx"], status=2)

from dlc_export.graph import Graph  # noqa: E402
from dlc_export.interpreter import find_runner  # noqa: E402
from dlc_export.module import called_once, check_module, examples_of, in_own_modes, load_module  # noqa: E402
from dlc_export.program import Program  # noqa: E402
from dlc_export.report import Report  # noqa: E402
from dlc_export.results import compare_results  # noqa: E402

NOTHING = "nothing could be compared"


def check(module, path, runner, batch=None, dims=None):
    """A Report on the file."""
    check_module(module)
    is_program = str(path).endswith(".pt2")
    graph = Program(path) if is_program else Graph(path)
    sizes = graph.sizes(batch, dims or {})
    examples = examples_of([(shape, value.dtype) for shape, value in zip(sizes, graph.inputs)], module)
    # A program has recorded the module's modes, and is trained in them.
    training, modes = (called_once(module, examples), []) if is_program else in_own_modes(module, examples)
    results = compare_results(training, examples, [{} for _ in examples], graph, runner)
    report = Report(f"{path}: {results.summary}", results.problems, results.remarks + modes)
    if not results.done:
        report.problems.insert(0, NOTHING)
    return report


def exit_status(report):
    return 2 if NOTHING in report.problems else 1 if report.problems else 0


def as_json(report):
    return json.dumps({"summary": report.summary, "problems": report.problems, "remarks": report.remarks}, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__.split("\n\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL.onnx|MODEL.pt2")
    parser.add_argument("module", metavar="FILE.py:NAME")
    parser.add_argument("--dlc", metavar="PROGRAM", help="runs the file (default: build/bin/dlc, or dlc on PATH)")
    parser.add_argument("--batch", type=int, help="rows, where the file leaves them open; 4 at most are taken")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N", help="another open size")
    parser.add_argument("--option", action="append", default=[], help="of dlc compile, for reading the file")
    parser.add_argument("--compare-seconds", type=float, default=300, metavar="N",
                        help="how long the file may run (300)")
    parser.add_argument("--json", action="store_true", help="print what was found as an object")
    arguments = parser.parse_args()
    try:
        module = load_module(arguments.module)
        runner = find_runner(arguments.dlc, arguments.compare_seconds, arguments.option)
        dims = {name: int(size) for name, _, size in (text.rpartition("=") for text in arguments.dim)}
        report = check(module, arguments.model, runner, arguments.batch, dims)
    except (ValueError, TypeError, OSError) as error:
        print(f"check_against.py: {error}", file=sys.stderr)
        sys.exit(2)
    print(as_json(report) if arguments.json else report)
    sys.exit(exit_status(report))


if __name__ == "__main__":
    main()
