#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the project in PyTorch, in float32 and in float64, and stores what the test compares with: losses, the norms of gradients, the
score of the averages afterwards, and the net as an ONNX file.

usage: make_losses.py [--speed]    --speed: the time of a step, in PyTorch and with dlc, in turns; nothing is written

Needs torch, onnx and onnxscript.
"""
import json
import math
import pathlib
import statistics
import sys
import time
import warnings

import onnx
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

import parts

# Metadata that the exporter adds and nobody reads.
DROPPED = ("pkg.torch.onnx.stack_trace", "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes", "namespace")
HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"


def made(dtype):
    torch.manual_seed(0)
    net = parts.Net().to(dtype)
    optimizer = torch.optim.AdamW(parts.groups_of(net), lr=parts.RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / parts.WARM_UP)
                                                 * (1 + math.cos(math.pi * step / parts.STEPS)) / 2)
    return net, optimizer, schedule


def one_step(net, optimizer, images, labels):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(images), labels, label_smoothing=0.1)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return loss.item(), norm.item()


def train(dtype):
    net, optimizer, schedule = made(dtype)
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    found = []
    for images, labels in parts.batches(*parts.data(DATA, "train")):
        found.append(one_step(net, optimizer, images.to(dtype), labels))
        average.update_parameters(net)
        schedule.step()
    images, labels = parts.data(DATA, "t10k")
    with torch.no_grad():
        loss = nn.functional.cross_entropy(average.eval()(torch.from_numpy(images[:100]).to(dtype)), torch.from_numpy(labels[:100]),
                                           label_smoothing=0.1)
    return found, loss.item()


def store():
    (single, _), (double, averaged) = train(torch.float32), train(torch.float64)
    stored = {"torch": torch.__version__, "steps": parts.STEPS, "batch": parts.BATCH, "warm_up": parts.WARM_UP, "rate": parts.RATE,
              "decayed": [name for name, parameter in parts.Net().named_parameters() if parameter.dim() > 1 and name != "places"],
              "float32": [loss for loss, _ in single], "float64": [loss for loss, _ in double], "norms": [norm for _, norm in double],
              "loss_of_averages": averaged}
    (HERE / "losses.json").write_text(json.dumps(stored, indent=1) + "\n")
    sys.path.insert(0, str(HERE.parents[2] / "tools" / "export"))
    from dlc_export.export import export
    net, _, _ = made(torch.float32)
    export(net, (torch.zeros(4, 1, 28, 28),), HERE / "project.onnx", dims=[{0: "batch"}])
    model = onnx.load(HERE / "project.onnx")
    for node in model.graph.node:  # where in which file it was written: most of the bytes
        kept = [(entry.key, entry.value) for entry in node.metadata_props if not entry.key.startswith(DROPPED)]
        del node.metadata_props[:]
        for key, value in kept:
            node.metadata_props.add(key=key, value=value)
    onnx.save(model, HERE / "project.onnx")


def speed(rounds=4, steps=10):
    import dlc
    torch.set_num_threads(1)
    net, optimizer, _ = made(torch.float32)
    other, theirs, _ = made(torch.float32)
    batches = list(parts.batches(*parts.data(DATA, "train"), steps=rounds * steps))
    step = dlc.compile(net, batches[0][0], loss=nn.CrossEntropyLoss(label_smoothing=0.1), optimizer=optimizer, clip_grad_norm=1.0,
                       ema_decay=0.9, threads=1, check=False)
    average = AveragedModel(other, multi_avg_fn=get_ema_multi_avg_fn(0.9))

    def in_pytorch(images, labels):
        one_step(other, theirs, images, labels)
        average.update_parameters(other)

    times = {in_pytorch: [], step: []}
    for _ in range(2):  # the first round is not counted
        times = {work: [] for work in times}
        for first in range(0, len(batches), steps):
            for work, found in times.items():
                for images, labels in batches[first:first + steps]:
                    start = time.perf_counter()
                    work(images, labels)
                    found.append(time.perf_counter() - start)
    for name, found in zip(("PyTorch", "dlc"), times.values()):
        print(f"{name}: {1000 * statistics.median(found):.2f} ms a step, least {1000 * min(found):.2f}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    speed() if "--speed" in sys.argv[1:] else store()
