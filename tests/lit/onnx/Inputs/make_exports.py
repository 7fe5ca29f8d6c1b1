#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models as PyTorch's exporters write them: for a batch of one, with dropouts, with the record of the module.

    python3 make_exports.py     # writes *.onnx beside itself
"""
import os

import numpy as np
import onnx
from onnx import helper, numpy_helper

from making import FLOAT, HERE, ONE_ROW, array, ints, node, save

# Dropout of whole channels, as PyTorch's exporter writes it.
save(
    "channel_dropout",
    [
        node("Shape", ["x"], ["batch"], "batch", start=0, end=1),
        node("Concat", ["batch", "rest"], ["shape"], "sizes", axis=0),
        node("ConstantOfShape", ["shape"], ["zeros"], "zeros"),
        node("CastLike", ["zeros", "x"], ["like"], "like"),
        node("RandomUniformLike", ["like"], ["drawn"], "draw", low=0.0, high=1.0),
        node("Less", ["drawn", "keep"], ["kept"], "keep"),
        node("CastLike", ["kept", "like"], ["ones"], "ones"),
        node("Div", ["ones", "keep"], ["mask"], "scale"),
        node("Mul", ["x", "mask"], ["y"], "drop"),
    ],
    [("x", FLOAT, ["N", 3, 4, 4])],
    ["y"],
    [ints("rest", [3, 1, 1]), numpy_helper.from_array(np.array(0.75, np.float32), "keep")],
    opset=18,
)
# A batch of one, with a token that all rows share, and shapes with a constant 1.
save(
    "one_row",
    [
        helper.make_node("Reshape", ["x", "to_tokens"], ["t"], name="split"),
        helper.make_node("Concat", ["token", "t"], ["all"], name="join", axis=1),
        helper.make_node("Reshape", ["all", "to_rows"], ["flat"], name="merge"),
        helper.make_node("MatMul", ["flat", "w"], ["h"], name="fc"),
        helper.make_node("Reshape", ["h", "back"], ["r"], name="back"),
        helper.make_node("ReduceMean", ["r"], ["y"], name="mean", keepdims=0, axes=[1]),
    ],
    ONE_ROW,
    ["y"],
    [array("token", [1, 1, 4]), array("w", [4, 5]), ints("to_tokens", [1, 3, 4]), ints("to_rows", [4, 4]),
     ints("back", [1, 4, 5])],
)
save(
    "one_row_mixed",
    [
        helper.make_node("ReduceMean", ["x"], ["m"], name="mean", keepdims=1, axes=[0]),
        helper.make_node("Sub", ["x", "m"], ["y"], name="center"),
    ],
    ONE_ROW,
    ["y"],
)
save(
    "one_row_dropped",
    [helper.make_node("Squeeze", ["x", "first"], ["s"], name="squeeze"),
     helper.make_node("Gemm", ["s", "w"], ["y"], name="fc")],
    ONE_ROW,
    ["y"],
    [array("w", [6, 3]), ints("first", [0])],
)
save(
    "one_row_recurrent",
    [helper.make_node("Transpose", ["x"], ["t"], name="turn", perm=[1, 0, 2]),
     helper.make_node("GRU", ["t", "w", "r", "", "", "h0"], ["", "y"], name="gru", hidden_size=2)],
    ONE_ROW,
    ["y"],
    [array("w", [1, 6, 6]), array("r", [1, 6, 2]), array("h0", [1, 1, 2])],
)


def save_as_pytorch(file, nodes, notes=(), metadata=(), inputs=ONE_ROW, names=("y",), initializers=()):
    """As its exporters do; `notes` are pairs for each node."""
    save(file, nodes, list(inputs), list(names), list(initializers))
    path = os.path.join(HERE, file + ".onnx")
    model = onnx.load(path)
    model.producer_name = "pytorch"
    for node, pairs in zip(model.graph.node, notes):
        for key, value in pairs:
            node.metadata_props.add(key=key, value=value)
    for key, value in metadata:
        model.graph.metadata_props.add(key=key, value=value)
    onnx.save(model, path)


SIGNATURE = "\n# inputs\np_w: PARAMETER target='w'\nx: USER_INPUT\n\n# outputs\ny: USER_OUTPUT\n"


def call(name, arguments):
    text = f"%{name} : [num_users=1] = call_function[target=torch.ops.aten.{name}.default](args = ({arguments},), kwargs = {{}})"
    return "pkg.torch.onnx.fx_node", text


PRODUCT, COPY, TANH = call("matmul", "%x, %p_w"), call("clone", "%matmul"), call("tanh", "%clone")
CLASS = ("pkg.torch.onnx.class_hierarchy", "['Net', 'torch.nn.modules.dropout.Dropout', 'aten.clone.default']")
for kind in "known", "optimized", "unknown":
    middle = [] if kind == "optimized" else [helper.make_node("Identity", ["r"], ["c"], name="drop")]
    record = [[PRODUCT], [COPY, CLASS], [TANH]] if kind == "known" else [[PRODUCT], [TANH]]
    save_as_pytorch(
        "dropout_" + kind,
        [helper.make_node("MatMul", ["x", "w"], ["r"], name="fc"), *middle,
         helper.make_node("Tanh", ["c" if middle else "r"], ["y"], name="tanh")],
        [] if kind == "unknown" else record,
        [] if kind == "unknown" else [("pkg.torch.export.ExportedProgram.graph_signature", SIGNATURE)],
        initializers=[array("w", [6, 3])],
    )
# An LSTM with projections, of which the file has the cell state's size alone.
save_as_pytorch(
    "projection",
    [helper.make_node("LSTM", ["x", "w", "r", "", "", "h0", "c0"], ["y"], name="lstm", hidden_size=2)],
    initializers=[array("w", [1, 8, 6]), array("r", [1, 8, 2]), array("h0", [1, 2, 2]), array("c0", [1, 2, 4])],
)
