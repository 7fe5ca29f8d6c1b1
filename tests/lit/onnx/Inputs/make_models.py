#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models of these tests, each with one thing to show. Needs the Python packages onnx and numpy.

    python3 make_models.py      # writes *.onnx beside itself
    python3 make_wrong.py       # those that are refused, in whole or in part
    python3 make_exports.py     # those that are written as PyTorch's exporters do
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from making import FLOAT, INT64, array, branch, given, ints, node, save, save_test

save(
    "mlp",
    [
        node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["h"], "/fc1/Gemm", transB=1),
        node("Relu", ["h"], ["a"], "/relu/Relu"),
        node("Gemm", ["a", "fc2.weight", "fc2.bias"], ["scores"], "/fc2/Gemm", transB=1, alpha=0.5),
    ],
    [("x", FLOAT, ["batch_size", 4])],
    ["scores"],
    [array("fc1.weight", (5, 4)), array("fc1.bias", (5,)), array("fc2.weight", (3, 5)), array("fc2.bias", (3,))],
)
save(
    "shapes",
    [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Unsqueeze", ["n", "zeros"], ["n1"]),
        node("Concat", ["n1", "rest"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["flat"], "flatten"),
        node("ConstantOfShape", ["target2"], ["ones"], value=helper.make_tensor("v", FLOAT, [1], [1.0])),
        node("Mul", ["flat", "ones"], ["y"], "scale"),
    ],
    [("x", FLOAT, ["N", 2, 3])],
    ["y"],
    [
        numpy_helper.from_array(np.array(0, np.int64), "zero"),
        ints("zeros", [0]),
        ints("rest", [-1]),
        ints("target2", [6]),
    ],
)
save(
    "modes",
    [
        node("BatchNormalization", ["x", "s", "b", "m", "v"], ["h"], "bn", epsilon=0.25, momentum=0.5),
        node("Dropout", ["h", "ratio"], ["y"], "drop"),
    ],
    [("x", FLOAT, ["N", 3])],
    ["y"],
    [array(name, (3,)) for name in "sbmv"] + [numpy_helper.from_array(np.array(0.25, np.float32), "ratio")],
)
save(
    "norms",
    [
        node("LayerNormalization", ["x", "s", "b"], ["h"], "first"),
        node("LayerNormalization", ["h", "s", "b"], ["g"], "second"),
        node("BatchNormalization", ["g", "s", "b", "b", "s"], ["y"], "third"),
    ],
    [("x", FLOAT, ["N", 3])],
    ["y"],
    [array("s", (3,)), array("b", (3,))],
)
save(
    "names",
    [
        node("MatMul", ["x", "N"], ["h0"], "n0"),
        node("MatMul", ["h0", "step"], ["h1"], "n1"),
        node("MatMul", ["h1", "train_step"], ["h2"], "n2"),
        node("MatMul", ["h2", "rng"], ["y"], "n3"),
    ],
    [("x", FLOAT, ["N", 2])],
    ["y"],
    [array(name, (2, 2)) for name in ("N", "step", "train_step", "rng")],
)
save(
    "training_mode",
    [
        node("Dropout", ["x", "ratio", "on"], ["a", "mask"], "drop1"),
        node("Dropout", ["a", "ratio", "on"], ["b"], "drop2"),
        node("Dropout", ["b", "ratio", "on"], ["c"], "drop3"),
        node("Dropout", ["c", "ratio", "on"], ["d"], "drop4"),
        node("Mul", ["d", "w"], ["y"], "scale"),
    ],
    [("x", FLOAT, ["N", 3])],
    ["y"],
    [
        array("w", (3,)),
        numpy_helper.from_array(np.array(0.25, np.float32), "ratio"),
        numpy_helper.from_array(np.array(True), "on"),
    ],
)
save(
    "softmax12",
    [node("Softmax", ["x"], ["y"], "softmax", axis=1)],
    [("x", FLOAT, [2, 3, 4])],
    ["y"],
    opset=12,
)
save(
    "softmax13",
    [node("Softmax", ["x"], ["y"], "softmax", axis=1)],
    [("x", FLOAT, [2, 3, 4])],
    ["y"],
    opset=13,
)
save(
    "broadcast6",
    [node("Add", ["x", "b"], ["y"], "add", broadcast=1, axis=1)],
    [("x", FLOAT, [2, 3, 4])],
    ["y"],
    [array("b", (3,))],
    opset=6,
)
save(
    "slices",
    [node("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"], "slice")],
    [("x", FLOAT, [4, 10])],
    ["y"],
    [ints("starts", [-1, 1]), ints("ends", [-100, 2**62]), ints("axes", [1, 0]), ints("steps", [-3, 1])],
)
save(
    "sequences",
    [
        node("SplitToSequence", ["x", "each"], ["parts"], "split", axis=1),
        node("SequenceAt", ["parts", "first"], ["a"], "first"),
        node("SequenceAt", ["parts", "last"], ["b"], "last"),
        node("Concat", ["b", "a"], ["y"], axis=1),
    ],
    [("x", FLOAT, ["batch", 7])],
    ["y"],
    [numpy_helper.from_array(np.array(n, np.int64), name) for name, n in (("each", 3), ("first", 0), ("last", -1))],
)
save(
    "literals",
    [
        node("Pow", ["x", "two"], ["p"], "pow"),
        node("Clip", ["p", "low", "high"], ["c"], "clip"),
        node("Mul", ["c", "half"], ["y"], "mul"),
    ],
    [("x", FLOAT, [2])],
    ["y"],
    [
        numpy_helper.from_array(np.array(value, np.float32), name)
        for name, value in [("two", 2), ("low", -1), ("high", 1), ("half", 0.5)]
    ],
)
# A mask of the batch's keys beside the causal rule, in two layers; queries have three heads for each of the keys.
attended = lambda i, x: [
    node("MatMul", [x, "q"], [f"q{i}"]),
    node("MatMul", [x, "kv"], [f"kv{i}"]),
    node("Attention", [f"q{i}", f"kv{i}", f"kv{i}", "mask"], [f"y{i}"], f"attention{i}", q_num_heads=6, kv_num_heads=2,
         is_causal=1),
]
save(
    "attention_masked",
    attended(0, "x") + attended(1, "y0"),
    [("x", FLOAT, ["batch", 131, 12]), ("mask", TensorProto.BOOL, ["batch", 1, 1, 131])],
    ["y1"],
    [array("q", (12, 12)), array("kv", (12, 4))],
    opset=23,
)
# Fewer columns than keys, which version 24 reads.
save(
    "attention_short",
    [node("Attention", ["x", "x", "x", "mask"], ["y"], "short", q_num_heads=2, kv_num_heads=2)],
    [("x", FLOAT, [2, 5, 8]), ("mask", TensorProto.BOOL, [2, 1, 5, 4])],
    ["y"],
    opset=23,
)
save(
    "half",
    [
        node("Cast", ["x"], ["h"], "down", to=TensorProto.FLOAT16),
        node("Gemm", ["h", "w", "bias"], ["g"], "fc"),
        node("Add", ["g", "c"], ["s"], "shift"),
        node("Cast", ["s"], ["y"], "brain", to=TensorProto.BFLOAT16),
    ],
    [("x", TensorProto.FLOAT16, ["N", 2])],
    [],
    [
        numpy_helper.from_array(np.array([[0.5, -2], [65504, 6e-8]], np.float16), "w"),
        # bits in the field of integers
        helper.make_tensor("bias", TensorProto.FLOAT16, [2], np.array([0.0999755859375, -1.5], np.float16)),
        helper.make_tensor("c", TensorProto.BFLOAT16, [2], [1.5, -3.0]),
    ],
    outputs=[("y", TensorProto.BFLOAT16, ["N", 2])],
)
# A condition that shapes answer, with branches that use the same names; one that is an input.
save(
    "branches",
    [
        node("Shape", ["x"], ["shape"], "shape"),
        node("Gather", ["shape", "one"], ["size"], "size"),
        node("Equal", ["size", "four"], ["is_four"], "is_four"),
        node(
            "If", ["is_four"], ["h"], "choose",
            then_branch=branch("narrow", [node("MatMul", ["x", "w"], ["t"], "fc")], "t", [array("w", (4, 3))]),
            else_branch=branch("wide", [node("Fancy", ["x"], ["t"], "fancy")], "t"),
        ),
        node(
            "If", ["is_four"], ["g"], "again",
            then_branch=branch("both", [node("Add", ["h", "w"], ["t"], "bias")], "t", [array("w", (3,))]),
            else_branch=branch("none", [node("Identity", ["h"], ["t"], "none")], "t"),
        ),
        node(
            "If", ["flag"], ["y"], "ask",
            then_branch=branch("yes", [node("Relu", ["g"], ["t"], "relu")], "t"),
            else_branch=branch("no", [node("Neg", ["g"], ["t"], "neg")], "t"),
        ),
    ],
    [("x", FLOAT, ["N", 4]), ("flag", TensorProto.BOOL, [])],
    ["y"],
    [ints("one", 1), ints("four", 4)],
)
save(
    "embedding",
    [node("Gather", ["table", "ids"], ["y"], "embed")],
    [("ids", INT64, ["N", 2])],
    ["y"],
    [array("table", (10, 4))],
)
# Convolutions down and up again; padding as attributes say it.
save(
    "convolutions",
    [
        node("Conv", ["x", "down.weight", "down.bias"], ["h"], "down", auto_pad="SAME_UPPER", strides=[2, 2],
             kernel_shape=[3, 3]),
        node("Relu", ["h"], ["r"], "relu"),
        node("ConvTranspose", ["r", "up.weight"], ["y"], "up", strides=[2, 2], pads=[1, 1, 1, 1],
             output_padding=[2, 1]),
    ],
    [("x", FLOAT, ["N", 2, 8, 7])],
    ["y"],
    [array("down.weight", (4, 2, 3, 3)), array("down.bias", (4,)), array("up.weight", (4, 1, 3, 3))],
)
# Attention over a number of words that the model leaves open.
save(
    "attention",
    [
        node("Gather", ["table", "ids"], ["e"], "embed"),
        node("MatMul", ["e", "w"], ["q"], "query"),
        node("Transpose", ["e"], ["k"], "key", perm=[0, 2, 1]),
        node("MatMul", ["q", "k"], ["s"], "scores"),
        node("Softmax", ["s"], ["p"], "share", axis=-1),
        node("MatMul", ["p", "e"], ["words"], "mix"),
        node("ReduceMean", ["words"], ["mean"], "mean", axes=[1], keepdims=0),
        node("Gemm", ["mean", "out.weight"], ["y"], "out"),
    ],
    [("ids", INT64, ["N", "words in text"])],
    ["words", "y"],
    [array("table", (10, 4)), array("w", (4, 4)), array("out.weight", (4, 3))],
)
# Nothing but that is open.
save(
    "sequence",
    [node("Transpose", ["x"], ["t"], "turn", perm=[1, 0]), node("Softmax", ["t"], ["y"], "share", axis=0)],
    [("x", FLOAT, [2, "time"])],
    ["y"],
)
# Products along an axis, and views of one element.
save(
    "shape_views",
    [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "first two"], ["rows"]),
        node("ReduceProd", ["rows"], ["n"], axes=[0], keepdims=1),
        node("Concat", ["n", "three"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["y"], "flatten"),
        node("Gather", ["s", "one"], ["two"]),
        node("Unsqueeze", ["two"], ["u"], axes=[0, 1]),
        node("Squeeze", ["u"], ["v"], axes=[0]),
        node("ScatterElements", ["s", "last two", "ones"], ["column"], axis=0),
        node("Expand", ["half", "column"], ["w"]),
    ],
    [("x", FLOAT, ["N", 2, 3])],
    ["y", "u", "v", "w"],
    [
        ints("first two", [0, 1]),
        ints("three", [3]),
        ints("one", 1),
        ints("last two", [1, -1]),
        ints("ones", [1, 1]),
        numpy_helper.from_array(np.array(0.5, np.float32), "half"),
    ],
    opset=11,
)
# A quantized layer: two readers of one weight, and a bias of 32 bits.
save(
    "quantized",
    [
        node("QuantizeLinear", ["x", "step", "middle"], ["q"], "there"),
        node("Transpose", ["q"], ["t"], "turn", perm=[1, 0]),
        node("DequantizeLinear", ["t", "step", "middle"], ["xf"], "back"),
        node("DequantizeLinear", ["w", "steps"], ["wf"], "weight", axis=0),
        node("DequantizeLinear", ["w", "steps"], ["again"], "weight again", axis=0),
        node("DequantizeLinear", ["b", "step"], ["bf"], "bias"),
        node("Gemm", ["xf", "wf", "bf"], ["h"], "product"),
        node("MatMul", ["h", "again"], ["y"], "second"),
        node("QuantizeLinear", ["y", "step"], ["z"], "last"),
    ],
    [("x", FLOAT, [2, 3])],
    ["y"],
    [
        given("step", np.float32(0.25)),
        given("steps", np.array([0.5, 0.125], np.float32)),
        given("middle", np.uint8(128)),
        given("w", np.array([[4, -128], [127, 8]], np.int8)),
        given("b", np.array([8, -16], np.int32)),
    ],
    outputs=[("z", TensorProto.UINT8, [3, 2])],
)
# Pixels and classes as bytes.
UINT8 = TensorProto.UINT8
save(
    "bytes",
    [
        node("Cast", ["image"], ["whole"], "floats", to=FLOAT),
        node("Div", ["whole", "most"], ["x"], "scaled"),
        node("Flatten", ["x"], ["flat"], "flat"),
        node("Gemm", ["flat", "w", "b"], ["scores"], "fc", transB=1),
        node("Less", ["image", "dark"], ["is_dark"], "compared"),
        node("Where", ["is_dark", "dark", "image"], ["brighter"], "chosen"),
        node("Cast", ["scores"], ["rounded"], "bytes", to=UINT8),
        node("DequantizeLinear", ["image", "step", "dark"], ["centred"], "centred"),
    ],
    [("image", UINT8, ["N", 1, 2, 2])],
    [],
    [array("w", (3, 4)), array("b", (3,)), given("most", np.float32(255)), given("dark", np.uint8(128)),
     given("step", np.float32(0.25))],
    outputs=[("scores", FLOAT, ["N", 3]), ("brighter", UINT8, ["N", 1, 2, 2]), ("rounded", UINT8, ["N", 3]),
             ("centred", FLOAT, ["N", 1, 2, 2])],
)
X = np.array([[-1.5, 2.0, 0.25], [3.0, -0.125, 4.0]], np.float32)
save_test("test_relu", [node("Relu", ["x"], ["y"])], [("x", X)], [("y", np.maximum(X, 0))])
save_test("test_wrong", [node("Relu", ["x"], ["y"])], [("x", X)], [("y", X)])
# The axes are an input, but must be known.
save_test(
    "test_axes",
    [node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)],
    [("x", X), ("axes", np.array([1], np.int64))],
    [("y", X.sum(axis=1))],
)
# A determinant is no operation of a network.
save_test("test_det", [node("Det", ["x"], ["y"])], [("x", X[:, :2])], [("y", np.linalg.det(X[:, :2]))])
