#!/usr/bin/env python3
"""Trains models that were compiled for any size beside the same models compiled for one size each.

usage: any_size.py DLC MODELS_FOLDER {mlp,lenet,gpt} [ONNX_FILE]

At every size, three steps from the same initial state, on the same numbers, must give the loss and the state (parameters,
running statistics, moments, random state) of the model that was compiled for that size: to the last bit in what both
compute in the same order, else to rounding. A step must be its two halves, bit for bit, on one thread and on two.
Where all sizes are the largest, it must be the step of the model that takes no other. With a memory budget, in which
values of the forward pass are computed again, it must be the same step, bit for bit. Sizes out of range are refused, with
numbers, and change nothing.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import ctypes
import json
import math
import pathlib
import random
import subprocess
import sys
from ctypes import byref, c_char_p, c_float, c_int64, c_void_p

STEPS = 3
BOOL = 9  # onnx.TensorProto.DataType
DLC_INVALID_ARGUMENT = 1
# Of a tensor's largest element: what different orders of a sum leave after three steps of Adam, which divides
# small gradients by their own size.
ROUNDING = 2e-3


class Options(ctypes.Structure):  # dlc_create_options of dlc/runtime.h
    _fields_ = [("struct_size", ctypes.c_size_t), ("weights_path", c_char_p), ("seed", ctypes.c_uint64),
                ("use_seed", ctypes.c_int32), ("threads", ctypes.c_int32), ("arena", c_void_p),
                ("arena_bytes", ctypes.c_size_t), ("check_finite", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("error", c_char_p), ("error_bytes", ctypes.c_size_t)]


class Metrics(ctypes.Structure):  # dlc_metrics
    _fields_ = [("loss_sum", ctypes.c_double), ("loss_weight", ctypes.c_double), ("correct", c_int64),
                ("count", c_int64)]


def fail(message):
    sys.exit(f"FAIL {message}")


def read_state(path):
    """The tensors of a safetensors file: {name: (type, bytes)}."""
    content = pathlib.Path(path).read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    header.pop("__metadata__", None)
    return {name: (tensor["dtype"], content[begin + tensor["data_offsets"][0]:begin + tensor["data_offsets"][1]])
            for name, tensor in header.items()}


class Library:
    """One compiled model: what `dlc compile` made of these options, loaded."""

    def __init__(self, name, onnx, options):
        folder = pathlib.Path(name)
        subprocess.run([DLC, "compile", onnx, f"--name={name}", "-o", folder, "--emit=shared", "--embed-weights", "-q",
                        *options], check=True)
        self.name, self.library = name, ctypes.CDLL(str((folder / f"lib{name}.so").resolve()))

    def create(self, threads=1):
        return Model(self, threads)

    def manifest(self):
        return json.loads(pathlib.Path(self.name, f"{self.name}.json").read_text())


class Model:
    def __init__(self, library, threads):
        self.library, self.handle = library, c_void_p()
        options = Options(struct_size=ctypes.sizeof(Options), threads=threads)
        if self.call("create", byref(options), byref(self.handle), model=False):
            fail(f"{library.name}: not created")

    def call(self, function, *arguments, model=True):
        entry = getattr(self.library.library, f"{self.library.name}_{function}")
        return entry(*([self.handle] if model else []), *arguments)

    def error(self):
        entry = getattr(self.library.library, f"{self.library.name}_last_error")
        entry.restype = c_char_p
        return entry(self.handle).decode()

    def step(self, function, sizes, data):
        """The loss. `sizes`: none for a function of fixed sizes."""
        loss = c_float()
        if self.call(function, *map(c_int64, sizes), *data, byref(loss)):
            fail(f"{self.library.name}: {function}{tuple(sizes)}: {self.error()}")
        return loss.value

    def evaluate(self, sizes, data):
        metrics = Metrics()
        if self.call("eval_step", *map(c_int64, sizes), *data, byref(metrics)):
            fail(f"{self.library.name}: eval_step{tuple(sizes)}: {self.error()}")
        return metrics.loss_sum, metrics.loss_weight, metrics.correct, metrics.count

    def state(self):
        path = f"{self.library.name}.state"
        if self.call("save", path.encode()):
            fail(self.error())
        return read_state(path)

    def destroy(self):
        self.library.library[f"{self.library.name}_destroy"](self.handle)


def equal(what, found, expected, close=False):
    """Compares states; how many tensors have the same bits, how many there are."""
    if found.keys() != expected.keys():
        fail(f"{what}: tensors {sorted(found)} and {sorted(expected)}")
    same = 0
    for name, (kind, values) in found.items():
        if values == expected[name][1]:
            same += 1
            continue
        if not close or kind not in ("F32", "F64"):
            fail(f"{what}: '{name}' has other bits")
        code = {"F32": "f", "F64": "d"}[kind]
        a, b = array.array(code, values), array.array(code, expected[name][1])
        most = max(abs(value) for value in b) + 1e-6
        worst = max(abs(x - y) for x, y in zip(a, b))
        if not worst <= ROUNDING * most:
            fail(f"{what}: '{name}' differs by {worst} where its largest element is {most}")
    return same, len(found)


class Case:
    """A model, its options, and numbers to train it on."""

    def __init__(self, name, onnx, options, bounds, names, sizes, inputs):
        self.name, self.onnx, self.options = name, onnx, options
        self.bounds, self.names = bounds, names  # of the batch and the other sizes; the model's names of the latter
        self.sizes, self.inputs = sizes, inputs

    def compile(self, suffix, sizes):
        return Library(f"{self.name}_{suffix}", self.onnx, [*self.size_options(sizes), *self.options])

    def size_options(self, sizes, prefix=""):
        return [f"--batch={prefix}{sizes[0]}",
                *(f"--dim={name}={prefix}{size}" for name, size in zip(self.names, sizes[1:]))]

    def open_sizes(self):
        return self.size_options(self.bounds, prefix="1..")

    def data(self, sizes, step):
        """Inputs and targets; each with the address of its first element."""
        draw = random.Random(1000 * step + sum(sizes))
        arrays = [array.array("f", (draw.gauss(0, 1) for _ in range(count))) if kind is None else
                  array.array("q", (draw.randrange(kind) for _ in range(count)))
                  for kind, count in self.inputs(*sizes)]
        return arrays, [c_void_p(values.buffer_info()[0]) for values in arrays]


def compare_with_fixed(case, opened, sizes):
    """Against the model that was compiled for these sizes."""
    fixed = case.compile("x".join(map(str, sizes)).replace("x", "_"), sizes)
    models = {"whole": opened.create(), "halves": opened.create(), "threads": opened.create(threads=2)}
    alone = fixed.create()
    for step in range(STEPS):
        keep, data = case.data(sizes, step)
        expected = alone.step("train_step", [], data)
        losses = {name: models[name].step("grad_step_n" if name == "halves" else "train_step_n", sizes, data)
                  for name in models}
        if models["halves"].call("apply"):
            fail(models["halves"].error())
        what = f"{case.name} of sizes {sizes}, step {step}"
        if len(set(losses.values())) != 1:
            fail(f"{what}: losses {losses}")
        if not math.isclose(losses["whole"], expected, rel_tol=1e-4, abs_tol=1e-5):
            fail(f"{what}: loss {losses['whole']}, expected {expected}")
    state = models["whole"].state()
    for name in ("halves", "threads"):
        equal(f"{what}: {name}", models[name].state(), state)
    same = equal(what, state, alone.state(), close=True)
    # Twice the gradients are those of the loss twice; then all goes on as in the fixed model.
    for model, suffix, given in (models["whole"], "_n", sizes), (alone, "", []):
        model.step("grad_step" + suffix, given, data)
        model.step("accumulate" + suffix, given, data)
        model.call("apply")
    equal(f"{what}: accumulated", models["whole"].state(), alone.state(), close=True)
    found = models["whole"].evaluate(sizes if case.names else sizes[:1], data)
    expected = alone.evaluate(sizes[:1], data)
    if not all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-4) for a, b in zip(found, expected)):
        fail(f"{what}: evaluation {found}, expected {expected}")
    for model in (*models.values(), alone):
        model.destroy()
    print(f"{what}: {same[0]} of {same[1]} tensors have the same bits")


def compare_at_bounds(case, opened):
    """All sizes at their bounds: the same bits as train_step, and as the model that takes no others."""
    models = [opened.create(), opened.create(), case.compile("bounds", case.bounds).create()]
    for step in range(STEPS):
        keep, data = case.data(case.bounds, step)
        losses = {models[0].step("train_step_n", case.bounds, data), models[1].step("train_step", [], data),
                  models[2].step("train_step", [], data)}
        if len(losses) != 1:
            fail(f"{case.name} at its bounds, step {step}: losses {losses}")
    states = [model.state() for model in models]
    equal(f"{case.name} at its bounds", states[0], states[1])
    equal(f"{case.name} at its bounds, the model of fixed sizes", states[0], states[2])


def mix_sizes(case, opened):
    """Sizes that change from step to step leave nothing behind: a step is that of a model that saw no other size."""
    one, other = opened.create(), opened.create()
    for step, sizes in enumerate([case.bounds, *case.sizes, case.bounds]):
        keep, data = case.data(sizes, step)
        one.step("train_step_n", sizes, data)
        other.step("grad_step_n", sizes, data)
        other.call("apply")
    equal(f"{case.name} with changing sizes", one.state(), other.state())


def train_in_less_memory(case, opened):
    """A twelfth less of working memory: what is computed again has the same bits, at every size."""
    memory = opened.manifest()["memory"]
    budget = memory["state_bytes"] + (memory["arena_bytes"] - memory["state_bytes"]) * 11 // 12
    small = Library(f"{case.name}_small", case.onnx, [*case.open_sizes(), *case.options, f"--memory-budget={budget}"])
    again = [function for function in small.manifest()["functions"] if function["name"] == "train_step"][0]
    if small.manifest()["memory"]["arena_bytes"] > budget or "recomputed" not in again:
        fail(f"{case.name}: nothing is computed again in {budget} bytes")
    one, other = opened.create(), small.create()
    for step, sizes in enumerate([case.bounds, *case.sizes]):
        keep, data = case.data(sizes, step)
        losses = {model.step("train_step_n", sizes, data) for model in (one, other)}
        if len(losses) != 1:
            fail(f"{case.name} in less memory, sizes {sizes}: losses {losses}")
    equal(f"{case.name} in less memory", one.state(), other.state())


def refuse_sizes(case, opened):
    model = opened.create()
    keep, data = case.data(case.bounds, 0)
    model.step("train_step_n", case.bounds, data)
    before, loss = model.state(), c_float()
    for which, bound in enumerate(case.bounds):
        for size in 0, -1, bound + 1, 2**63 - 1:
            sizes = list(case.bounds)
            sizes[which] = size
            what = f"{size} rows" if which == 0 else f"size {size} of '{case.names[which - 1]}'"
            for function in "train_step_n", "grad_step_n", "accumulate_n":
                status = model.call(function, *map(c_int64, sizes), *data, byref(loss))
                if status != DLC_INVALID_ARGUMENT or what not in model.error() or f"1 to {bound}" not in model.error():
                    fail(f"{case.name}: {function}{sizes} answers {status}: {model.error()}")
    equal(f"{case.name} after calls that were refused", model.state(), before)


def keep_the_batch(case, opened):
    """Where the batch has one size and others are open, training takes full batches only."""
    rows, bound = case.bounds
    fixed = Library(f"{case.name}_rows", case.onnx, [f"--batch={rows}", f"--dim={case.names[0]}=1..{bound}", *case.options])
    one, other, sizes = fixed.create(), opened.create(), [rows, bound // 2]
    for step in range(STEPS):
        keep, data = case.data(sizes, step)
        losses = [model.step("train_step_n", sizes, data) for model in (one, other)]
        if not math.isclose(*losses, rel_tol=1e-4):
            fail(f"{case.name} of one batch: losses {losses}")
    equal(f"{case.name} of one batch", one.state(), other.state(), close=True)
    status = one.call("train_step_n", c_int64(rows - 1), c_int64(bound), *data, byref(c_float()))
    expected = f"{rows - 1} rows, expected {rows}, the only batch that training was compiled for"
    if status != DLC_INVALID_ARGUMENT or expected not in one.error():
        fail(f"{case.name} of one batch answers {status}: {one.error()}")


def small_lenet():
    from write_model import Network
    net = Network("lenet", 1)
    x = net.relu(net.batch_norm(net.conv("image", "conv1", 1, 5, 3, bias=False), "bn1", 5), "relu1")
    x = net.relu(net.conv(x, "conv2", 5, 6, 2, bias=False), "relu2")
    x = net.node("MaxPool", "pool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", "flatten", [x], axis=1)
    x = net.relu(net.linear(x, "fc1", 54, 20), "relu3")
    ratio, training = net.filled("ratio", 1, 0.25), net.initializer("training", [], array.array("b", [1]), BOOL)
    ratio = net.node("Reshape", "scalar", [ratio, net.initializer("none", [0], array.array("q"), 7)])
    x = net.node("Dropout", "dropout", [x, ratio, training])
    net.linear(x, "fc2", 20, 10, "scores")
    return net.model(["batch", 1, 9, 9], ["batch", 10])


def cases(name, file):
    if name == "mlp":
        return Case("mlp", file, ["--loss=softmax-cross-entropy", "--optimizer=adam"], [64], [],
                    [[1], [2], [17], [63]], lambda rows: [(None, rows * 784), (10, rows)])
    if name == "lenet":
        pathlib.Path("lenet.onnx").write_bytes(small_lenet())
        return Case("lenet", "lenet.onnx", ["--loss=softmax-cross-entropy", "--momentum=0.9", "--lr=0.01"], [9], [],
                    [[rows] for rows in range(1, 10)], lambda rows: [(None, rows * 81), (10, rows)])
    from write_transformer import gpt
    pathlib.Path("gpt.onnx").write_bytes(gpt(1, vocabulary=11, layers=1, width=24, heads=3, window=12, any_window=True))
    sizes = [[3, seq] for seq in range(1, 13)] + [[1, 1], [2, 7], [1, 12]]
    return Case("gpt", "gpt.onnx", ["--loss=softmax-cross-entropy", "--class-axis=-1", "--optimizer=adamw",
                                    "--clip-grad-norm=1"], [3, 12], ["seq"], sizes,
                lambda rows, seq: [(11, rows * seq), (11, rows * seq)])


if __name__ == "__main__":
    DLC = sys.argv[1]
    sys.path.insert(0, sys.argv[2])
    case = cases(sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
    opened = Library(f"{case.name}_open", case.onnx, [*case.open_sizes(), *case.options])
    for sizes in case.sizes:
        compare_with_fixed(case, opened, sizes)
    compare_at_bounds(case, opened)
    mix_sizes(case, opened)
    if case.name != "mlp":  # which keeps too little to compute it again
        train_in_less_memory(case, opened)
    refuse_sizes(case, opened)
    if case.names:
        keep_the_batch(case, opened)
