#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes owners/: references of the modules of owner_modules.py for check.py.

usage: make_owners.py [FOLDER] [--each]

Each reference has files of both exporters, the names of the parameters, the losses of three steps and the gradients
of the first. The first uses are stored in groups; with --each every use is a module by itself (for a FOLDER elsewhere: to find which
one is wrong). Needs torch, onnx and onnxscript. Afterwards `check.py DLC --references owners --record` stores the verdicts.
"""
import logging
import pathlib
import sys
import warnings

import torch

import check
import make_references as references
import owner_modules

STEPS, BATCH = 3, 5
GROUP, GROUPED = 11, 66  # how many uses are one module; and how many of them are in groups, the rest by themselves
OPSETS = {"dynamo": 20, "torchscript": 17}
CASE = {"loss": {"loss": "mse"}, "optimizer": {"optimizer": "sgd", "lr": 0.1}, "batch": BATCH}


def case_of(module):
    inputs = [{"shape": [BATCH, 4], "kind": "normal"}]
    with torch.no_grad():
        shape = list(module(*references.tensors(inputs, 0, torch.float32)).shape)
    return {**CASE, "inputs": inputs, "target": {"shape": shape, "kind": "normal"}}


def store(name, about, module, ways, folder):
    case, records = case_of(module), []
    for exporter, how in ways:
        record = {"file": f"{name}.{exporter}.{how}.onnx", "exporter": exporter, "mode": "train", "how": how,
                  "opset": OPSETS[exporter]}
        examples = tuple(references.tensors(case["inputs"], 0, torch.float32))
        references.export(module, examples, folder / record["file"], record)
        records.append(record)
    check.write({
        "about": about, "torch": torch.__version__, "options": references.dlc_options(case),
        "inputs": case["inputs"], "target": case["target"], "batches": references.BATCHES,
        "predicted_step": references.LATER, "parameters": references.parameters(module), "files": records,
        **references.numbers(case, module, STEPS, gradients=True)}, folder / f"{name}.json")
    print(name, about, flush=True)


def store_uses(folder, size):
    uses, number, start = owner_modules.all_uses(), 0, 0
    while start < len(uses):
        part = uses[start:start + (size if start < GROUPED else 1)]
        torch.manual_seed(start)
        store(f"uses-{number:02}", "; ".join(about for about, _ in part),
              owner_modules.Uses([use for _, use in part]), [(exporter, "plain") for exporter in OPSETS], folder)
        number, start = number + 1, start + len(part)


def main():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    folder = pathlib.Path(names[0]) if names else references.HERE / "owners"
    folder.mkdir(exist_ok=True)
    torch.manual_seed(1)
    store_uses(folder, 1 if "--each" in sys.argv else GROUP)
    for name, make in owner_modules.OTHERS.items():
        torch.manual_seed(2)
        store(name, name, make(), [("dynamo", "plain"), ("dynamo", "default"), ("torchscript", "plain")], folder)


if __name__ == "__main__":
    main()
