#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models that are refused, or parts of which are: what does not fit, is out of range or unknown.

    python3 make_wrong.py       # writes *.onnx beside itself
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from making import FLOAT, ONE_ROW, array, branch, given, ints, node, save

save(
    "sequence_misused",
    [
        node("SplitToSequence", ["x", "sizes"], ["parts"], "split", axis=1),
        node("SequenceAt", ["parts", "third"], ["a"], "third"),
        node("SequenceAt", ["x", "third"], ["b"], "tensor"),
        node("Relu", ["parts"], ["c"], "relu"),
        node("SplitToSequence", ["x", "third"], ["d"], "uneven", axis=0),
        node("SplitToSequence", ["x", "sizes"], ["e"], "short", axis=0),
    ],
    [("x", FLOAT, [4, 7])],
    ["a", "b", "c", "parts", "e"],
    [ints("sizes", [3, 4]), numpy_helper.from_array(np.array(2, np.int64), "third")],
)
save(
    "unsupported",
    [
        node("MaxRoiPool", ["x", "w"], ["a"], "conv1"),
        node("MaxRoiPool", ["a", "w"], ["b"], "conv2"),
        node("Fancy", ["b"], ["c"], "fancy", domain="com.example"),
        node("Relu", ["c"], ["y"], "relu", slope=1.0),
    ],
    [("x", FLOAT, [1, 1, 4, 4])],
    ["y"],
    [array("w", (1, 1, 1, 1))],
    extra_domains=["com.example"],
)
# Attention whose heads, masks and earlier keys do not fit.
wrong = [
    ("Attention", ["x", "x", "x"], dict()),
    ("Attention", ["x", "x", "x"], dict(q_num_heads=3, kv_num_heads=3)),
    ("Attention", ["q", "k3", "k3"], dict()),
    ("Attention", ["q", "q", "k"], dict()),
    ("Attention", ["q", "q", "q", "mask"], dict()),
    ("Attention", ["q", "q", "q", "numbers"], dict()),
    ("Attention", ["q", "q", "q", "", "q"], dict()),
    ("Attention", ["q", "q", "q", "", "", "", "counts"], dict()),
    ("Attention", ["q", "q", "q"], dict(qk_matmul_output_mode=4)),
    ("Attention", ["q", "q", "q"], dict(softcap=-1.0)),
    ("Attention", ["q", "q", "q"], dict(softmax_precision=7)),
    ("RotaryEmbedding", ["q", "cos", "cos"], dict(rotary_embedding_dim=3)),
    ("RotaryEmbedding", ["q", "cos", "cos"], dict()),
    ("RotaryEmbedding", ["x", "cos", "cos"], dict(num_heads=3)),
]
shapes = {"x": (2, 5, 8), "q": (2, 4, 5, 8), "k": (2, 4, 6, 8), "k3": (2, 3, 5, 8), "cos": (2, 5, 3), "mask": (3, 5)}
save(
    "attention_wrong",
    [node(op, inputs, [f"y{i}"], f"node{i}", **attributes) for i, (op, inputs, attributes) in enumerate(wrong)],
    [(name, FLOAT, shape) for name, shape in shapes.items()],
    [f"y{i}" for i in range(len(wrong))],
    [ints("counts", [1, 2, 3]), ints("numbers", [[0] * 5] * 5)],
    opset=24,
)
# The same of ONNX Runtime's operators.
wrong = [
    ("Attention", ["x", "w", "", "ends"], dict(num_heads=2)),
    ("Attention", ["x", "w"], dict(num_heads=2, qkv_hidden_sizes=[8, 8, 9])),
    ("Attention", ["x", "w"], dict(num_heads=2, do_rotary=1)),
    ("Attention", ["x", "w", "", "", "x"], dict(num_heads=2)),
    ("MultiHeadAttention", ["x", "x", "x"], dict(num_heads=3)),
    ("MultiHeadAttention", ["x", "x", "x", "", "", "", "q"], dict(num_heads=4)),
]
save(
    "fused_attention_wrong",
    [
        node(op, inputs, [f"y{i}"], f"node{i}", domain="com.microsoft", **attributes)
        for i, (op, inputs, attributes) in enumerate(wrong)
    ],
    [("x", FLOAT, [2, 5, 8]), ("w", FLOAT, [8, 24]), ("q", FLOAT, [2, 4, 5, 2])],
    [f"y{i}" for i in range(len(wrong))],
    [ints("ends", [1, 2, 3])],
    extra_domains=["com.microsoft"],
)
# Indices, axes and counts out of range.
wrong = [
    ("GatherElements", ["x", "far"], dict()),
    ("GatherElements", ["x", "two"], dict()),
    ("GatherElements", ["x", "far"], dict(axis=2)),
    ("GatherND", ["x", "far"], dict()),
    ("GatherND", ["x", "three"], dict()),
    ("ScatterND", ["x", "two", "x"], dict()),
    ("ScatterElements", ["x", "near", "two"], dict()),
    ("ScatterElements", ["x", "near", "x"], dict(reduction="mean")),
    ("TopK", ["x", "three"], dict()),
    ("TopK", ["x", "five"], dict()),
    ("CumSum", ["x", "five"], dict()),
    ("EyeLike", ["cube"], dict()),
    ("OneHot", ["x", "nothing", "two"], dict()),
    ("Einsum", ["x", "x"], dict(equation="ij,jk->ik")),
    ("Einsum", ["x"], dict(equation="ij,jk->ik")),
    ("Einsum", ["x"], dict(equation="ijk->i")),
    ("Einsum", ["x"], dict(equation="ij->ik")),
    ("Einsum", ["x"], dict(equation="i1->i")),
]
save(
    "indices_wrong",
    [node(op, inputs, [f"y{i}"], f"node{i}", **attributes) for i, (op, inputs, attributes) in enumerate(wrong)],
    [("x", FLOAT, [2, 3]), ("cube", FLOAT, [2, 3, 4])],
    [f"y{i}" for i in range(len(wrong))],
    [
        ints("far", [[0, 1, 2], [0, 0, 0]]),
        ints("near", [[0, 1, 1], [0, 0, 0]]),
        ints("two", [0, 1]),
        ints("three", [0, 1, 2]),
        ints("five", [5]),
        ints("nothing", [0]),
    ],
    opset=18,
)
# Recurrent layers whose sizes, functions and lengths do not fit.
wrong = [
    ("LSTM", ["x", "w", "r"], dict(hidden_size=3)),
    ("LSTM", ["x", "r", "r"], dict(hidden_size=2)),
    ("LSTM", ["x", "w", "r"], dict(hidden_size=2, direction="bidirectional")),
    ("LSTM", ["x", "w", "r"], dict(hidden_size=2, direction="backward")),
    ("LSTM", ["x", "w", "r"], dict(hidden_size=2, activations=["Tanh"])),
    ("LSTM", ["x", "w", "r"], dict(hidden_size=2, activations=["Sigmoid", "Tanh", "Sin"])),
    ("LSTM", ["x", "w", "r"], dict(hidden_size=2, clip=-1.0)),
    ("LSTM", ["x", "w", "r", "", "lengths"], dict(hidden_size=2)),
    ("LSTM", ["long", "w", "r"], dict(hidden_size=2)),
    ("LSTM", ["x", "whole", "r"], dict(hidden_size=2)),
]
save(
    "recurrent_wrong",
    [node(op, inputs, [f"y{i}"], f"node{i}", **attributes) for i, (op, inputs, attributes) in enumerate(wrong)],
    [("x", FLOAT, [5, 4, 3]), ("long", FLOAT, [513, 4, 3])],
    [f"y{i}" for i in range(len(wrong))],
    [array("w", (1, 8, 3)), array("whole", (1, 8, 3), np.int32), array("r", (1, 8, 2)), ints("lengths", [1, 2, 3])],
)
# Windows, groups and sizes that cannot be, in nodes that do not depend on each other.
wrong = [
    ("MaxPool", dict(kernel_shape=[9, 2])),
    ("MaxPool", dict(kernel_shape=[2, 2], strides=[0, 2])),
    ("MaxPool", dict(kernel_shape=[2, 2], pads=[0, -1, 0, 0])),
    ("MaxPool", dict(kernel_shape=[2, 2], pads=[2, 0, 0, 0])),
    ("MaxPool", dict(kernel_shape=[2])),
    ("MaxPool", dict()),
    ("MaxPool", dict(kernel_shape=[2, 2], auto_pad="SAME")),
    ("AveragePool", dict(kernel_shape=[2, 2], strides=[1 << 40, 1])),
    ("LpPool", dict(kernel_shape=[2, 2], p=0)),
    ("LRN", dict(size=0)),
    ("DepthToSpace", dict(blocksize=2)),
    ("SpaceToDepth", dict(blocksize=3)),
]
save(
    "windows",
    [node(op, ["x"], [f"y{i}"], f"node{i}", **attributes) for i, (op, attributes) in enumerate(wrong)]
    + [
        node("GroupNormalization", ["x", "scale", "scale"], ["g"], "groups", num_groups=2),
        node("InstanceNormalization", ["x", "two", "scale"], ["n"], "instance"),
        node("MaxPool", ["row"], ["r"], "flat", kernel_shape=[1]),
        node("Resize", ["x", "", "zero"], ["z"], "shrunk"),
        node("Resize", ["x", "", "short"], ["s"], "short"),
        node("Resize", ["x", "", "x"], ["c"], "computed"),
        node("Resize", ["x"], ["u"], "unscaled"),
    ],
    [("x", FLOAT, [1, 3, 6, 5]), ("row", FLOAT, [4, 4])],
    [f"y{i}" for i in range(len(wrong))] + ["g", "n", "r", "z", "s", "c", "u"],
    [
        numpy_helper.from_array(np.array(values, np.float32), name)
        for name, values in [("scale", [1, 1, 1]), ("two", [1, 1]), ("zero", [1, 1, 0.1, 1]), ("short", [2, 2])]
    ],
    opset=18,
)
# Weights, groups and images of convolutions that do not fit each other.
wrong = [
    ("Conv", "image", "none", {}),
    ("Conv", "empty", "w", {"pads": [2, 1, 2, 1]}),
    ("Conv", "image", "w", {"group": 2}),
    ("ConvTranspose", "image", "w", {}),
    ("ConvTranspose", "image", "v", {"group": 2}),
]
save(
    "convolutions_wrong",
    [node(op, [x, w], [f"y{i}"], f"node{i}", **attributes) for i, (op, x, w, attributes) in enumerate(wrong)]
    + [
        node("Gather", ["v", "image"], ["g"], "indices"),
        node("Where", ["image", "image", "image"], ["c"], "condition"),
    ],
    [("image", FLOAT, [1, 3, 6, 5]), ("empty", FLOAT, [1, 3, 0, 5])],
    [f"y{i}" for i in range(len(wrong))] + ["g", "c"],
    [array("w", (4, 3, 3, 3)), array("v", (3, 4, 3, 3)), array("none", (0, 3, 3, 3))],
)
save(
    "mismatch",
    [node("MatMul", ["x", "w"], ["h"], "fc1"), node("Relu", ["h"], ["y"], "relu")],
    [("x", FLOAT, ["N", 4])],
    ["y"],
    [array("w", (3, 2))],
)
save(
    "narrow",
    [
        node("MatMul", ["x" if i == 0 else f"h{i - 1}", f"w{i}"], ["y" if i == 9 else f"h{i}"], f"fc{i}")
        for i in range(10)
    ],
    [("x", TensorProto.UINT32, ["N", 4])],
    ["y"],
    [array(f"w{i}", (4, 4), np.uint32) for i in range(10)],
)
save(
    "branches_wrong",
    [
        node(
            "If", ["flag"], ["y"], "ask",
            then_branch=branch("yes", [node("MatMul", ["x", "w"], ["t"], "fc")], "t", [array("w", (4, 3))]),
            else_branch=branch("no", [node("Neg", ["x"], ["t"], "neg")], "t"),
        ),
        node("If", ["x"], ["z"], "many", then_branch=branch("yes", [], "x"), else_branch=branch("no", [], "x")),
        node(
            "If", ["flag"], ["n"], "norm",
            then_branch=branch("yes", [node("BatchNormalization", ["x", "one", "none", "none", "one"], ["t"], "bn")], "t"),
            else_branch=branch("no", [node("Neg", ["x"], ["t"], "neg")], "t"),
        ),
    ],
    [("x", FLOAT, [2, 4]), ("flag", TensorProto.BOOL, [])],
    ["y", "z", "n"],
    [array("one", (4,)), array("none", (4,))],
)


# Loops that cannot be written out, or whose parts do not fit.
def body(inputs, outputs, nodes):
    return helper.make_graph(nodes, "body", [helper.make_tensor_value_info(*each) for each in inputs],
                             [helper.make_empty_tensor_value_info(name) for name in outputs])


counter = [("i", TensorProto.INT64, []), ("on", TensorProto.BOOL, [])]
state = ("h", FLOAT, [2, 3])
step = [node("Neg", ["h"], ["next"], "neg"), node("Identity", ["on"], ["more"], "same")]
wider = [node("Concat", ["h", "h"], ["next"], "double", axis=0), node("Identity", ["on"], ["more"], "same")]
rows = body([state, ("a", FLOAT, [3])], ["next", "a"], [node("Add", ["h", "a"], ["next"], "sum")])
save(
    "loops_wrong",
    [
        node("Loop", ["times", "", "x"], ["a"], "how_often", body=body([*counter, state], ["more", "next"], step)),
        node("Loop", ["", "flag", "x"], ["b"], "open", body=body([*counter, state], ["more", "next"], step)),
        node("Loop", ["many", "", "x"], ["c"], "long", body=body([*counter, state], ["more", "next"], step)),
        node("Loop", ["three", "flag", "x"], ["d", "d_all"], "results", body=body([*counter, state], ["more", "next", "next"], step)),
        node("Loop", ["three", "flag", "x"], ["e"], "grows", body=body([*counter, state], ["more", "next"], wider)),
        node("Loop", ["three", "", "x"], ["f"], "shorter", body=body([counter[0], state], ["next"], step[:1])),
        node("Loop", ["zero", "", "x"], ["g", "g_all"], "never", body=body([*counter, state], ["more", "next", "next"], step)),
        node("Scan", ["x", "x", "n"], ["h", "h_all"], "unequal", num_scan_inputs=2,
             body=body([state, ("a", FLOAT, [3]), ("b", FLOAT, [])], ["next", "a"], [node("Add", ["h", "a"], ["next"], "sum")])),
        node("Scan", ["x", "x"], ["k", "k_all"], "none", num_scan_inputs=0, body=rows),
        node("Scan", ["x", "x"], ["l", "l_all"], "axes", num_scan_inputs=1, scan_input_axes=[0, 1], body=rows),
    ],
    [("x", FLOAT, [2, 3]), ("n", FLOAT, [4]), ("times", TensorProto.INT64, []), ("flag", TensorProto.BOOL, [])],
    ["a", "b", "c", "d", "e", "f", "g", "h", "k", "l"],
    [ints("many", 600), ints("three", 3), ints("zero", 0)],
)
save(
    "quantized_wrong",
    [
        node("QuantizeLinear", ["x", "none"], ["a"], "no scale"),
        node("QuantizeLinear", ["x", "x"], ["b"], "computed"),
        node("QuantizeLinear", ["x", "step"], ["q"], "there"),
        node("Add", ["q", "q"], ["c"], "between"),
        node("QuantizeLinear", ["x", "step", "wide"], ["d"], "wide"),
        node("QuantizeLinear", ["x", "steps"], ["e"], "two", axis=1),
        node("QuantizeLinear", ["x", "steps"], ["f"], "far", axis=2),
        node("DequantizeLinear", ["x", "step"], ["g"], "floats"),
    ],
    [("x", FLOAT, [2, 3])],
    ["a", "b", "c", "d", "e", "f", "g"],
    [
        given("none", np.float32(0)),
        given("step", np.float32(0.25)),
        given("steps", np.array([0.5, 0.125], np.float32)),
        given("wide", np.int64(3)),
    ],
)
# Shapes that the file declares, and that do not follow: of an output, and of what lies between.
save(
    "declared_wrong",
    [
        helper.make_node("Relu", ["x"], ["h"], name="relu"),
        helper.make_node("Transpose", ["h"], ["y"], name="turn", perm=[1, 0]),
        helper.make_node("ReduceMax", ["h"], ["z"], name="most", keepdims=0, axes=[1]),
        helper.make_node("Neg", ["h"], ["n"], name="neg"),
    ],
    [("x", TensorProto.FLOAT, ["batch", 3])],
    [],
    outputs=[
        ("y", TensorProto.FLOAT, [4, "rows"]),
        ("z", TensorProto.FLOAT, ["rows", 1]),
        ("n", TensorProto.FLOAT, ["other", 3]),
    ],
)
# Labels in the file, one of which is no class.
save(
    "label_wrong",
    [helper.make_node("SoftmaxCrossEntropyLoss", ["x", "labels"], ["loss"], name="loss", ignore_index=-2)],
    [("x", TensorProto.FLOAT, [3, 5])],
    ["loss"],
    [ints("labels", [4, -2, 5])],
)
# What is not supported, with a word on what to do.
save("nonzero", [helper.make_node("NonZero", ["x"], ["y"], name="where")], ONE_ROW, ["y"])
# Corners are kept, and 5 * 0.7 is no whole number.
save(
    "corners",
    [helper.make_node("Resize", ["x", "", "scales"], ["y"], name="resize", mode="linear",
                      coordinate_transformation_mode="align_corners")],
    [("x", TensorProto.FLOAT, [1, 1, 5])],
    ["y"],
    [numpy_helper.from_array(np.array([1, 1, 0.7], np.float32), "scales")],
)
# What computes takes no bytes.
save(
    "bytes_wrong",
    [
        node("Add", ["x", "x"], ["a"], "sum"),
        node("Relu", ["x"], ["b"], "rectified"),
        node("MatMul", ["x", "x"], ["c"], "product"),
        node("ReduceMax", ["x"], ["d"], "largest"),
        node("Gather", ["w", "x"], ["e"], "indexed"),
    ],
    [("x", TensorProto.UINT8, [2, 2])],
    ["a", "b", "c", "d", "e"],
    [array("w", (3, 4))],
)
