#!/usr/bin/env python3
"""Trains a small GPT whose memory budget makes steps go over the batch in parts, beside the same model without one.

usage: batch_parts.py DLC MODELS_FOLDER

Labels that are ignored lie unevenly in the parts, so that a mean over each part would be another loss. Steps, accumulated
gradients and evaluations are those of the whole batch, to rounding; a step is its two halves, bit for bit, on one thread
and on two; and what one model has saved the other one loads.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import math
import pathlib
import random
import sys
from ctypes import c_void_p

import any_size
from any_size import STEPS, Library, equal, fail

ROWS, WINDOW, VOCABULARY = 6, 12, 11
OPTIONS = [f"--batch={ROWS}", "--loss=softmax-cross-entropy", "--class-axis=-1", "--optimizer=adamw", "--clip-grad-norm=1"]


def data(step):
    draw = random.Random(step)
    tokens = array.array("q", (draw.randrange(VOCABULARY) for _ in range(ROWS * WINDOW)))
    labels = array.array("q", (-100 if draw.random() < 0.9 - 0.15 * (i // WINDOW) else draw.randrange(VOCABULARY)
                               for i in range(ROWS * WINDOW)))
    return (tokens, labels), [c_void_p(values.buffer_info()[0]) for values in (tokens, labels)]


def compare(accumulate):
    options = [*OPTIONS, f"--accumulate={accumulate}"]
    whole = Library(f"whole_{accumulate}", "gpt.onnx", options)
    memory = whole.manifest()["memory"]
    budget = memory["state_bytes"] + (memory["arena_bytes"] - memory["state_bytes"]) * 6 // 10
    small = Library(f"parts_{accumulate}", "gpt.onnx", [*options, f"--memory-budget={budget}"])
    functions = {function["name"]: function for function in small.manifest()["functions"]}
    parts = {functions[name].get("batch_parts", 1) for name in ("train_step", "grad_step", "accumulate")}
    if len(parts) != 1 or parts == {1} or small.manifest()["memory"]["arena_bytes"] > budget:
        fail(f"in {budget} bytes, functions go over the batch in {parts} parts")

    expected, found, halves, threads = whole.create(), small.create(), small.create(), small.create(threads=2)
    for step in range(STEPS):
        keep, given = data(step)
        loss = expected.step("train_step", [], given)
        losses = {found.step("train_step", [], given), halves.step("grad_step", [], given),
                  threads.step("train_step", [], given)}
        halves.call("apply")
        if len(losses) != 1 or not math.isclose(losses.pop(), loss, rel_tol=1e-5):
            fail(f"step {step}: losses {losses}, expected {loss}")
    equal("halves", halves.state(), found.state())
    equal("threads", threads.state(), found.state())
    equal("parts", found.state(), expected.state(), close=True)

    # Gradients of three batches, one after the other.
    for function, step in ("grad_step", 7), ("accumulate", 8), ("accumulate", 9):
        keep, given = data(step)
        losses = [model.step(function, [], given) for model in (found, threads, expected)]
        if losses[0] != losses[1] or not math.isclose(losses[0], losses[2], rel_tol=1e-4):
            fail(f"{function}: losses {losses}")
    for model in found, threads, expected:
        model.call("apply")
    equal("accumulated, threads", threads.state(), found.state())
    equal("accumulated", found.state(), expected.state(), close=True)
    evaluations = [model.evaluate([ROWS - 1], given) for model in (found, expected)]
    if not all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-4) for a, b in zip(*evaluations)):
        fail(f"evaluations {evaluations}")

    # A checkpoint does not know of parts.
    other = whole.create()
    found.state()
    if other.call("load", f"parts_{accumulate}.state".encode()):
        fail(other.error())
    equal("loaded", other.state(), found.state())
    print(f"--accumulate={accumulate}: as the whole batch, in {functions['train_step']['batch_parts']} parts")


if __name__ == "__main__":
    any_size.DLC = sys.argv[1]
    sys.path.insert(0, sys.argv[2])
    from write_transformer import gpt
    pathlib.Path("gpt.onnx").write_bytes(gpt(1, vocabulary=VOCABULARY, layers=2, width=24, heads=3, window=WINDOW))
    for accumulate in "sum", "mean":
        compare(accumulate)
