#!/usr/bin/env python3
"""Trains models by the gradients of several batches, beside the same models by those of one batch that has all samples.

usage: joined_batches.py DLC {cpu,gpu}

With --accumulate=mean both are the same step, to rounding: where labels are ignored on one side, classes have weights,
batches have different sizes, the loss is a sum or is computed by the model itself, gradients are clipped, the loss has a
scale. One batch alone gives the bits of a training step. What is read between the calls is the gradient of the loss of all
batches so far, and their weight. With gpu, the stand-in for NVIDIA's driver runs the kernels.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import ctypes
import math
import pathlib
import random
import sys
from ctypes import byref, c_double, c_int64, c_void_p

import any_size
from any_size import Library, fail

FEATURES, HIDDEN, CLASSES, BOUND = 12, 16, 5, 64
MACHINES = {"cpu": [], "gpu": ["--target=nvptx", "--gpu-code=simt"]}
STEPS = {"cpu": 50, "gpu": 5}
DLC_NOT_FINITE = 6
TOLERANCE = 1e-6  # of a tensor's norm

Y, V = f"tensor<?x{CLASSES}xf32, #nn.dims<batch, _>>", "tensor<?xf32, #nn.dims<batch>>"
LABELS = "tensor<?xi64, #nn.dims<batch>>"
SCALAR = "tensor<f32>"
# The loss of %y and of the labels %t, or of the numbers %n.
CLASS_LOSS = (f"%loss, %weight = nn.softmax_cross_entropy {{reduction}} %y, %t {{weights}}ignore_index -100 : {Y}, {LABELS}"
              "{type}\n    train.loss %loss, %weight : tensor<f32>, tensor<f32>")
PLAIN = CLASS_LOSS.format(reduction="mean", weights="", type="")
SUM = CLASS_LOSS.format(reduction="sum", weights="", type="")
WEIGHTED = (f"%classes = nn.constant dense<[1.0, 0.25, 3.0, 0.5, 2.0]> : tensor<{CLASSES}xf32>\n    "
            + CLASS_LOSS.format(reduction="mean", weights="weights %classes ", type=f", tensor<{CLASSES}xf32>"))
OWN = f"""%one = nn.constant dense<1.0> : {SCALAR}
    %d = nn.sub %y, %n : {Y}, {Y}
    %q = nn.mul %d, %d : {Y}, {Y}
    """
OWN_END = "\n    train.loss %own, %one : tensor<f32>, tensor<f32>"
OWN_MEAN = OWN + f"%own = nn.mean %q axes [0, 1] : {Y}" + OWN_END
OWN_SUM = OWN + f"%own = nn.sum %q axes [0, 1] : {Y}" + OWN_END
# Rows whose first number is above 0 count, each as much as this number says.
MASKED = OWN + f"""%first = nn.slice %n starts [0, 0] limits [-1, 1] steps [1, 1] : {Y}
    %c = nn.relu %first : tensor<?x1xf32, #nn.dims<batch, _>>
    %m = nn.mul %q, %c : {Y}, tensor<?x1xf32, #nn.dims<batch, _>>
    %sum = nn.sum %m axes [0, 1] : {Y}
    %count = nn.sum %c axes [0, 1] : tensor<?x1xf32, #nn.dims<batch, _>>
    %own = nn.div %sum, %count : {SCALAR}, {SCALAR}""" + OWN_END


def weights(draw, *shape):
    if not shape:
        return f"{draw.gauss(0, 0.4):.6e}"
    return "[" + ", ".join(weights(draw, *shape[1:]) for _ in range(shape[0])) + "]"


def program(loss):
    draw = random.Random(7)
    by_labels = "%t" in loss
    target = (f"@t range [0, {CLASSES}) ignore -100 : {LABELS}" if by_labels else f"@n : {Y}")
    read = f"%t = train.read @t : {LABELS}" if by_labels else f"%n = train.read @n : {Y}"
    x, h = (f"tensor<?x{n}xf32, #nn.dims<batch, _>>" for n in (FEATURES, HIDDEN))
    return f"""train.program @joined {{
  train.dim open @batch = {BOUND}
  train.state parameter @w1 : tensor<{FEATURES}x{HIDDEN}xf32> = dense<{weights(draw, FEATURES, HIDDEN)}>
  train.state parameter @b1 : tensor<{HIDDEN}xf32> = dense<{weights(draw, HIDDEN)}>
  train.state parameter @w2 : tensor<{HIDDEN}x{CLASSES}xf32> = dense<{weights(draw, HIDDEN, CLASSES)}>
  train.input @x : {x}
  train.input target {target}
  train.output prediction @scores : {Y}
  train.output loss @step_loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {x}
    %w1 = train.read @w1 : tensor<{FEATURES}x{HIDDEN}xf32>
    %b1 = train.read @b1 : tensor<{HIDDEN}xf32>
    %w2 = train.read @w2 : tensor<{HIDDEN}x{CLASSES}xf32>
    %p = nn.matmul %x, %w1 : {x}, tensor<{FEATURES}x{HIDDEN}xf32>
    %z = nn.add %p, %b1 : {h}, tensor<{HIDDEN}xf32>
    %a = nn.tanh %z : {h}
    %y = nn.matmul %a, %w2 : {h}, tensor<{HIDDEN}x{CLASSES}xf32>
    train.write %y, @scores : {Y}
    {read}
    {loss}
  }}
}}
"""


def batch(loss, step, part, rows, ignored):
    """Inputs and targets, of which the first `ignored` count nothing."""
    draw = random.Random(1000 * step + part)
    x = array.array("f", (draw.gauss(0, 1) for _ in range(rows * FEATURES)))
    if "%t" in loss:
        return x, array.array("q", (-100 if row < ignored else draw.randrange(CLASSES) for row in range(rows)))
    target = array.array("f", (draw.gauss(0, 1) for _ in range(rows * CLASSES)))
    for row in range(ignored):
        target[row * CLASSES] = -1  # of MASKED
    return x, target


def pointers(data):
    return [c_void_p(values.buffer_info()[0]) for values in data]


def values_of(state):
    return {name: array.array("f", data) for name, (kind, data) in state.items() if kind == "F32"}


def difference(found, expected):
    """The largest of all tensors, of their norms."""
    distances = [math.dist(values, values_of(found)[name]) / math.hypot(*values)
                 for name, values in values_of(expected).items()]
    if not all(map(math.isfinite, distances)):
        fail("training diverges")
    return max(distances)


def gradient(model, name, count):
    values = array.array("f", bytes(4 * count))
    if model.call("gradient_read", name.encode(), c_void_p(values.buffer_info()[0]), ctypes.c_size_t(4 * count)):
        fail(model.error())
    return values


def weight(model):
    value = c_double()
    if model.call("gradient_read", b"gradient_weight", byref(value), ctypes.c_size_t(8)):
        fail(model.error())
    return value.value


def train(library, loss, parts, joined):
    """The state after all steps. `parts`: rows of each batch, and how many of them are ignored."""
    model = library.create()
    for step in range(STEPS[MACHINE]):
        batches = [batch(loss, step, part, *sizes) for part, sizes in enumerate(parts)]
        if joined:
            whole = [batches[0][i][:0] for i in range(2)]
            for data in batches:
                for i in range(2):
                    whole[i] = whole[i] + data[i]
            model.step("train_step_n", [sum(rows for rows, _ in parts)], pointers(whole))
            continue
        for part, data in enumerate(batches):
            model.step("accumulate_n" if part else "grad_step_n", [parts[part][0]], pointers(data))
        if model.call("apply"):
            fail(model.error())
    state = model.state()
    model.destroy()
    return state


CASES = [  # name, loss, rows of each batch and how many of them are ignored, options
    ("no label is ignored", PLAIN, [(32, 0), (32, 0)], []),
    ("24 of 64 labels are ignored on one side", PLAIN, [(32, 24), (32, 0)], []),
    ("the last batch has 5 rows", PLAIN, [(32, 0), (5, 0)], []),
    ("classes have weights", WEIGHTED, [(32, 9), (32, 0)], []),
    ("a batch has no labels", PLAIN, [(16, 0), (9, 9), (30, 11)], []),
    ("the first batch has no labels", PLAIN, [(9, 9), (16, 0)], []),
    ("the loss is a sum", SUM, [(32, 24), (5, 0)], []),
    ("the model's own mean", OWN_MEAN, [(32, 0), (5, 0), (11, 0)], []),
    ("the model's own sum", OWN_SUM, [(32, 0), (5, 0)], []),
    ("the model's own weights", MASKED, [(32, 24), (32, 0)], []),
    ("gradients are clipped", PLAIN, [(32, 24), (5, 0)], ["--clip-grad-norm=0.2"]),
    ("the loss has a scale", PLAIN, [(32, 24), (5, 0)], ["--loss-scale=1024"]),
    ("averages are kept", PLAIN, [(32, 24), (5, 0)], ["--ema-decay=0.9"]),
]
OPTIMIZERS = {"SGD": ["--optimizer=sgd", "--momentum=0.9"], "Adam": ["--optimizer=adam"]}
RATES = {"SGD": 0.05, "Adam": 0.01}
SLOWER = {SUM: 20, OWN_SUM: 200, MASKED: 20}  # where steps would be so long that they enlarge rounding


def compile_case(number, loss, optimizer, options):
    path = pathlib.Path(f"case{number}.mlir")
    path.write_text(program(loss))
    return Library(f"case{number}_{optimizer.lower()}", path,
                   [*OPTIMIZERS[optimizer], f"--lr={RATES[optimizer] / SLOWER.get(loss, 1)}",
                    "--accumulate=mean", *MACHINES[MACHINE], *options])


def keep_halves(library, loss, parts):
    """One batch alone: the bits of a training step."""
    one, other = library.create(), library.create(threads=2)
    for step in range(3):
        rows, ignored = parts[0]
        data = pointers(keep := batch(loss, step, 0, rows, ignored))
        if one.step("train_step_n", [rows], data) != other.step("grad_step_n", [rows], data) or other.call("apply"):
            fail("halves of a step have another loss")
    any_size.equal("halves", other.state(), one.state())
    for model in one, other:
        model.destroy()


def read_between(library):
    """Gradients and weights before and after each call."""
    model, whole, count = library.create(), library.create(), HIDDEN * CLASSES
    first, second = batch(PLAIN, 0, 0, 32, 24), batch(PLAIN, 0, 1, 5, 0)
    both = [first[i] + second[i] for i in range(2)]
    model.step("grad_step_n", [32], pointers(first))
    alone, weight_alone = gradient(model, "w2", count), weight(model)
    model.step("accumulate_n", [5], pointers(second))
    loss = whole.step("grad_step_n", [37], pointers(both))
    expected = gradient(whole, "w2", count)
    if weight_alone != 8 or weight(model) != 13 or weight(whole) != 13:
        fail(f"weights of 8 and 5 labels are {weight_alone} and {weight(model)}")
    found = gradient(model, "w2", count)
    if math.dist(found, expected) > TOLERANCE * math.hypot(*expected) or math.dist(alone, found) < 0.1 * math.hypot(*found):
        fail("gradient_read does not give the gradient of the batches so far")
    for _ in range(3):  # the same batch again is the same mean, to the bit
        whole.step("accumulate_n", [37], pointers(both))
    if gradient(whole, "w2", count) != expected or weight(whole) != 4 * 13:
        fail("four times the same batch has another mean")
    if not math.isclose(loss, whole.step("grad_step_n", [37], pointers(both)), rel_tol=1e-6):
        fail("grad_step gives another loss than that of its batch")
    for one in model, whole:
        one.destroy()


def refuse_no_labels(library):
    """With check_finite, a batch without labels is an error, and the gradients and their weight stay."""
    model = library.create()
    model.destroy()
    options = any_size.Options(struct_size=ctypes.sizeof(any_size.Options), threads=1, check_finite=1)
    if model.call("create", byref(options), byref(model.handle), model=False):
        fail("not created")
    model.step("grad_step_n", [32], pointers(keep := batch(PLAIN, 0, 0, 32, 24)))
    before = gradient(model, "w2", HIDDEN * CLASSES)
    data = pointers(keep := batch(PLAIN, 0, 1, 9, 9))
    status = model.call("accumulate_n", c_int64(9), *data, byref(ctypes.c_float()))
    if status != DLC_NOT_FINITE or "the loss is NaN" not in model.error():
        fail(f"a batch without labels answers {status}: {model.error()}")
    if gradient(model, "w2", HIDDEN * CLASSES) != before or weight(model) != 8:
        fail("a batch without labels has changed the gradients")
    model.destroy()


if __name__ == "__main__":
    any_size.DLC, MACHINE = sys.argv[1:3]
    failed = []
    for number, (name, loss, parts, options) in enumerate(CASES):
        for optimizer in OPTIMIZERS:
            library = compile_case(number, loss, optimizer, options)
            worst = difference(train(library, loss, parts, joined=False), train(library, loss, parts, joined=True))
            print(f"{name}, {optimizer}: {worst:.1e}", flush=True)
            if not worst <= TOLERANCE:
                failed.append(f"{name}, {optimizer}")
            if number in (1, 3, 7) and optimizer == "Adam":
                keep_halves(library, loss, parts)
            if number == 1 and optimizer == "SGD":
                read_between(library)
                refuse_no_labels(library)
    for precision in "bf16", "fp16":
        library = Library(precision, pathlib.Path("case0.mlir"), [*OPTIMIZERS["Adam"], "--accumulate=mean",
                                                                  f"--precision={precision}", *MACHINES[MACHINE]])
        keep_halves(library, PLAIN, [(32, 24)])
    if failed:
        fail(f"other parameters than of the joined batch: {'; '.join(failed)}")
