#!/usr/bin/env python3
"""What dlc gives CUDA sources instead of a toolkit: each function of docs/custom-ops.md beside Python's, of float and double.

usage: cuda_maths.py DLC PAGE

The stand-in for NVIDIA's driver runs the kernel. What the page does not list is not looked at; what it lists must be there.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import math
import pathlib
import re
import sys
from ctypes import c_int64, c_void_p

import any_size
from any_size import Library, fail

NUMBERS = [-2.5, -1.0, -0.5, -0.0, 0.0, 1e-3, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 3.5, 11.0]
KNOWN = {"rint": lambda x: float(round(x)), "fmin": min, "fmax": max, "rsqrtf": lambda x: 1 / math.sqrt(x),
         "trunc": lambda x: math.copysign(math.trunc(x), x), "floor": lambda x: float(math.floor(x)),
         "ceil": lambda x: float(math.ceil(x)), "min": min, "max": max, "fma": lambda x, y, z: x * y + z}
OPERANDS = {"pow": 2, "copysign": 2, "fmin": 2, "fmax": 2, "min": 2, "max": 2, "fma": 3}


def listed(page):
    row = next(line for line in pathlib.Path(page).read_text().splitlines() if line.startswith("| mathematics"))
    return [name for name in re.findall(r"`(\w+)`", row.split("|")[2])]


def expected(name, x):
    operands = (x, 1.75, -0.5)[:OPERANDS.get(name, 1)]
    try:
        return KNOWN.get(name, getattr(math, name, None))(*operands)
    except ValueError:  # of what no number comes out, or an infinite one
        return -math.inf if (name, x) in (("log", 0), ("log1p", -1)) else math.nan
    except ZeroDivisionError:
        return math.copysign(math.inf, x)


def calls(name):
    """The calls of a function: of double, of float by both of C's names."""
    rest = ", T(1.75), T(-0.5)".split(", ")[1:OPERANDS.get(name, 1)]
    arguments = ", ".join(["x[i]", *rest])
    if name == "rsqrtf":
        return [("float", "rsqrtf(x[i])")]
    made = [("double", f"{name}({arguments})".replace("T(", "double(")), ("float", f"{name}({arguments})".replace("T(", "float("))]
    if name not in ("min", "max"):
        made.append(("float", f"{name}f({arguments})".replace("T(", "float(")))
    return made


def program(name, kind, count):
    mlir = {"float": "f32", "double": "f64"}[kind]
    row, all_ = f"tensor<{len(NUMBERS)}x{mlir}>", f"tensor<{count}x{len(NUMBERS)}x{mlir}>"
    return f"""train.program @{name} {{
  train.custom_function @maths [#train.custom_tensor<"x" : {mlir}["n"]>]
      -> [#train.custom_tensor<"y" : {mlir}["{count}", "n"]>]
      cuda <"maths" in "{name}.cu", block = 4, threads["n"]>
  train.input @x : {row}
  train.output prediction @y : {all_}
  train.function forward @forward {{
    %x = train.read @x : {row}
    %y = train.custom @maths(%x) : ({row}) -> {all_}
    train.write %y, @y : {all_}
  }}
}}
"""


def check(kind, functions):
    name, code, numbers = f"maths_{kind}", {"float": "f", "double": "d"}[kind], len(NUMBERS)
    lines = "".join(f"  y[{j} * n + i] = {call};\n" for j, (_, call) in enumerate(functions))
    pathlib.Path(f"{name}.cu").write_text(
        f"__global__ void maths(const {kind} *x, {kind} *y, int64_t n) {{\n"
        f"  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n)\n    return;\n{lines}}}\n")
    pathlib.Path(f"{name}.mlir").write_text(program(name, kind, len(functions)))
    model = Library(name, f"{name}.mlir", ["--target=nvptx", "--gpu-code=simt"]).create()
    x, y = array.array(code, NUMBERS), array.array(code, bytes(len(functions) * numbers * {"f": 4, "d": 8}[code]))
    if model.call("predict", c_int64(1), c_void_p(x.buffer_info()[0]), c_void_p(y.buffer_info()[0])):
        fail(model.error())
    close = {"float": 1e-6, "double": 1e-14}[kind]
    for j, (function, call) in enumerate(functions):
        for i, number in enumerate(x):
            found, wanted = y[j * numbers + i], expected(function, number)
            same = math.isclose(found, wanted, rel_tol=close, abs_tol=close)
            if not same and not (math.isnan(found) and math.isnan(wanted)):
                fail(f"{call} of {kind} {number} is {found}, expected {wanted}")
    print(f"{kind}: {len(functions)} functions of {numbers} numbers")


def main():
    any_size.DLC, page = sys.argv[1:]
    names = listed(page)
    if len(names) < 20:
        fail(f"{page} lists {names}")
    for kind in "double", "float":
        check(kind, [(name, call) for name in names for of, call in calls(name) if of == kind])


if __name__ == "__main__":
    main()
