# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loop and Scan. Expected outputs come from loops of Python's own."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from cases import floats, one, write

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def body(nodes, inputs, outputs, constants=()):
    """`inputs` and `outputs` are (name, type, shape)."""
    return helper.make_graph(nodes, "body", [helper.make_tensor_value_info(*each) for each in inputs],
                             [helper.make_tensor_value_info(*each) for each in outputs],
                             [numpy_helper.from_array(value, key) for key, value in constants])


def number(value):
    return np.array(value, np.int64)


def loop_body(nodes, shape, results=(), constants=()):
    """Of a value `h` that becomes `next`, with the condition `more`."""
    return body(nodes, [("i", INT64, []), ("on", BOOL, []), ("h", FLOAT, shape)],
                [("more", BOOL, []), ("next", FLOAT, shape), *results], constants)


def recurrence():
    """A matrix of the body's own is one for all times, and each state is a result."""
    x, w = floats(2, 3), floats(3, 3, low=-1, high=1)
    nodes = [helper.make_node("MatMul", ["h", "w"], ["product"], name="product"),
             helper.make_node("Add", ["product", "x"], ["next"], name="sum"),
             helper.make_node("Identity", ["next"], ["state"]), helper.make_node("Identity", ["on"], ["more"])]
    states, h = [], x
    for _ in range(3):
        h = h @ w + x
        states.append(h)
    loop = helper.make_node("Loop", ["times", "", "x"], ["y", "states"], name="loop",
                            body=loop_body(nodes, [2, 3], [("state", FLOAT, [2, 3])], [("w", w)]))
    write("loop_13_recurrence", 13, [loop], {"x": x}, {"y": h, "states": np.stack(states)}, {"times": number(3)})
    never = helper.make_node("Loop", ["times", "", "x"], ["y"], name="loop",
                             body=loop_body(nodes, [2, 3], [], [("w", w)]))
    write("loop_11_never", 11, [never], {"x": x}, {"y": x}, {"times": number(0)})


def while_known():
    """The condition follows from the number of the iteration, which counts from 0; there is no other limit."""
    x = floats(4)
    nodes = [helper.make_node("Cast", ["i"], ["i_float"], to=FLOAT),
             helper.make_node("Add", ["h", "i_float"], ["next"], name="sum"),
             helper.make_node("Less", ["i", "last"], ["more"], name="less")]
    write("loop_1_while_known", 9, [helper.make_node("Loop", ["", "yes", "x"], ["y"], name="loop",
                                                     body=loop_body(nodes, [4], [], [("last", number(4))]))],
          {"x": x}, {"y": x + np.float32(0 + 1 + 2 + 3 + 4)}, {"yes": np.array(True)})


def while_computed():
    """The condition depends on the data: the value stays once it is false, also where it would be true again."""
    for name, start in (("ends", [1.0, 0.5]), ("limit", [0.125, 0.0]), ("never", [9.0, 9.0])):
        x = np.array(start, np.float32)
        nodes = [helper.make_node("Mul", ["h", "two"], ["next"], name="double"),
                 helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
                 helper.make_node("Less", ["sum", "most"], ["more"], name="less")]
        loop = helper.make_node(
            "Loop", ["times", "start", "x"], ["y"], name="loop",
            body=loop_body(nodes, [2], [], [("two", np.array(2, np.float32)), ("most", np.array(8, np.float32))]))
        first = helper.make_node("Less", ["total", "limit"], ["start"])
        y, times = x, 0
        runs = y.sum() < 8
        while runs and times < 5:
            y, times = y * 2, times + 1
            runs = y.sum() < 8
        write(f"loop_16_computed_{name}", 16, [helper.make_node("ReduceSum", ["x"], ["total"], keepdims=0), first, loop],
              {"x": x}, {"y": y}, {"times": number(5), "limit": np.array(8, np.float32)})


def count_given():
    """The number of times is an input, or the condition alone ends the loop: --max-trips=6, with which the cases are
    compiled, says how often it is at most. Where that is too few, the result is no number."""
    x = floats(2, 3, low=0.25)
    nodes = [helper.make_node("Sqrt", ["h"], ["root"]), helper.make_node("Add", ["root", "x"], ["next"], name="sum"),
             helper.make_node("Identity", ["on"], ["more"])]
    for times in (-1, 0, 3, 6, 7):
        y = x
        for _ in range(times):
            y = np.sqrt(y) + x
        write(f"loop_16_count_{times}".replace("-", "minus_"), 16,
              [helper.make_node("Loop", ["times", "", "x"], ["y"], name="loop", body=loop_body(nodes, [2, 3]))],
              {"x": x, "times": number(times)}, {"y": y if times < 7 else np.full_like(y, np.nan)})
    double = [helper.make_node("Mul", ["h", "two"], ["next"], name="double"),
              helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
              helper.make_node("Less", ["sum", "most"], ["more"], name="less")]
    for name, start in (("ends", 0.5), ("is_cut", 0.001)):
        x = np.full(2, start, np.float32)
        y = x
        while y.sum() < 8:
            y = y * 2
        loop = helper.make_node(
            "Loop", ["", "start", "x"], ["y"], name="loop",
            body=loop_body(double, [2], [], [("two", np.array(2, np.float32)), ("most", np.array(8, np.float32))]))
        write(f"loop_16_while_{name}", 16, [loop], {"x": x, "start": np.array(True)},
              {"y": y if name == "ends" else np.full_like(y, np.nan)})


def nested():
    """A loop in a loop, with an If that the numbers of both decide, and names that both bodies use."""
    x, w = floats(3), floats(3)

    def branch(op):
        return helper.make_graph([helper.make_node(op, ["h", "w"], ["t"], name=op)], op, [],
                                 [helper.make_tensor_value_info("t", FLOAT, [3])])

    inner = [helper.make_node("Equal", ["i", "outer"], ["same"]),
             helper.make_node("If", ["same"], ["next"], name="which", then_branch=branch("Add"), else_branch=branch("Sub")),
             helper.make_node("Identity", ["on"], ["more"])]
    outer = [helper.make_node("Identity", ["i"], ["outer"]),
             helper.make_node("Loop", ["two", "", "h"], ["t"], name="inner",
                              body=loop_body(inner, [3], [], [("w", w)])),
             helper.make_node("Neg", ["t"], ["next"]), helper.make_node("Identity", ["on"], ["more"])]
    y = x
    for i in range(3):
        for j in range(2):
            y = y + w if i == j else y - w
        y = -y
    write("loop_16_nested", 16, [helper.make_node("Loop", ["three", "", "x"], ["y"], name="outer",
                                                  body=loop_body(outer, [3]))],
          {"x": x}, {"y": y}, {"two": number(2), "three": number(3)})


def scan():
    """Two sequences along different axes, one backward; results along axis 1, backward."""
    h, a, b = floats(2), floats(2, 4), floats(4, 2)
    inner = body([helper.make_node("Add", ["h", "a"], ["sum"]), helper.make_node("Mul", ["sum", "b"], ["next"]),
                  helper.make_node("Identity", ["sum"], ["s"]), helper.make_node("Identity", ["next"], ["t"])],
                 [(name, FLOAT, [2]) for name in ("h", "a", "b")], [(name, FLOAT, [2]) for name in ("next", "s", "t")])
    state, sums, nexts = h, [], []
    for i in range(4):
        total = state + a[:, i]
        state = total * b[3 - i]
        sums.append(total)
        nexts.append(state)
    for opset in (9, 16):
        one(f"scan_{opset}_axes", opset, "Scan", [h, a, b], [state, np.stack(sums, 1), np.stack(nexts[::-1])],
            body=inner, num_scan_inputs=2, scan_input_axes=[-1, 0], scan_input_directions=[0, 1],
            scan_output_axes=[1, 0], scan_output_directions=[0, 1])


def make():
    recurrence()
    while_known()
    while_computed()
    nested()
    scan()
    count_given()
