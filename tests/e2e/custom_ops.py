#!/usr/bin/env python3
"""Trains a model with operations of a user's beside the same model of dlc's own operations.

usage: custom_ops.py DLC {cpu,gpu}

What the functions compute and give as gradients must be what dlc's operations do, to rounding: on images whose channels lie
otherwise around them, on parts of tensors, on single numbers, of several types, with attributes, with inputs that no
gradient flows to, at every batch size up to the largest. With one thread and with several they must give the same bits.
With gpu, the functions are CUDA kernels, which the stand-in for NVIDIA's driver runs.

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import math
import pathlib
import random
import sys
from ctypes import byref, c_int64, c_void_p

import any_size
from any_size import Library, equal, fail

BATCH, STEPS = 7, 3
SOURCE = pathlib.Path(__file__).resolve().parent / "custom_ops.c"
MACHINES = {"cpu": [], "gpu": ["--target=nvptx", "--gpu-code=simt"]}


def tensor(name, element, *shape, constant=False):
    dims = ", ".join(f'"{dim}"' for dim in shape)
    return f'#train.custom_tensor<"{name}" : {element}{f"[{dims}]" if dims else ""}{", constant = true" if constant else ""}>'


def function(name, inputs, outputs, more, cuda):
    return (f'  train.custom_function @{name} is "{name}" in "{SOURCE}" [{", ".join(inputs)}] -> [{", ".join(outputs)}] '
            f'{more} cuda <"{name}" in "{SOURCE}u", {cuda}>\n')


IMAGE = ("n", "c", "h", "w")
SETTINGS = 'settings [#train.custom_setting<"scale" : f64 = 1.0 : f64>, #train.custom_setting<"bend" : i64>]'
X, BETA = tensor("x", "f32", *IMAGE), tensor("beta", "f32", "c")
ROWS, INDEX = tensor("x", "f32", "n...", "k"), tensor("index", "i64", "n...")
COUNTS = tensor("counts", "i1", "n...")
DECLARATIONS = (
    function("wave", [X, BETA], [tensor("y", "f32", *IMAGE)], SETTINGS + ' rows "n" gradient @wave_grad',
             'block = 64, threads["n", "c", "h", "w"]')
    + function("wave_grad", [X, BETA, tensor("grad_y", "f32", *IMAGE)],
               [tensor("grad_x", "f32", *IMAGE), tensor("grad_beta", "f32", "c")], SETTINGS,
               'block = 32, blocks["c"]')
    + function("bow", [tensor("x", "f32", "n...")], [tensor("y", "f32", "n...")],
               'inplace [0, 0] rows "n" gradient @bow_grad', 'block = 50, threads["n"]')
    + function("bow_grad", [tensor("x", "f32", "n..."), tensor("grad_y", "f32", "n...")],
               [tensor("grad_x", "f32", "n...")], 'inplace [1, 0] rows "n"', 'block = 32, threads["1", "n"]')
    + function("pick", [ROWS, INDEX, COUNTS], [tensor("picked", "f32", "n..."), tensor("total", "f64", "n...")],
               'rows "n" gradient @pick_grad', 'block = 2, blocks["n"]')
    + function("pick_grad", [ROWS, INDEX, COUNTS, tensor("grad_picked", "f32", "n..."),
                             tensor("grad_total", "f64", "n...")], [tensor("grad_x", "f32", "n...", "k")], 'rows "n"',
               'block = 256, threads["n", "k"]'))


def type_of(*shape, element="f32"):
    dims = ", ".join(["batch"] + ["_"] * len(shape))
    return f'tensor<?x{"".join(f"{dim}x" for dim in shape)}{element}, #nn.dims<{dims}>>'


IMAGES = type_of(4, 6, 5)
CUSTOM = {
    "wave": f"    %a = train.custom @wave(%c, %beta) numbers [2.0 : f64, 1] : ({IMAGES}, tensor<4xf32>) -> {IMAGES}\n",
    "bow": f"    %p = train.custom @bow(%part) : ({type_of(2, 6, 5)}) -> {type_of(2, 6, 5)}\n",
    "number": "    %t = train.custom @bow(%s) : (tensor<f32>) -> tensor<f32>\n",
    "pick": f"    %picked, %total = train.custom @pick(%scores, %index, %counts) : ({type_of(3)}, "
            "tensor<?xi64, #nn.dims<batch>>, tensor<?xi1, #nn.dims<batch>>) -> "
            f"({type_of()}, {type_of(element='f64')})\n",
}


def bow(result, x, kind):
    return f"""    %{result}half = nn.constant dense<0.5> : tensor<f32>
    %{result}0 = nn.mul %{x}, %{result}half : {kind}, tensor<f32>
    %{result}1 = nn.mul %{x}, %{x} : {kind}, {kind}
    %{result} = nn.add %{result}0, %{result}1 : {kind}, {kind}
"""


KNOWN = {
    "wave": f"""    %two = nn.constant dense<2.0> : tensor<f32>
    %rows = nn.constant dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>
    %b = nn.reshape %beta : tensor<4xf32> -> tensor<4x1x1xf32>
    %a0 = nn.mul %c, %b : {IMAGES}, tensor<4x1x1xf32>
    %a1 = nn.sigmoid %a0 : {IMAGES}
    %a2 = nn.mul %c, %a1 : {IMAGES}, {IMAGES}
    %a3 = nn.mul %a2, %two : {IMAGES}, tensor<f32>
    %a4 = nn.mul %c, %rows : {IMAGES}, tensor<6x1xf32>
    %a = nn.add %a3, %a4 : {IMAGES}, {IMAGES}
""",
    "bow": bow("p", "part", type_of(2, 6, 5)),
    "number": bow("t", "s", "tensor<f32>"),
    "pick": f"""    %none = nn.constant dense<0.0> : tensor<f32>
    %column = nn.reshape %index : tensor<?xi64, #nn.dims<batch>> -> tensor<?x1xi64, #nn.dims<batch, _>>
    %places = nn.iota axis 0 : tensor<3xi64>
    %here = nn.compare eq %column, %places : tensor<?x1xi64, #nn.dims<batch, _>>, tensor<3xi64>
    %chosen = nn.select %here, %scores, %none : tensor<?x3xi1, #nn.dims<batch, _>>, {type_of(3)}, tensor<f32>
    %all = nn.sum %chosen axes [1] : {type_of(3)}
    %picked = nn.select %counts, %all, %none : tensor<?xi1, #nn.dims<batch>>, {type_of()}, tensor<f32>
    %double = nn.cast %scores to f64 : {type_of(3)}
    %total = nn.sum %double axes [1] : {type_of(3, element="f64")}
""",
}


def program(parts, declarations=""):
    draw = random.Random(3)

    def parameter(name, *shape):
        count = math.prod(shape)
        values = array.array("f", (draw.uniform(-0.2, 0.2) for _ in range(count))).tobytes()
        kind = f'tensor<{"".join(f"{dim}x" for dim in shape)}f32>'
        return f'  train.state parameter @{name} : {kind} = dense<"0x{values.hex().upper()}">\n'

    states = (parameter("w1", 4, 2, 3, 3) + parameter("beta", 4) + parameter("w2", 3, 4, 3, 3)
              + parameter("fc", 120, 3) + "  train.state parameter @s : tensor<f32> = dense<0.7>\n")
    conv = "strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1"
    return f"""train.program @custom {{
  train.dim open @batch = {BATCH}
{declarations}  train.input @image : {type_of(2, 6, 5)}
  train.input @index range [0, 3) : tensor<?xi64, #nn.dims<batch>>
{states}  train.output prediction @y : tensor<?xf32, #nn.dims<batch>>
  train.function forward @forward {{
    %x = train.read @image : {type_of(2, 6, 5)}
    %index = train.read @index : tensor<?xi64, #nn.dims<batch>>
    %w1 = train.read @w1 : tensor<4x2x3x3xf32>
    %beta = train.read @beta : tensor<4xf32>
    %w2 = train.read @w2 : tensor<3x4x3x3xf32>
    %fc = train.read @fc : tensor<120x3xf32>
    %s = train.read @s : tensor<f32>
    %c = nn.conv %x, %w1 {conv} : {type_of(2, 6, 5)}, tensor<4x2x3x3xf32>
{parts["wave"]}    %d = nn.conv %a, %w2 {conv} : {IMAGES}, tensor<3x4x3x3xf32>
    %part = nn.slice %d starts [0, 1, 0, 0] limits [-1, 3, 6, 5] steps [1, 1, 1, 1] : {type_of(3, 6, 5)}
{parts["bow"]}    %first = nn.slice %a starts [0, 0, 0, 0] limits [-1, 2, 6, 5] steps [1, 1, 1, 1] : {IMAGES}
    %joined = nn.concat %p, %first axis 1 : {type_of(2, 6, 5)}, {type_of(2, 6, 5)}
    %flat = nn.reshape %joined : {IMAGES} -> {type_of(120)}
    %scores = nn.matmul %flat, %fc : {type_of(120)}, tensor<120x3xf32>
    %one = nn.constant dense<1> : tensor<i64>
    %counts = nn.compare le %index, %one : tensor<?xi64, #nn.dims<batch>>, tensor<i64>
{parts["pick"]}{parts["number"]}    %single = nn.cast %total to f32 : {type_of(element="f64")}
    %product = nn.mul %picked, %t : {type_of()}, tensor<f32>
    %y = nn.add %product, %single : {type_of()}, {type_of()}
    train.write %y, @y : tensor<?xf32, #nn.dims<batch>>
  }}
}}
"""


def data(rows, step):
    draw = random.Random(100 * step + rows)
    arrays = [array.array("f", (draw.gauss(0, 1) for _ in range(rows * 60))),
              array.array("q", (draw.randrange(3) for _ in range(rows))),
              array.array("f", (draw.gauss(0, 1) for _ in range(rows)))]
    return arrays, [c_void_p(values.buffer_info()[0]) for values in arrays]


def train(library, rows, threads, fixed=False):
    """The losses, the predictions afterwards, and the state. `fixed`: by the function that takes full batches only."""
    model, losses = library.create(threads), []
    for step in range(STEPS):
        keep, given = data(rows, step)
        losses.append(model.step("train_step" if fixed else "train_step_n", [] if fixed else [rows], given))
    keep, given = data(rows, STEPS)
    y = array.array("f", bytes(4 * rows))
    if model.call("predict", c_int64(rows), *given[:2], c_void_p(y.buffer_info()[0])):
        fail(model.error())
    losses.append(model.step("grad_step_n", [rows], given))
    state = model.state()
    model.destroy()
    return losses, list(y), state


def main():
    any_size.DLC, machine = sys.argv[1:]
    libraries = {}
    for name, parts, declarations, options in ("custom", CUSTOM, DECLARATIONS, MACHINES[machine]), ("known", KNOWN, "", []):
        pathlib.Path(f"{name}.mlir").write_text(program(parts, declarations))
        libraries[name] = Library(name, f"{name}.mlir", ["--loss=mse", "--optimizer=adam", "--lr=0.01", *options])
    for rows in range(1, BATCH + 1):
        losses, y, state = train(libraries["custom"], rows, 1)
        if train(libraries["custom"], rows, 3)[:2] != (losses, y):
            fail(f"{rows} rows: other bits with three threads")
        if rows == BATCH and train(libraries["custom"], rows, 1, fixed=True)[:2] != (losses, y):
            fail("train_step has other bits than train_step_n")
        expected, values, known = train(libraries["known"], rows, 1)
        if not all(math.isclose(*pair, rel_tol=1e-4, abs_tol=1e-5) for pair in zip(losses + y, expected + values)):
            fail(f"{rows} rows: {losses + y}, expected {expected + values}")
        equal(f"{rows} rows", state, known, close=True)
        print(f"{rows} rows: losses {losses}")


if __name__ == "__main__":
    main()
