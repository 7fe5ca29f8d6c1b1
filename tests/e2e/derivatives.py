#!/usr/bin/env python3
"""Compares the functions vjp, jvp and jacobian of compiled models with finite differences of predict, and with each other.

usage: derivatives.py DLC {cpu,gpu}

In float64, where finite differences say something: each column of a Jacobian is the slope of a prediction, whether it is made of
rows by vjp or of columns by jvp; at full and at smaller sizes, each element of each input's gradient is the
slope of the sum of all predictions times their cotangents, the tangents of the predictions are their slopes along the tangents of
the inputs, and both products are those of one Jacobian. In float32 both are those of float64, to rounding. With gpu, the
stand-in for NVIDIA's driver runs the kernels (of float32). What may not be asked for is refused, and a call changes no state.

The model: two inputs of numbers and one of row numbers; a batch norm, which evaluates with its running statistics; a dropout, which
drops nothing; a softmax over a size that is open; two predictions, and a third of integers, which has no derivative.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import random
import sys
from ctypes import c_int64, c_void_p

import any_size
from any_size import DLC_INVALID_ARGUMENT, Library, fail

MACHINES = {"cpu": [], "gpu": ["--target=nvptx", "--gpu-code=simt"]}
CODES = {"f32": "f", "f64": "d"}
BATCH, SEQ, FEATURES, HIDDEN, ROWS = 5, 4, 3, 6, 7


def numbers(draw, *shape):
    if not shape:
        return f"{draw.gauss(0, 0.7):.6e}"
    return "[" + ", ".join(numbers(draw, *shape[1:]) for _ in range(shape[0])) + "]"


def program(t):
    draw = random.Random(11)

    def tensor(*shape, element=t):
        dims = ", ".join(f'"{d}"' if "*" in str(d) else d if isinstance(d, str) else "_" for d in shape)
        text = "x".join("?" if isinstance(d, str) else str(d) for d in shape)
        named = f", #nn.dims<{dims}>" if any(isinstance(d, str) for d in shape) else ""
        return f"tensor<{text}{'x' if shape else ''}{element}{named}>"

    x, h, s = tensor("batch", "seq", FEATURES), tensor("batch", "seq", HIDDEN), tensor("batch", "seq", 1)
    mask, ids, flat = tensor("batch", "seq"), tensor("batch", "seq", element="i64"), tensor("batch*seq", HIDDEN)
    pooled, y, best = tensor("batch", HIDDEN), tensor("batch", 2), tensor("batch", element="i64")
    w, v, table, row = tensor(FEATURES, HIDDEN), tensor(HIDDEN, 2), tensor(ROWS, HIDDEN), tensor(HIDDEN)
    rng = "tensor<2xi64>"
    return f"""train.program @derived_{t} {{
  train.dim @batch = {BATCH}
  train.dim @seq = {SEQ}
  train.state parameter @w : {w} = dense<{numbers(draw, FEATURES, HIDDEN)}>
  train.state parameter @v : {v} = dense<{numbers(draw, HIDDEN, 2)}>
  train.state parameter @table : {table} = dense<{numbers(draw, ROWS, HIDDEN)}>
  train.state parameter @scale : {row} = dense<{numbers(draw, HIDDEN)}>
  train.state parameter @bias : {row} = dense<{numbers(draw, HIDDEN)}>
  train.state buffer @mean : {row} = dense<0.25>
  train.state buffer @variance : {row} = dense<2.0>
  train.state rng @rng : {rng}
  train.input @x : {x}
  train.input @ids range[0, {ROWS}) : {ids}
  train.input @mask : {mask}
  train.output prediction @y : {y}
  train.output prediction @best : {best}
  train.output prediction @attention : {mask}
  train.function forward @forward {{
    %x = train.read @x : {x}
    %ids = train.read @ids : {ids}
    %mask = train.read @mask : {mask}
    %w = train.read @w : {w}
    %v = train.read @v : {v}
    %table = train.read @table : {table}
    %scale = train.read @scale : {row}
    %bias = train.read @bias : {row}
    %rng = train.read @rng : {rng}
    %0 = nn.matmul %x, %w : {x}, {w}
    %1 = nn.gather %table, %ids axis 0 : {table}, {ids}
    %2 = nn.add %0, %1 : {h}, {h}
    %3 = nn.reshape %2 : {h} -> {flat}
    %4 = train.batch_norm %3, %scale, %bias running @mean, @variance momentum 0.9 epsilon 1.0e-5
        : {flat}, {row}, {row}
    %5 = nn.reshape %4 : {flat} -> {h}
    %6 = nn.dropout %5, %rng ratio 0.5 stream 0 : {h}, {rng}
    %7 = nn.tanh %6 : {h}
    %attention = nn.softmax %mask axis 1 : {mask}
    %8 = nn.reshape %attention : {mask} -> {s}
    %9 = nn.mul %7, %8 : {h}, {s}
    %10 = nn.sum %9 axes [1] : {h}
    %y = nn.matmul %10, %v : {pooled}, {v}
    %best = nn.argmax %y axis 1 : {y}
    train.write %y, @y : {y}
    train.write %best, @best : {best}
    train.write %attention, @attention : {mask}
  }}
}}
"""


def draw_array(draw, code, count):
    return array.array(code, (draw.gauss(0, 1) for _ in range(count)))


def address(values):
    return c_void_p(values.buffer_info()[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Case:
    """Inputs of some sizes, and the calls of a model on them."""

    def __init__(self, model, code, rows, seq, seed=3):
        self.model, self.code, self.rows, self.seq = model, code, rows, seq
        draw = random.Random(seed)
        self.x = draw_array(draw, code, rows * seq * FEATURES)
        self.ids = array.array("q", (draw.randrange(ROWS) for _ in range(rows * seq)))
        self.mask = draw_array(draw, code, rows * seq)
        self.cotangents = draw_array(draw, code, rows * 2), draw_array(draw, code, rows * seq)
        self.tangents = draw_array(draw, code, len(self.x)), draw_array(draw, code, len(self.mask))

    def call(self, function, inputs, outputs):
        sizes = [c_int64(self.rows), c_int64(self.seq)]
        if self.model.call(function, *sizes, *map(address, inputs), *map(address, outputs)):
            fail(f"{function} of {self.rows}, {self.seq}: {self.model.error()}")

    def zeros(self, count):
        return array.array(self.code, bytes(array.array(self.code).itemsize * count))

    def predict(self, x, mask):
        y, best, attention = self.zeros(self.rows * 2), array.array("q", bytes(8 * self.rows)), self.zeros(len(mask))
        self.call("predict", [x, self.ids, mask], [y, best, attention])
        return y, attention

    def vjp(self):
        gradients = self.zeros(len(self.x)), self.zeros(len(self.mask))
        self.call("vjp", [self.x, self.ids, self.mask, *self.cotangents], gradients)
        return gradients

    def jvp(self):
        tangents = self.zeros(self.rows * 2), self.zeros(len(self.mask))
        self.call("jvp", [self.x, self.ids, self.mask, *self.tangents], tangents)
        return tangents

    def jacobian(self, by=("x", "mask")):
        """A matrix for each prediction and each input, by their names; no element is left as it was."""
        sizes = {"y": self.rows * 2, "attention": len(self.mask), "x": len(self.x), "mask": len(self.mask)}
        matrices = {(of, each): array.array(self.code, [7.5] * (sizes[of] * sizes[each]))
                    for of in ("y", "attention") for each in by}
        self.call("jacobian", [self.x, self.ids, self.mask], matrices.values())
        return matrices

    def weighted(self, x, mask):
        return sum(map(dot, self.predict(x, mask), self.cotangents))


def close(what, found, expected, tolerance):
    most = max(map(abs, expected)) + 1e-3
    worst = max(abs(a - b) for a, b in zip(found, expected))
    if len(found) != len(expected) or not worst <= tolerance * most:
        fail(f"{what}: differs by {worst} where the largest is {most}")
    return worst / most


def moved(values, direction, step):
    return array.array(values.typecode, (a + step * b for a, b in zip(values, direction)))


def check_slopes(case):
    h, worst = 1e-5, 0.0
    gradients, tangents = case.vjp(), case.jvp()
    for which, name in enumerate(("x", "mask")):
        slopes = []
        for i in range(len((case.x, case.mask)[which])):
            sums = []
            for sign in (1, -1):
                inputs = [array.array("d", case.x), array.array("d", case.mask)]
                inputs[which][i] += sign * h
                sums.append(case.weighted(*inputs))
            slopes.append((sums[0] - sums[1]) / (2 * h))
        worst = max(worst, close(f"gradient of {name}", gradients[which], slopes, 1e-8))
    ahead, back = (case.predict(moved(case.x, case.tangents[0], step), moved(case.mask, case.tangents[1], step))
                   for step in (h, -h))
    for which, name in enumerate(("y", "attention")):
        slopes = [(a - b) / (2 * h) for a, b in zip(ahead[which], back[which])]
        worst = max(worst, close(f"tangent of {name}", tangents[which], slopes, 1e-8))
    one, other = (sum(map(dot, *pair)) for pair in ((gradients, case.tangents), (tangents, case.cotangents)))
    if abs(one - other) > 1e-12 * (abs(one) + 1):
        fail(f"vjp and jvp are not of one Jacobian: {one} and {other}")
    print(f"ok   {case.rows} rows, {case.seq} long: differences from slopes up to {worst:.1e}, "
          f"the two products {abs(one - other):.1e} apart")


def column(matrix, i, width):
    return matrix[i::width]


def check_jacobian(case, machine):
    h, worst, matrices = 1e-5, 0.0, case.jacobian()
    for which, name in enumerate(("x", "mask")):
        width = len((case.x, case.mask)[which])
        for i in range(width):
            ahead, back = [], []
            for step, results in ((h, ahead), (-h, back)):
                inputs = [array.array("d", case.x), array.array("d", case.mask)]
                inputs[which][i] += step
                results.extend(case.predict(*inputs))
            for of, a, b in zip(("y", "attention"), ahead, back):
                slopes = [(one - other) / (2 * h) for one, other in zip(a, b)]
                worst = max(worst, close(f"{of} by {name}", column(matrices[of, name], i, width), slopes, 1e-8))
    # Made of rows, or of columns, where the library has one of both alone.
    by_rows = Case(machine["rows"], "d", case.rows, case.seq).jacobian()
    by_columns = Case(machine["columns"], "d", case.rows, case.seq).jacobian(by=("mask",))
    for pair, matrix in matrices.items():
        close(f"{pair} by rows", by_rows[pair], matrix, 1e-14)
        if pair[1] == "mask":
            close(f"{pair} by columns", by_columns[pair], matrix, 1e-13)
    print(f"ok   {case.rows} rows, {case.seq} long: Jacobians differ from slopes up to {worst:.1e}")


def check_jacobian_refusals(models):
    case = Case(models["columns"], "d", 2, 2)
    inputs, matrices = list(map(address, [case.x, case.ids, case.mask])), case.jacobian(by=("mask",))
    places = list(map(address, matrices.values()))

    def refused(rows, arrays, sentence):
        status = case.model.call("jacobian", c_int64(rows), c_int64(2), *arrays)
        if status != DLC_INVALID_ARGUMENT or sentence not in case.model.error():
            fail(f"expected '{sentence}', got {status}: {case.model.error()}")

    refused(BATCH + 1, [*inputs, *places], "6 rows, expected 1 to 5")
    refused(2, [*inputs[:2], None, *places], "input 'mask' is NULL")
    refused(2, [*inputs, places[0], None], "output 'attention by mask' is NULL")
    refused(2, [*inputs, places[0], places[0]], "the memory of output 'attention by mask' overlaps that of output 'y by mask'")
    refused(2, [*inputs, inputs[2], places[1]], "the memory of output 'y by mask' overlaps that of input 'mask'")
    refused(2, [*inputs, c_void_p(places[0].value + 1), places[1]], "output 'y by mask' is not aligned")
    for name, derivative in (("rows", "vjp"), ("columns", "jvp")):
        manifest = models[name].library.manifest()
        if [each["name"] for each in manifest["derivatives"]] != [derivative]:
            fail(f"a Jacobian by {name} is made of {manifest['derivatives']}")
        if [each["c_name"] for each in manifest["jacobian"]][-1] != "attention_by_mask":
            fail(f"the manifest: {manifest['jacobian']}")
    print("ok   what is wrong for a Jacobian is refused")


def check_single(single, double):
    for rows, seq in ((BATCH, SEQ), (3, 2), (1, 1)):
        narrow, wide = Case(single, "f", rows, seq), Case(double, "d", rows, seq)
        for values in ("x", "mask"):  # of the same numbers
            setattr(wide, values, array.array("d", getattr(narrow, values)))
        for values in ("cotangents", "tangents"):
            setattr(wide, values, [array.array("d", each) for each in getattr(narrow, values)])
        worst = max(close(f"{function} in float32", a, b, 2e-5) for function in ("vjp", "jvp")
                    for a, b in zip(getattr(narrow, function)(), getattr(wide, function)()))
        worst = max(worst, *(close("the Jacobian in float32", a, b, 2e-5)
                             for a, b in zip(narrow.jacobian().values(), wide.jacobian().values())))
        print(f"ok   {rows} rows, {seq} long: float32 is as float64, to {worst:.1e}")


def check_refusals(model):
    case = Case(model, "d", 2, 2)
    inputs, gradients = [case.x, case.ids, case.mask, *case.cotangents], case.vjp()

    def refused(rows, arrays, outputs, sentence):
        status = model.call("vjp", c_int64(rows), c_int64(2), *arrays, *outputs)
        if status != DLC_INVALID_ARGUMENT or sentence not in model.error():
            fail(f"expected '{sentence}', got {status}: {model.error()}")

    given, taken = list(map(address, inputs)), list(map(address, gradients))
    refused(BATCH + 1, given, taken, "6 rows, expected 1 to 5")
    refused(2, [*given[:3], None, given[4]], taken, "input 'y_cotangent' is NULL")
    refused(2, given, [taken[0], None], "output 'mask_gradient' is NULL")
    refused(2, given, [taken[0], given[4]], "the memory of output 'mask_gradient' overlaps that of input 'attention_cotangent'")
    refused(2, given, [taken[0], taken[0]], "the memory of output 'mask_gradient' overlaps that of output 'x_gradient'")
    print("ok   wrong sizes, missing and overlapping memory are refused")


def check_chosen(whole):
    """By one input alone."""
    model = Library("derived_mask", "derived_f64.mlir", ["--function=vjp:mask"]).create()
    case, full = Case(model, "d", 4, 3), Case(whole, "d", 4, 3)
    gradient = case.zeros(len(case.mask))
    case.call("vjp", [case.x, case.ids, case.mask, *case.cotangents], [gradient])
    close("the gradient of mask alone", gradient, full.vjp()[1], 1e-15)
    print("ok   the gradient of one input alone")


def main():
    any_size.DLC, machine = sys.argv[1:]
    for t in CODES:
        with open(f"derived_{t}.mlir", "w", encoding="utf-8") as file:
            file.write(program(t))
    functions = ["--function=vjp", "--function=jvp", "--function=jacobian"]
    double = Library("derived_f64", "derived_f64.mlir", functions)
    model = double.create(threads=2)
    single = Library("derived_f32", "derived_f32.mlir", [*functions, *MACHINES[machine]]).create()
    if machine == "cpu":
        alone = {"rows": Library("derived_rows", "derived_f64.mlir", ["--function=jacobian"]).create(),
                 "columns": Library("derived_columns", "derived_f64.mlir", ["--function=jacobian:mask"]).create()}
        for rows, seq in ((BATCH, SEQ), (3, 2), (1, 1)):
            before = model.state()
            check_slopes(Case(model, "d", rows, seq))
            check_jacobian(Case(model, "d", rows, seq), alone)
            any_size.equal("the state after derivatives", model.state(), before)
        check_refusals(model)
        check_jacobian_refusals(alone)
        check_chosen(model)
        derived = double.manifest()["derivatives"]
        if [(each["name"], [t["of"] for t in each["takes"]], [t["of"] for t in each["gives"]]) for each in derived] != [
                ("vjp", ["y", "attention"], ["x", "mask"]), ("jvp", ["x", "mask"], ["y", "attention"])]:
            fail(f"the manifest: {derived}")
    check_single(single, model)


main()
