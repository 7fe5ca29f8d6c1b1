#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares models of public packages (public_models.py), exported by tools/export, with PyTorch.

usage: compare_public.py DLC [MODEL ...] [--exporter NAME] [--package NAME] [--seconds N] [--keep FOLDER]

Of each model: what tools/export/from_pytorch.py says of its file; the names of the parameters that dlc trains; the
loss and the gradients of the first step, the next losses, and predictions afterwards, all as check.py judges them. One
line a model and exporter, a table of counts at the end. Packages that are not installed are left out. Needs torch, onnx
and onnxscript. The exit status is 1 where something differs, or tools/export names a problem that is none.
"""
import argparse
import collections
import importlib.util
import json
import logging
import pathlib
import signal
import sys
import tempfile
import time
import warnings

import torch

import check
import make_references as references
import random_modules
from make_references import from_pytorch
from modules import SGD
from public_models import MODELS

STEPS = 3
FIXED = ("torch_geometric",)  # packages whose models take one size of data


def case_of(name):
    """As modules.REFERENCES has them, and the module itself, which drops nothing."""
    package, inputs, target, loss, make = MODELS[name]
    torch.manual_seed(0)
    module = make().train()
    for layer in module.modules():
        if isinstance(layer, torch.nn.modules.dropout._DropoutNd):
            layer.p = 0.0
    return dict(name=name, batch=inputs[0]["shape"][0], loss=loss, optimizer={**SGD, "lr": 0.01}, inputs=inputs,
                target=target), module


def describe(case, module):
    """The reference of check.py, without files."""
    numbers = references.numbers(case, module, STEPS, gradients=True)
    is_fixed = MODELS[case["name"]][0] in FIXED
    return {"options": references.dlc_options(case)[is_fixed:], "inputs": case["inputs"], "target": case["target"],
            "batches": references.BATCHES, "predicted_step": references.LATER,
            "parameters": [p for p in references.parameters(module) if p["names"][0] in numbers["gradients"]], **numbers}


def compare(case, module, description, exporter, folder, dlc):
    """(verdict, sentence)"""
    path = folder / f"{case['name']}.{exporter}.onnx"
    examples = tuple(references.tensors(case["inputs"], 0, torch.float32))
    dims = [{} for _ in examples] if MODELS[case["name"]][0] in FIXED else None
    try:
        report = from_pytorch.export(module, examples, path, exporter=exporter, dims=dims, dlc=dlc)
    except ValueError as error:
        return "not exported", str(error)
    record = {"file": path.name, "exporter": exporter, "mode": "train", "how": "plain"}
    verdict, _, sentence = check.judge(dlc, description, folder, record, ["-O1"])
    if report.problems and verdict == "equal":
        return "false problem", "; ".join(report.problems)
    if report.problems and verdict in ("WRONG", "refused"):
        return "named", f"{'; '.join(report.problems)} ({sentence})"
    unsaid = [remark for remark in report.remarks if "not compared" in remark]
    return verdict, sentence or "; ".join(unsaid)


def stop(*_):
    raise TimeoutError("took too long")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dlc")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--exporter", choices=list(references.OPSETS))
    parser.add_argument("--package", help="models of this one alone")
    parser.add_argument("--seconds", type=int, default=300, help="for one model and exporter (300)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the files here")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    signal.signal(signal.SIGALRM, stop)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)

    exporters = [arguments.exporter] if arguments.exporter else list(references.OPSETS)
    counts = collections.Counter()
    for name in arguments.models or MODELS:
        package = MODELS[name][0]
        if arguments.package not in (None, package):
            continue
        if importlib.util.find_spec(package.split(".")[0]) is None:
            counts[f"without {package}"] += 1
            continue
        described = None
        for exporter in exporters:
            start = time.process_time()
            with tempfile.TemporaryDirectory() as temporary:
                folder = arguments.keep or pathlib.Path(temporary)
                signal.alarm(arguments.seconds)
                try:
                    described = described or (pair := case_of(name)) + (describe(*pair),)
                    if random_modules.finite(described[2]):
                        verdict, sentence = compare(*described, exporter, folder, arguments.dlc)
                    else:
                        verdict, sentence = "not finite in PyTorch", ""
                    if arguments.keep:
                        (folder / f"{name}.json").write_text(json.dumps(described[2]))
                except Exception as error:  # whatever a package raises is a line of the table
                    verdict, sentence = "not run", references.first_line(error)
                signal.alarm(0)
            counts[verdict] += 1
            count = sum(p.numel() for p in described[1].parameters()) if described else 0
            seconds = time.process_time() - start
            print(f"{name} | {package} | {exporter} | {count} | {verdict} | {sentence} | {seconds:.0f} s", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    sys.exit(1 if counts["WRONG"] or counts["false problem"] else 0)


if __name__ == "__main__":
    main()
