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
from ctypes import byref, c_double, c_size_t, c_void_p

import any_size
from any_size import STEPS, Library, equal, fail

ROWS, WINDOW, VOCABULARY = 6, 12, 11
FEW_LABELS = 8  # the step of a batch that has them
OPTIONS = [f"--batch={ROWS}", "--loss=softmax-cross-entropy", "--class-axis=-1", "--optimizer=adamw", "--clip-grad-norm=1",
           "--step-metrics"]


def data(step):
    draw = random.Random(step)
    tokens = array.array("q", (draw.randrange(VOCABULARY) for _ in range(ROWS * WINDOW)))
    ignored = 0.97 if step == FEW_LABELS else 0.9
    labels = array.array("q", (-100 if draw.random() < ignored - 0.15 * (i // WINDOW) else draw.randrange(VOCABULARY)
                               for i in range(ROWS * WINDOW)))
    if step == FEW_LABELS:
        labels[WINDOW:] = array.array("q", [-100] * (len(labels) - WINDOW))
        labels[:3] = array.array("q", [1, 2, 3])
    return (tokens, labels), [c_void_p(values.buffer_info()[0]) for values in (tokens, labels)]


def gradients(model, names):
    """Of parameters: {name: numbers}; and their weight, None where they are added."""
    found = {}
    for name, size in names.items():
        values = array.array("f", bytes(size))
        if model.call("gradient_read", name.encode(), c_void_p(values.buffer_info()[0]), c_size_t(size)):
            fail(model.error())
        found[name] = values
    weight = c_double()
    missing = model.call("gradient_read", b"gradient_weight", byref(weight), c_size_t(8))
    return found, None if missing else weight.value


def compare_gradients(found, expected, names):
    (ours, weight), (others, other_weight) = gradients(found, names), gradients(expected, names)
    if weight != other_weight:
        fail(f"the gradients' weight is {weight}, expected {other_weight}")
    for name, values in others.items():
        if not math.dist(ours[name], values) <= 1e-4 * math.hypot(*values) + 1e-7:
            fail(f"the gradient of '{name}' is another one")
    return weight


def told(model):
    metrics = any_size.Metrics()
    if model.call("step_metrics", byref(metrics)):
        fail(model.error())
    return metrics.loss_sum, metrics.loss_weight, metrics.correct, metrics.count


def compare_metrics(models, expected):
    """What steps tell of their own batch; to a prediction or two that are as good as another one."""
    whole = told(expected)
    for model in models:
        parts = told(model)
        if not math.isclose(parts[0], whole[0], rel_tol=1e-4) or parts[1] != whole[1] or parts[3] != whole[3] or \
                abs(parts[2] - whole[2]) > 1:
            fail(f"steps in parts tell {parts}, expected {whole}")


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
        compare_metrics([found, halves, threads], expected)
    equal("halves", halves.state(), found.state())
    equal("threads", threads.state(), found.state())
    equal("parts", found.state(), expected.state(), close=True)

    # Gradients of three batches, one after the other.
    names = {name: len(values) for name, (_, values) in expected.state().items() if name + ".exp_avg" in expected.state()}
    weight = 0
    for function, step in ("grad_step", 7), ("accumulate", FEW_LABELS), ("accumulate", 9):
        keep, given = data(step)
        losses = [model.step(function, [], given) for model in (found, threads, expected)]
        if losses[0] != losses[1] or not math.isclose(losses[0], losses[2], rel_tol=1e-4):
            fail(f"{function}: losses {losses}")
        compare_metrics([found, threads], expected)
        before, weight = weight, compare_gradients(found, expected, names)
        labels = sum(label >= 0 for label in keep[1])
        if weight != (before + labels if accumulate == "mean" else None):
            fail(f"{function}: the weight of the gradients is {weight}")
    for model in found, threads, expected:
        model.call("apply")
    equal("accumulated, threads", threads.state(), found.state())
    equal("accumulated", found.state(), expected.state(), close=True)
    evaluations = [model.evaluate([ROWS - 1], given) for model in (found, expected)]
    if not all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-4) for a, b in zip(*evaluations)):
        fail(f"evaluations {evaluations}")

    # A training step in parts leaves the gradients of its own batch, and so their weight.
    between = small.create()
    for function, step in ("grad_step", 7), ("train_step", 9):
        keep, given = data(step)
        between.step(function, [], given)
    labels = sum(label >= 0 for label in keep[1])
    if gradients(between, names)[1] != (labels if accumulate == "mean" else None):
        fail("after a training step the gradients have the weight of another batch")

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
