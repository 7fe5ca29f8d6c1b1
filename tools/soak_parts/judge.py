# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what compiled models predict with what ONNX Runtime does. A program of its own, as both may crash:

    python judge.py TESTS        TESTS: the folder with compiled.py

Each line of standard input is {"model": FILE, "library": FOLDER, "seed": N, "lowest": X} (of random
inputs); each answer is a line of JSON with
"verdict": equal, different, refused (by ONNX Runtime), random (other numbers at each run), other-interface,
too-large, failed, crashed; before it come lines {"phase": ...}, so that a crash has a name.
"""
import json
import math
import os
import signal
import sys

import numpy
import onnxruntime

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from compiled import Model  # noqa: E402

onnxruntime.set_default_logger_severity(4)
MOST = 1 << 18  # numbers of all inputs and outputs: one input of the soak is not worth more time
SECONDS = 20
INTEGERS = {"i64": "int64", "i32": "int32", "bool": "bool"}


def say(**answer):
    print(json.dumps(answer), flush=True)


def values_for(model, random, lowest):
    """An array for each input; None where bags would have to be empty."""
    declared = model.declared("inputs", False)
    indices = next((math.prod(model.shape(tensor)) for tensor in declared
                    if tensor["dtype"] in INTEGERS and tensor["name"] != "offsets"), 0)
    values = []
    for tensor in declared:
        shape, dtype = model.shape(tensor), tensor["dtype"]
        if dtype in INTEGERS:
            # Without a range an int32 is a recurrent layer's length: of 0, ONNX Runtime gives 0, dlc the initial state.
            low, limit = tensor.get("range") or ([1, 2] if dtype == "i32" else [0, 2])
            count = max(limit - low, 1)
            integers = low + random.integers(0, count, shape)
            # Where bags begin increases: PyTorch, and so dlc, take empty and other bags otherwise than the file.
            if tensor["name"] == "offsets" and len(shape) == 1:
                if shape[0] > indices:
                    return None
                integers = numpy.sort(random.permutation(indices)[:shape[0]])
            values.append(integers.astype(INTEGERS[dtype]))
        else:
            values.append(random.uniform(lowest, 1, shape).astype("float32" if dtype == "f32" else "float64"))
    return values


def moved(values):
    """The next numbers but some: how much do the outputs change where the inputs hardly do?"""
    return [value * value.dtype.type(1 + 2e-6) if value.dtype.kind == "f" else value for value in values]


def difference(found, wanted, near):
    """Of one output: a sentence, or None. Where `near`, at inputs close by, is far away, more is allowed."""
    found = numpy.array(found).reshape(wanted.shape)
    if not wanted.size:
        return None
    if wanted.dtype.kind != "f":
        if numpy.array_equal(found.astype(wanted.dtype), wanted) or not numpy.array_equal(wanted, near):
            return None
        return f"{numpy.sum(found != wanted)} of {wanted.size} whole numbers"
    found, wanted, near = (each.astype("float64") for each in (found, wanted, near))
    with numpy.errstate(all="ignore"):
        finite = numpy.isfinite(wanted) & numpy.isfinite(near) & (numpy.abs(wanted) < 1e30)
        if numpy.any(finite & ~numpy.isfinite(found)):
            return "a number that is finite in ONNX Runtime is not"
        nan = numpy.isnan(wanted) & numpy.isnan(near)
        if numpy.any(nan & numpy.isfinite(found)):
            return "a number that is NaN in ONNX Runtime is finite"
        size = numpy.abs(wanted[finite]).max(initial=1e-3)
        allowed = 2e-4 * size + 50 * numpy.abs(wanted - near)
        error = numpy.where(finite, numpy.abs(found - wanted), 0)
        worst = numpy.unravel_index(numpy.argmax(error - numpy.where(finite, allowed, 0)), wanted.shape)
    if error[worst] > allowed[worst]:
        return f"at {list(map(int, worst))}: {found[worst]} instead of {wanted[worst]}"
    return None


def judge(task):
    say(phase="ONNX Runtime reads")
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # What it fuses is not always what the file says: a difference is subtracted the other way round, a product
        # with weights that are dequantized is computed in integers.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        session = onnxruntime.InferenceSession(task["model"], options, providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever it raises
        return say(verdict="refused", text=str(error)[:300])
    say(phase="the compiled model is created")
    with Model(task["library"]) as model:
        names = [value.name for value in session.get_inputs()]
        random = numpy.random.default_rng(task["seed"])
        if len(names) != len(declared := model.declared("inputs", False)):
            return say(verdict="other-interface", text=f"{len(declared)} inputs, ONNX Runtime has {len(names)}")
        if sum(math.prod(model.shape(tensor)) for tensor in declared) > MOST:
            return say(verdict="too-large", text="")
        values = values_for(model, random, task["lowest"])
        if values is None:
            return say(verdict="other-interface", text="more bags than values")
        say(phase="ONNX Runtime predicts")
        try:
            wanted = session.run(None, dict(zip(names, values)))
            again = session.run(None, dict(zip(names, values)))
            near = session.run(None, dict(zip(names, moved(values))))
        except Exception as error:
            return say(verdict="refused", text=str(error)[:300])
        if not all(isinstance(each, numpy.ndarray) for each in wanted):
            return say(verdict="refused", text="an output is no tensor")
        if not all(numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f") for one, other in zip(wanted, again)):
            return say(verdict="random", text="")
        say(phase="the compiled model predicts")
        outputs = model.declared("outputs", "prediction")
        found = model.predict([value.ravel().tolist() for value in values])
    if len(found) != len(wanted):
        return say(verdict="other-interface", text=f"{len(found)} outputs, ONNX Runtime has {len(wanted)}")
    for output, one, other, close in zip(outputs, found, wanted, near):
        if len(one) != other.size or other.shape != close.shape:
            return say(verdict="different", text=f"'{output['name']}' has {output['shape']}, {list(other.shape)} wanted")
        if text := difference(one, other, close):
            return say(verdict="different", text=f"'{output['name']}': {text}")
    return say(verdict="equal", text="")


def main():
    """Each task in a process of its own: libraries of one name are loaded once only, and both sides may crash."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            try:
                judge(json.loads(line))
            except Exception as error:  # whatever it is: a child that ends by itself waits for threads it has not
                say(verdict="failed", text=f"{type(error).__name__}: {error}"[:500])
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            say(verdict="too-large", text=f"not compared within {SECONDS} s")
        elif status != 0:
            say(verdict="crashed", text=f"exit status {os.waitstatus_to_exitcode(status)}")


main()
