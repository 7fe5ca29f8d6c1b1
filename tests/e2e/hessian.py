#!/usr/bin/env python3
"""Compares the function hvp of compiled models with central differences of the gradients that grad_step gives.

usage: hessian.py DLC {cpu,gpu}

In float64, where differences say something: hvp(v) is (g(w + h v) - g(w - h v)) / 2h, at full and at smaller sizes, for
several v; two products are those of one symmetric matrix; and a call changes no state, no gradients and not what dropout draws
next. In float32 the product is that of float64, to rounding. With gpu, the stand-in for NVIDIA's driver runs the kernels.

The models: one of sequences, with an embedding whose rows repeat, a frozen parameter, a batch norm in training mode, a dropout,
a softmax over a size that is open, and labels of which some are ignored; one of images, with convolutions in groups, a maximum
over windows, a parameter by which the loss is linear and one that is alone in another float type; and a parameter that no other
one meets, so that its product is 0.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import random
import sys
from ctypes import byref, c_float, c_int32, c_int64, c_uint64, c_void_p

import any_size
from any_size import DLC_INVALID_ARGUMENT, Library, fail

MACHINES = {"cpu": [], "gpu": ["--target=nvptx", "--gpu-code=simt"]}
CODES = {"f32": "f", "f64": "d"}
BATCH, SEQ, FEATURES, HIDDEN, ROWS, CLASSES = 5, 4, 3, 6, 7, 3
NARROW = 4  # parameters of float32 where the others are of float64; they come first
INDEX_OUT_OF_RANGE = 5


def numbers(draw, *shape):
    if not shape:
        return f"{draw.gauss(0, 0.7):.6e}"
    return "[" + ", ".join(numbers(draw, *shape[1:]) for _ in range(shape[0])) + "]"


def tensor(element, *shape):
    dims = ", ".join(f'"{d}"' if "*" in str(d) else d if isinstance(d, str) else "_" for d in shape)
    text = "x".join("?" if isinstance(d, str) else str(d) for d in shape)
    named = f", #nn.dims<{dims}>" if any(isinstance(d, str) for d in shape) else ""
    return f"tensor<{text}{'x' if shape else ''}{element}{named}>"


def sequences(t):
    draw = random.Random(11)
    x, h, s = (tensor(t, "batch", "seq", n) for n in (FEATURES, HIDDEN, 1))
    ids, flat = tensor("i64", "batch", "seq"), tensor(t, "batch*seq", HIDDEN)
    pooled, y, mask = tensor(t, "batch", HIDDEN), tensor(t, "batch", CLASSES), tensor(t, "batch", "seq")
    w, v, table, row = tensor(t, FEATURES, HIDDEN), tensor(t, HIDDEN, CLASSES), tensor(t, ROWS, HIDDEN), tensor(t, HIDDEN)
    rng = "tensor<2xi64>"
    return f"""train.program @sequences_{t} {{
  train.dim open @batch = {BATCH}
  train.dim open @seq = {SEQ}
  train.state parameter @w : {w} = dense<{numbers(draw, FEATURES, HIDDEN)}>
  train.state parameter @fixed : {row} = dense<{numbers(draw, HIDDEN)}>
  train.state parameter @table : {table} = dense<{numbers(draw, ROWS, HIDDEN)}>
  train.state parameter @scale : {row} = dense<{numbers(draw, HIDDEN)}>
  train.state parameter @bias : {row} = dense<{numbers(draw, HIDDEN)}>
  train.state buffer @mean : {row} = dense<0.25>
  train.state parameter @v : {v} = dense<{numbers(draw, HIDDEN, CLASSES)}>
  train.state buffer @variance : {row} = dense<2.0>
  train.state rng @rng : {rng}
  train.input @x : {x}
  train.input @ids range[0, {ROWS}) : {ids}
  train.output prediction @y : {y}
  train.function forward @forward {{
    %x = train.read @x : {x}
    %ids = train.read @ids : {ids}
    %w = train.read @w : {w}
    %v = train.read @v : {v}
    %fixed = train.read @fixed : {row}
    %table = train.read @table : {table}
    %scale = train.read @scale : {row}
    %bias = train.read @bias : {row}
    %rng = train.read @rng : {rng}
    %0 = nn.matmul %x, %w : {x}, {w}
    %1 = nn.gather %table, %ids axis 0 : {table}, {ids}
    %2 = nn.mul %0, %1 : {h}, {h}
    %3 = nn.reshape %2 : {h} -> {flat}
    %4 = train.batch_norm %3, %scale, %bias running @mean, @variance momentum 0.9 epsilon 1.0e-5
        : {flat}, {row}, {row}
    %5 = nn.reshape %4 : {flat} -> {h}
    %6 = nn.tanh %5 : {h}
    %7 = nn.dropout %6, %rng ratio 0.25 stream 0 : {h}, {rng}
    %8 = nn.mul %7, %fixed : {h}, {row}
    %9 = nn.sum %8 axes [2] : {h}
    %10 = nn.softmax %9 axis 1 : {mask}
    %11 = nn.reshape %10 : {mask} -> {s}
    %12 = nn.mul %7, %11 : {h}, {s}
    %13 = nn.sum %12 axes [1] : {h}
    %14 = nn.matmul %13, %v : {pooled}, {v}
    train.write %14, @y : {y}
  }}
}}
"""


def images(t):
    """With one parameter of float32 where the others are of float64."""
    draw = random.Random(12)
    other = "f32" if t == "f64" else t
    image, planes, small = tensor(t, "batch", 2, 6, 5), tensor(t, "batch", 4, 5, 4), tensor(t, "batch", 4, 2, 2)
    w, bias, narrow, one = tensor(t, 4, 1, 2, 2), tensor(t, 4, 1, 1), tensor(other, 4, 1, 1), tensor(t)
    flat, v, y = tensor(t, "batch", 16), tensor(t, 16, 2), tensor(t, "batch", 2)
    cast = f"%n = nn.cast %narrow to {t} : {narrow}" if other != t else f"%n = nn.abs %narrow : {narrow}"
    return f"""train.program @images_{t} {{
  train.dim open @batch = {BATCH}
  train.state parameter @narrow : {narrow} = dense<0.75>
  train.state parameter @w : {w} = dense<{numbers(draw, 4, 1, 2, 2)}>
  train.state parameter @bias : {bias} = dense<0.125>
  train.state parameter @v : {v} = dense<{numbers(draw, 16, 2)}>
  train.state parameter @alone : {one} = dense<0.5>
  train.input @x : {image}
  train.output prediction @y : {y}
  train.function forward @forward {{
    %x = train.read @x : {image}
    %w = train.read @w : {w}
    %bias = train.read @bias : {bias}
    %narrow = train.read @narrow : {narrow}
    %v = train.read @v : {v}
    %alone = train.read @alone : {one}
    %0 = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 2 : {image}, {w}
    {cast}
    %1 = nn.mul %0, %n : {planes}, {bias}
    %2 = nn.add %1, %bias : {planes}, {bias}
    %3 = nn.gelu %2 : {planes}
    %4, %positions = nn.max_pool %3 kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : {planes}
    %5 = nn.reshape %4 : {small} -> {flat}
    %6 = nn.matmul %5, %v : {flat}, {v}
    %7 = nn.add %6, %alone : {y}, {one}
    train.write %7, @y : {y}
  }}
}}
"""


def address(values):
    return c_void_p(values.buffer_info()[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def close(what, found, expected, tolerance):
    most = max(map(abs, expected)) + 1e-3
    worst = max(abs(a - b) for a, b in zip(found, expected))
    if len(found) != len(expected) or not worst <= tolerance * most:
        fail(f"{what}: differs by {worst} where the largest is {most}")
    return worst / most


class Case:
    """A batch for a model, and what the model says of it."""

    def __init__(self, model, kind, code, sizes, seed=3):
        self.model, self.code, self.sizes = model, code, [c_int64(size) for size in sizes]
        self.narrow = NARROW if kind == "images" else 0
        draw = random.Random(seed)
        rows = sizes[0]
        several = lambda count, of=code: array.array(of, (draw.gauss(0, 1) for _ in range(count)))
        if kind == "sequences":
            labels = array.array("q", (draw.randrange(CLASSES) for _ in range(rows)))
            if rows > 1:
                labels[1] = -100  # which has no part in the mean
            places = rows * sizes[1]
            self.data = [several(places * FEATURES), array.array("q", (draw.randrange(3) for _ in range(places))), labels]
        else:
            self.data = [several(rows * 60), several(rows * 2)]
        count = model.library.library[f"{model.library.name}_parameters_count"]
        count.restype = c_int64
        self.count = count(model.handle, c_int32(1))

    def check(self, status, what):
        if status:
            fail(f"{what}: {self.model.error()}")

    def vector(self, seed):
        draw = random.Random(seed)
        return array.array(self.code, (draw.randrange(-512, 513) / 256 for _ in range(self.count)))

    def arrays(self):
        return list(map(address, self.data))

    def hvp(self, vector):
        product = array.array(self.code, [7.5] * self.count)
        self.check(self.model.call("hvp", *self.sizes, *self.arrays(), address(vector), address(product)), "hvp")
        return product

    def weights(self, values=None):
        function = "parameters_write_all" if values else "parameters_read_all"
        values = values or array.array(self.code, bytes(array.array(self.code).itemsize * self.count))
        self.check(self.model.call(function, address(values), c_int64(self.count), c_int32(1)), function)
        return values

    def gradients(self, weights):
        """With what dropout draws next after set_seed."""
        self.weights(weights)
        self.check(self.model.call("set_seed", c_uint64(42)), "set_seed")
        loss = c_float()
        self.check(self.model.call("grad_step_n", *self.sizes, *self.arrays(), byref(loss)), "grad_step_n")
        result = array.array(self.code, bytes(array.array(self.code).itemsize * self.count))
        self.check(self.model.call("gradients_read_all", address(result), c_int64(self.count)), "gradients_read_all")
        return result


def moved(values, direction, step):
    return array.array(values.typecode, (a + step * b for a, b in zip(values, direction)))


def check_differences(case):
    """Fourth order; no window of the pool changes its maximum, and the mask of dropout stays. A step is one in float32, too,
    but the gradients of the first parameters are rounded there."""
    h, worst, center = 2.0**-14, 0.0, case.weights()
    vectors = [case.vector(seed) for seed in (1, 2)] + [array.array(case.code, [1] + [0] * (case.count - 1))]
    case.model.call("set_seed", c_uint64(42))
    before, products = case.model.state(), [case.hvp(vector) for vector in vectors]
    any_size.equal("the state after hvp", case.model.state(), before)
    for vector, product in zip(vectors, products):
        at = [case.gradients(moved(center, vector, step * h)) for step in (-2, -1, 1, 2)]
        slopes = [(8 * (c - b) - (d - a)) / (12 * h) for a, b, c, d in zip(*at)]
        worst = max(worst, close("hvp", product[case.narrow:], slopes[case.narrow:], 1e-7))
        if case.narrow:
            close("hvp by float32", product[:case.narrow], slopes[:case.narrow], 1e-3)
    case.weights(center)
    one, other = dot(products[0], vectors[1]), dot(products[1], vectors[0])
    if abs(one - other) > (1e-6 if case.narrow else 1e-11) * (abs(one) + 1):
        fail(f"the products are not of a symmetric matrix: {one} and {other}")
    print(f"ok   {[size.value for size in case.sizes]}: differences from slopes up to {worst:.1e}, "
          f"asymmetry {abs(one - other):.1e}")


def check_gradients_stay(case):
    """The gradients that grad_step keeps are those of before."""
    kept = case.gradients(case.weights())
    case.hvp(case.vector(5))
    again = array.array(case.code, kept)
    case.check(case.model.call("gradients_read_all", address(again), c_int64(case.count)), "gradients_read_all")
    if again != kept:
        fail("hvp has changed the gradients that the model keeps")


def check_single(single, double, kind, sizes):
    narrow, wide = Case(single, kind, "f", sizes), Case(double, kind, "d", sizes)
    wide.data = [array.array("d", values) if values.typecode == "f" else values for values in narrow.data]
    vector = narrow.vector(4)
    for each in (single, double):
        each.call("set_seed", c_uint64(9))
    worst = close("hvp in float32", narrow.hvp(vector), wide.hvp(array.array("d", vector)), 5e-5)
    print(f"ok   {kind} {sizes}: float32 is as float64, to {worst:.1e}")


def check_scaled(plain):
    """The scale of the loss has no part in the product."""
    scaled = Library("scaled", "images_f64.mlir", ["--loss=mse", "--function=hvp", "--loss-scale=8"]).create()
    one, other = (Case(model, "images", "d", (3,)) for model in (plain, scaled))
    vector = one.vector(6)
    close("hvp with a scale of the loss", other.hvp(vector), one.hvp(vector), 1e-13)
    print("ok   the product with a scale of the loss is the one without")


def check_refusals(model):
    case = Case(model, "sequences", "d", (2, 2))
    vector, product = case.vector(1), case.vector(2)

    def refused(sizes, arrays, status, sentence):
        found = model.call("hvp", *map(c_int64, sizes), *arrays)
        if found != status or sentence not in model.error():
            fail(f"expected '{sentence}', got {found}: {model.error()}")

    whole = [*case.arrays(), address(vector), address(product)]
    refused((6, 2), whole, DLC_INVALID_ARGUMENT, "6 rows, expected 1 to 5")
    refused((2, 2), [*whole[:3], None, whole[4]], DLC_INVALID_ARGUMENT, "input 'vector' is NULL")
    refused((2, 2), [*whole[:2], None, *whole[3:]], DLC_INVALID_ARGUMENT, "input 'labels' is NULL")
    refused((2, 2), [*whole[:4], None], DLC_INVALID_ARGUMENT, "output 'product' is NULL")
    refused((2, 2), [*whole[:4], whole[3]], DLC_INVALID_ARGUMENT, "overlaps that of input 'vector'")
    case.data[2][0] = CLASSES
    refused((2, 2), whole, INDEX_OUT_OF_RANGE, "labels")
    print("ok   wrong sizes, missing and overlapping memory and wrong labels are refused")


MODELS = {
    "sequences": (sequences, ["--loss=softmax-cross-entropy", "--label-smoothing=0.125", "--freeze=fixed", "--class-weights=class-weights.txt"],
                  ((BATCH, SEQ), (3, 2), (2, 1))),
    "images": (images, ["--loss=mse"], ((BATCH,), (3,), (1,))),
}


def main():
    any_size.DLC, machine = sys.argv[1:]
    with open("class-weights.txt", "w", encoding="utf-8") as file:
        file.write("1\n2\n0.5\n")
    for kind, (program, options, all_sizes) in MODELS.items():
        models = {}
        for t, code in CODES.items():
            with open(f"{kind}_{t}.mlir", "w", encoding="utf-8") as file:
                file.write(program(t))
            extra = MACHINES[machine] if t == "f32" else []
            library = Library(f"{kind}_{t}", f"{kind}_{t}.mlir", [*options, "--function=hvp", *extra])
            models[t] = library.create(threads=2 if t == "f64" else 1)
        for sizes in all_sizes:
            if machine == "cpu":
                check_differences(Case(models["f64"], kind, "d", sizes))
            check_single(models["f32"], models["f64"], kind, sizes)
        if machine == "cpu":
            check_gradients_stay(Case(models["f64"], kind, "d", all_sizes[1]))
            derived = library.manifest()["derivatives"]
            if [(each["name"], [t["c_name"] for t in each["takes"]], [t["c_name"] for t in each["gives"]]) for each in derived] != [
                    ("hvp", ["vector"], ["product"])] or "of" in derived[0]["takes"][0]:
                fail(f"the manifest: {derived}")
        if (machine, kind) == ("cpu", "sequences"):
            check_refusals(models["f64"])
        if (machine, kind) == ("cpu", "images"):
            check_scaled(models["f64"])


main()
