#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models of these tests, each with one thing to show. Needs the Python packages onnx and numpy.

    python3 make_models.py      # writes *.onnx beside itself
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))


def array(name, shape, dtype=np.float32):
    count = int(np.prod(shape))
    return numpy_helper.from_array((np.arange(count) % 7 / 8).astype(dtype).reshape(shape), name)


def ints(name, values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def save(file, nodes, inputs, names, initializers=(), opset=17, extra_domains=(), outputs=()):
    """Of `names`, outputs have no declared type; `outputs` are like inputs."""
    graph = helper.make_graph(
        nodes,
        file,
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs],
        [helper.make_empty_tensor_value_info(name) for name in names]
        + [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs],
        list(initializers),
    )
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in extra_domains]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="dlc-tests")
    path = os.path.join(HERE, file + ".onnx")
    onnx.save(model, path)
    assert os.path.getsize(path) < 4096, file


def save_test(name, nodes, inputs, outputs, opset=17):
    """A test as ONNX's backend suite has them; inputs and outputs are (name, array)."""
    folder = os.path.join(HERE, "conformance", name)
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    infos = [
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in values]
        for values in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, name, *infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    for prefix, values in (("input", inputs), ("output", outputs)):
        for i, (n, a) in enumerate(values):
            with open(os.path.join(data, f"{prefix}_{i}.pb"), "wb") as file:
                file.write(numpy_helper.from_array(a, n).SerializeToString())


FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node

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
]
save(
    "recurrent_wrong",
    [node(op, inputs, [f"y{i}"], f"node{i}", **attributes) for i, (op, inputs, attributes) in enumerate(wrong)],
    [("x", FLOAT, [5, 4, 3]), ("long", FLOAT, [513, 4, 3])],
    [f"y{i}" for i in range(len(wrong))],
    [array("w", (1, 8, 3)), array("r", (1, 8, 2)), ints("lengths", [1, 2, 3])],
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


def branch(name, nodes, output, initializers=()):
    return helper.make_graph(nodes, name, [], [helper.make_empty_tensor_value_info(output)], list(initializers))


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
    "branches_wrong",
    [
        node(
            "If", ["flag"], ["y"], "ask",
            then_branch=branch("yes", [node("MatMul", ["x", "w"], ["t"], "fc")], "t", [array("w", (4, 3))]),
            else_branch=branch("no", [node("Neg", ["x"], ["t"], "neg")], "t"),
        ),
        node("If", ["x"], ["z"], "many", then_branch=branch("yes", [], "x"), else_branch=branch("no", [], "x")),
    ],
    [("x", FLOAT, [2, 4]), ("flag", TensorProto.BOOL, [])],
    ["y", "z"],
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
def given(name, value):
    return numpy_helper.from_array(np.asarray(value), name)


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
# A batch of one. "tokens" has a token that all rows share, and shapes with a constant 1.
ONE_ROW = [("x", TensorProto.FLOAT, [1, 2, 6])]
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
