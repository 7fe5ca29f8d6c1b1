# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sides of tools/bench/libraries/compare that are Python programs have in common: arrays, and turns.

A side is called with THREADS FOLDER MODEL. FOLDER has model.onnx, weights (all parameters, f32, in PyTorch's order), shapes.json
(names and shapes of these) and batches (16 times inputs, f32, then labels, i64).
"""
import json
import sys
import time
from pathlib import Path

import numpy as np

BATCH, BATCHES, CLASSES, RATE = 64, 16, 10, 0.01
INPUTS = {"mlp": (784,), "lenet": (1, 28, 28)}


def arguments():
    return int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]


def parameters(folder):
    """Names and arrays, in order."""
    values, place = np.fromfile(folder / "weights", np.float32), 0
    result = {}
    for name, shape in json.loads((folder / "shapes.json").read_text()):
        size = int(np.prod(shape))
        result[name] = values[place:place + size].reshape(shape)
        place += size
    return result


def batches(folder, model):
    shape = (BATCH, *INPUTS[model])
    with open(folder / "batches", "rb") as file:
        for _ in range(BATCHES):
            x = np.frombuffer(file.read(4 * int(np.prod(shape))), np.float32).reshape(shape)
            yield x, np.frombuffer(file.read(8 * BATCH), np.int64)


def serve(step, data):
    """The first step, then as many as each line of the standard input says; each answer is a JSON line. `step` returns the loss."""
    print(json.dumps({"first_loss": step(*data[0])}), flush=True)
    count = 1
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            batch = data[count % len(data)]
            begin = time.perf_counter()
            loss = step(*batch)
            times.append(time.perf_counter() - begin)
            count += 1
        print(json.dumps({"ms": 1e3 * sorted(times)[len(times) // 2], "loss": loss}), flush=True)
