#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares modules that nobody wrote: random compositions of layers, exported by both exporters, with PyTorch.

usage: random_modules.py DLC [--seed S] [--count N] [--first I] [--exporter NAME] [--how plain|default|both] [--more|--states]
       random_modules.py --store FOLDER [--seed S] [--count N]

Module I of seed S is always the same. For each the gradients of the first step, the losses of the first steps
and predictions afterwards must be PyTorch's, with float64 as the judge (check.py says how close), or dlc must
warn or refuse with a reason. One line a module and exporter; a summary with all reasons at the end. --store
writes references for check.py instead, as make_references.py does. --double exports the modules in float64, and
compares gradients a thousand times as closely. What differs in float32 alone is judged in float64, too: equal there,
it is counted as rounding, and the difference is printed. --more takes images as well, and the steps of
random_blocks.py; --states the steps of random_states.py. --option is check.py's. Needs torch, onnx and onnxscript.
"""
import argparse
import collections
import copy
import json
import logging
import math
import pathlib
import random
import sys
import tempfile
import warnings

import torch
from torch import nn

import check
import make_references as references
import random_blocks
import random_layers
import random_states
from random_layers import Step

STEPS = 12


class RandomModule(nn.Module):
    """One to three inputs, each through steps of its own, combined, further steps, and a head for the loss."""

    def __init__(self, r, kinds, shapes, loss, chain):
        super().__init__()
        self.embeddings, self.branches = nn.ModuleList(), nn.ModuleList()
        width = r.randint(2, 6)
        for kind, shape in zip(kinds, shapes):
            embedded = nn.Embedding(kind, r.randint(2, 6)) if kind else nn.Identity()
            branch = chain(r, [*shape, embedded.embedding_dim] if kind else shape, r.randint(0, 3))
            if len(branch.shape) == 2 and len(kinds) > 1:
                branch.steps.append(Step(lambda s, x: x.mean(1), "mean over positions"))
                branch.shape = branch.shape[1:]
            if len(branch.shape) == 3 and len(kinds) > 1:
                branch.steps.append(Step(lambda s, x: x.mean((2, 3)), "mean over the image"))
                branch.shape = branch.shape[:1]
            if len(kinds) > 1:
                branch.steps.append(Step(lambda s, x: s.layer(x), f"Linear {width}",
                                         layer=nn.Linear(branch.shape[-1], width)))
                branch.shape = [width]
            self.embeddings.append(embedded)
            self.branches.append(branch)
        self.how = r.choice(["add", "multiply", "concatenate"]) if len(kinds) > 1 else ""
        shape = self.branches[0].shape
        self.trunk = chain(r, [width * len(kinds)] if self.how == "concatenate" else shape, r.randint(2, 6))
        shape = self.trunk.shape
        if len(shape) == 3:
            self.trunk.steps.append(Step(lambda s, x: x.flatten(1), "flatten"))
            shape = [math.prod(shape)]
        self.per_position = len(shape) == 2 and loss in ("softmax-cross-entropy", "mse") and r.random() < 0.6
        self.classes = r.randint(2, 6) if loss in ("softmax-cross-entropy", "nll") else r.randint(1, 4)
        self.positions = shape[0] if self.per_position else None
        self.head = nn.Linear(shape[-1], self.classes, bias=r.random() < 0.8)
        self.last = {"nll": nn.LogSoftmax(-1), "bce": nn.Sigmoid()}.get(loss, nn.Identity())
        self.transposed = self.per_position and loss == "softmax-cross-entropy"

    def forward(self, a, b=None, c=None):
        values = [branch(embedding(x))
                  for embedding, branch, x in zip(self.embeddings, self.branches, (a, b, c))]
        x = values[0]
        for value in values[1:]:
            x = x + value if self.how == "add" else x * value if self.how == "multiply" else x
        if self.how == "concatenate":
            x = torch.cat(values, -1)
        x = self.trunk(x)
        if x.dim() == 3 and not self.per_position:
            x = x.mean(1)
        x = self.last(self.head(x))
        return x.transpose(1, 2) if self.transposed else x

    @property
    def text(self):
        branches = " | ".join(branch.text for branch in self.branches)
        head = "head per position" if self.per_position else "head"
        return f"[{branches}] {self.how} > {self.trunk.text} > {head}"


LOSSES = [{"loss": "softmax-cross-entropy"}, {"loss": "softmax-cross-entropy", "label-smoothing": 0.1},
          {"loss": "nll"},
          {"loss": "bce"}, {"loss": "bce-with-logits"}, {"loss": "mse"}, {"loss": "mse", "reduction": "sum"},
          {"loss": "l1"}, {"loss": "huber", "delta": 0.7}, {"loss": "softmax-cross-entropy", "reduction": "sum"}]
OPTIMIZERS = [
    {"optimizer": "sgd", "lr": 0.01}, {"optimizer": "sgd", "lr": 0.01, "momentum": 0.8},
    {"optimizer": "sgd", "lr": 0.01, "momentum": 0.9, "nesterov": True, "weight-decay": 0.01},
    {"optimizer": "adam", "lr": 0.003}, {"optimizer": "adam", "lr": 0.003, "weight-decay": 0.01},
    {"optimizer": "adamw", "lr": 0.003, "weight-decay": 0.1}, {"optimizer": "rmsprop", "lr": 0.001},
    {"optimizer": "rmsprop", "lr": 0.001, "momentum": 0.5, "centered": True},
    {"optimizer": "adagrad", "lr": 0.01}]


def more(r, shape, count):
    return random_blocks.chain(r, shape, count, random_layers.BLOCKS)


def states(r, shape, count):
    return random_states.chain(r, shape, count, random_layers.BLOCKS)


def make_case(seed, number, chain=random_layers.chain):
    """A description as modules.REFERENCES has them, and the module itself."""
    r = random.Random(f"{seed}/{number}")
    torch.manual_seed(r.getrandbits(30))
    loss, optimizer = dict(r.choice(LOSSES)), dict(r.choice(OPTIMIZERS))
    count = r.choices([1, 2, 3], [6, 3, 1])[0]
    kinds = [r.randint(3, 9) if r.random() < 0.25 else 0 for _ in range(count)]
    shapes = []
    for kind in kinds:
        if kind:
            shapes.append([] if r.random() < 0.4 else [r.randint(2, 5)])
        else:
            shapes.append(r.choice([[r.randint(1, 9)], [r.randint(2, 9)], [r.randint(2, 5), r.randint(2, 6)]]))
            if chain is more and r.random() < 0.6:
                shapes[-1] = r.choice([[r.randint(1, 4), r.randint(3, 6), r.randint(3, 6)],
                                       [r.randint(2, 6), r.randint(2, 8)]])
    module = RandomModule(r, kinds, shapes, loss["loss"], chain)
    batch = r.randint(2, 7)
    inputs = [{"shape": [batch, *shape], **({"kind": "index", "high": kind} if kind else {"kind": "normal"})}
              for kind, shape in zip(kinds, shapes)]
    positions = [module.positions] if module.positions else []
    if loss["loss"] in ("softmax-cross-entropy", "nll"):
        target = {"shape": [batch, *positions], "kind": "index", "high": module.classes}
    else:
        kind = "binary" if loss["loss"].startswith("bce") else "normal"
        target = {"shape": [batch, *positions, module.classes], "kind": kind}
    return dict(name=f"random-{seed}-{number}", about=module.text, batch=batch, loss=loss, optimizer=optimizer,
                inputs=inputs, target=target), module


def describe(case, module):
    """The reference of check.py, without files."""
    numbers = references.numbers(case, module, STEPS, gradients=True)
    return {
        "about": case["about"], "torch": torch.__version__, "options": references.dlc_options(case),
        "inputs": case["inputs"], "target": case["target"], "batches": references.BATCHES,
        "predicted_step": references.LATER,
        "parameters": [p for p in references.parameters(module) if p["names"][0] in numbers["gradients"]],
        **numbers}


def export_files(case, module, folder, number, exporters, hows):
    """Records for check.py; what is not exported says why."""
    dtype = next((p.dtype for p in module.parameters()), torch.float32)
    examples = tuple(references.tensors(case["inputs"], 0, dtype))
    for exporter in exporters:
        opsets = references.OPSETS[exporter][1:]  # without 13, which has no attention
        for how in hows:
            opset, mode = opsets[number % len(opsets)], "eval" if how == "default" and number % 2 else "train"
            name = f"{case['name']}.{exporter}.{mode}.{how}.onnx"
            record = {"file": name, "exporter": exporter, "mode": mode, "how": how, "opset": opset}
            try:
                references.export(module, examples, folder / name, record)
            except Exception as error:
                record["not_exported"] = references.first_line(error)
            yield record


def judge_in_double(dlc, description, path, options):
    """As check.judge, of the first step's gradients of a module in float64. Numbers in ONNX's attributes, such as
    epsilons, are float32."""
    exact = {**description, "gradients_spread": dict.fromkeys(description["gradients"], 0.0)}
    with tempfile.TemporaryDirectory() as made:
        try:
            check.compiled.compile_model(dlc, path, made, [*description["options"], "-O1", *options])
        except check.compiled.Refused as refused:
            return "refused", "", next(line for line in str(refused).splitlines() if "error: " in line)
        with check.compiled.Model(made) as model:
            difference = check.compare_gradients(model, exact, relative=1e-6, floor=1e-9)
    return ("WRONG" if difference else "equal"), "", difference


def judge(arguments, case, module, number, description, folder, record):
    """(verdict, sentence) of one file."""
    if "not_exported" in record:
        return "not exported", record["not_exported"]
    path = folder / record["file"]
    if arguments.double:
        verdict, _, sentence = judge_in_double(arguments.dlc, description, path, arguments.option)
        return verdict, sentence
    verdict, _, sentence = check.judge(arguments.dlc, description, folder, record, ["-O1", *arguments.option])
    if verdict == "WRONG" and "which ONNX does not say" in sentence:  # buffers that move, though not enough to be seen
        return "warned", sentence
    if verdict != "WRONG" or not sentence.startswith("differs"):
        return verdict, sentence
    with tempfile.TemporaryDirectory() as made:
        twin = next(export_files(case, copy.deepcopy(module).double(), pathlib.Path(made), number,
                                 [record["exporter"]], [record["how"]]))
        exact = "not_exported" not in twin and judge_in_double(arguments.dlc, description,
                                                               pathlib.Path(made) / twin["file"], arguments.option)
    return ("rounding" if exact and exact[0] == "equal" else verdict), sentence


def finite(description):
    numbers = [*description["losses"], *description["predicted"], description["losses_spread"][-1],
               description["predicted_spread"], *(x for g in description["gradients"].values() for x in g)]
    return all(math.isfinite(x) for x in numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dlc", nargs="?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--exporter", choices=list(references.OPSETS))
    parser.add_argument("--how", choices=["plain", "default", "both"], default="plain")
    parser.add_argument("--store", type=pathlib.Path, help="write references to this folder instead of judging")
    parser.add_argument("--more", action="store_true", help="images, too, and the steps of random_blocks.py")
    parser.add_argument("--states", action="store_true", help="the steps of random_states.py: whose is each operand")
    parser.add_argument("--double", action="store_true", help="compare in float64")
    parser.add_argument("--option", action="append", default=[], help="one more for dlc compile, as in check.py")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the files of what is WRONG here")
    arguments = parser.parse_args()
    if not arguments.dlc and not arguments.store:
        parser.error("expected DLC or --store")
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    exporters = [arguments.exporter] if arguments.exporter else list(references.OPSETS)
    hows = ["plain", "default"] if arguments.how == "both" else [arguments.how]
    chain = more if arguments.more else states if arguments.states else random_layers.chain
    counts, reasons = collections.Counter(), collections.defaultdict(list)
    for number in range(arguments.first, arguments.first + arguments.count):
        case, module = make_case(arguments.seed, number, chain)
        try:
            description = describe(case, module)
        except RuntimeError as error:  # a step that makes float32 of float64, for example
            counts["not computed by PyTorch"] += 1
            print(f"{number}: not computed by PyTorch: {references.first_line(error)}", flush=True)
            continue
        if not finite(description):
            counts["not finite in PyTorch"] += 1
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = arguments.store or pathlib.Path(temporary)
            module = module.double() if arguments.double else module
            description["files"] = list(export_files(case, module, folder, number, exporters, hows))
            if arguments.store:
                check.write(description, folder / f"{case['name']}.json")
                print(case["name"], case["about"], flush=True)
                continue
            for record in description["files"]:
                verdict, sentence = judge(arguments, case, module, number, description, folder, record)
                counts[verdict] += 1
                line = f"{number} {check.cell(record)}: {verdict}{': ' if sentence else ''}{sentence}"
                print(line, f"[{case['about']}; {' '.join(description['options'])}]" if sentence else "", flush=True)
                if verdict != "equal":
                    reasons[verdict].append(line)
                if verdict == "WRONG" and arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / record["file"]).write_bytes((folder / record["file"]).read_bytes())
                    check.write({**description, "files": [record]},
                                arguments.keep / f"{record['file'][:-5]}.json")
    for verdict, lines in reasons.items():
        print(f"\n{verdict}:", *lines, sep="\n  ")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    sys.exit(1 if counts["WRONG"] else 0)


if __name__ == "__main__":
    main()
