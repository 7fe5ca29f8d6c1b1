#!/usr/bin/env python3
"""What steps that train count of their batches, beside what eval_step counts of the same rows.

usage: step_metrics.py DLC

A model without dropout and batch normalization computes the same in both, so that the sums and counts of grad_step,
accumulate and train_step are those of an evaluation before: of losses with classes (some labels ignored, some classes that
weigh more), of yes and no, of values, of a sum in place of a mean, of a loss that the model computes itself; of full batches,
and of fewer rows. Training itself is what it is without, to rounding.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import math
import pathlib
import random
import sys
from ctypes import byref, c_void_p

import any_size
from any_size import Library, Metrics, equal, fail

ROWS, INPUTS, CLASSES = 8, 4, 3
DLC_UNAVAILABLE = 11
OPEN = "open"  # in options: training takes fewer rows than a full batch
MODEL = """train.program @linear {
  train.dim @batch = 8
  train.state parameter @w : tensor<4x3xf32> = dense<[[0.5, -0.2, 0.1], [-0.3, 0.4, 0.2], [0.1, 0.1, -0.5], [0.2, -0.6, 0.3]]>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @p : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<4x3xf32>
    %p = nn.matmul %x, %w : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4x3xf32>
    train.write %p, @p : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}
"""

Y = "tensor<?x3xf32, #nn.dims<batch, _>>"
OWN = MODEL.replace("  train.output", f"  train.input target @t : {Y}\n  train.output loss @loss : tensor<f32>\n  train.output").replace(
    "  }\n}", f"""    %t = train.read @t : {Y}
    %d = nn.sub %p, %t : {Y}, {Y}
    %q = nn.mul %d, %d : {Y}, {Y}
    %own = nn.mean %q axes [0, 1] : {Y}
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %own, %one : tensor<f32>, tensor<f32>
  }}
}}""")

PENALIZED = MODEL.replace("  train.output", "  train.input target @t range [0, 3) ignore -100 : tensor<?xi64, #nn.dims<batch>>\n"
                          "  train.output loss @loss : tensor<f32>\n  train.output").replace("  }\n}", f"""    %t = train.read @t : tensor<?xi64, #nn.dims<batch>>
    %ce, %weight = nn.softmax_cross_entropy mean %p, %t ignore_index -100 : {Y}, tensor<?xi64, #nn.dims<batch>>
    %w2 = nn.mul %w, %w : tensor<4x3xf32>, tensor<4x3xf32>
    %all = nn.sum %w2 axes [0, 1] : tensor<4x3xf32>
    %penalty = nn.mul %all, %small : tensor<f32>, tensor<f32>
    %loss = nn.add %ce, %penalty : tensor<f32>, tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }}
}}""").replace("    %x = train.read", "    %small = nn.constant dense<0.01> : tensor<f32>\n    %x = train.read")


def numbers(draw, rows, what):
    x = array.array("f", (draw.gauss(0, 1) for _ in range(rows * INPUTS)))
    if what == "labels":
        y = array.array("q", (-100 if draw.random() < 0.2 else draw.randrange(CLASSES) for _ in range(rows)))
        y[0] = draw.randrange(CLASSES)  # the mean of no labels is no number
    elif what == "sides":
        y = array.array("f", (float(draw.random() < 0.5) for _ in range(rows * CLASSES)))
    else:
        y = array.array("f", (draw.gauss(0, 1) for _ in range(rows * CLASSES)))
    return (x, y), [c_void_p(values.buffer_info()[0]) for values in (x, y)]


def told(model):
    metrics = Metrics()
    if model.call("step_metrics", byref(metrics)):
        fail(f"{model.library.name}: step_metrics: {model.error()}")
    return metrics.loss_sum, metrics.loss_weight, metrics.correct, metrics.count


def check(what, model, expected):
    found = told(model)
    if found[2:] != expected[2:] or any(not math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)
                                        for a, b in zip(found[:2], expected[:2])):
        fail(f"{model.library.name}: {what}: the step tells {found}, an evaluation {expected}")
    return found


def compare(name, what, options, program=MODEL):
    draw = random.Random(name)
    onnx = f"{name}.mlir"
    isOpen = OPEN in options
    options = [option for option in options if option != OPEN]
    pathlib.Path(onnx).write_text(program.replace("train.dim @batch", "train.dim open @batch") if isOpen else program)
    telling = Library(name, onnx, [*options, "--step-metrics"])
    plain = Library(f"{name}_plain", onnx, options)
    if hasattr(plain.library, f"{name}_plain_step_metrics"):
        fail("a library without the option has the function")
    model, other, halves = telling.create(), plain.create(), telling.create(threads=2)
    metrics = Metrics()
    if model.call("step_metrics", byref(metrics)) != DLC_UNAVAILABLE or "no training step has run yet" not in model.error():
        fail(f"step_metrics before the first step: {model.error()}")
    counted = 0
    for step in range(6):
        rows = ROWS if step % 2 == 0 or not isOpen else 1 + draw.randrange(ROWS - 1)
        kept, data = numbers(draw, rows, what)
        sizes, suffix = ([rows], "_n") if isOpen else ([], "")
        expected = model.evaluate([rows], data)
        counted += expected[2]
        for function in "grad_step", "accumulate":
            halves.step(f"{function}{suffix}", sizes, data)
            check(function, halves, expected)
        halves.step(f"grad_step{suffix}", sizes, data)
        halves.call("apply")
        losses = [each.step(f"train_step{suffix}", sizes, data) for each in (model, other)]
        if not math.isclose(*losses, rel_tol=1e-5):
            fail(f"{name}: step {step}: the losses with and without are {losses}")
        check(f"step {step}", model, expected)
        if told(model) != told(halves):
            fail(f"{name}: step {step}: a step tells {told(model)}, its half {told(halves)}")
        model.evaluate([rows], data)  # of the parameters after the step
        check(f"step {step}, after an evaluation", model, expected)
    equal(f"{name}: with and without", model.state(), other.state(), close=True)
    equal(f"{name}: halves", model.state(), halves.state())
    if (counted > 0) != (what != "values"):
        fail(f"{name}: {counted} predictions are right in all steps")
    state = f"{name}.saved"
    if model.call("save", state.encode()) or model.call("load", state.encode()):
        fail(model.error())
    if model.call("step_metrics", byref(metrics)) != DLC_UNAVAILABLE:
        fail("what the last step told outlives another state")
    for each in model, other, halves:
        each.destroy()


any_size.DLC = sys.argv[1]
pathlib.Path("weights.txt").write_text("1\n0.25\n3\n")
classes = ["--loss=softmax-cross-entropy", "--lr=0.3"]
compare("classes", "labels", classes)
compare("any_size", "labels", [*classes, OPEN])
compare("weighed", "labels", [*classes, "--class-weights=weights.txt", OPEN])
compare("summed", "labels", [*classes, "--reduction=sum"])
compare("averaged", "labels", [*classes, "--accumulate=mean"])
compare("sides", "sides", ["--loss=bce-with-logits", "--lr=0.3", OPEN])
compare("values", "values", ["--loss=mse", "--lr=0.1", OPEN])
compare("own", "values", ["--lr=0.1", OPEN], OWN)
compare("penalized", "labels", ["--lr=0.3", OPEN], PENALIZED)
print("steps tell what evaluations do")
