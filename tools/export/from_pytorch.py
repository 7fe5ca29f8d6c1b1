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

require("from_pytorch.py", ["torch", "onnx"])
import torch  # noqa: E402

from dlc_export.export import export  # noqa: E402
from dlc_export.interpreter import find_dlc, find_runner  # noqa: E402, F401
from dlc_export.module import (EXAMPLE_SIZE, check_module, examples_of, input_names_of, load_module,  # noqa: E402, F401
                               parse_shape)
from dlc_export.names import compare  # noqa: E402, F401
from dlc_export.record import FROZEN, MODE, SIGNATURE, TIED, UNUSED, initializers  # noqa: E402, F401
from dlc_export.report import Report  # noqa: E402, F401


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
