#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of tests/onnx: small models with inputs and the outputs that they must give.

usage: make_cases.py BACKEND_NODE_FOLDER        needs onnx and numpy

`backend/` gets those of the ONNX project's node tests (onnx/backend/test/data/node) that are named in backend.txt.
`made/` gets what those do not have: earlier versions of operators, with the attributes of their time, and attributes
that no node test sets. Their expected outputs are computed here with numpy, from the text of the operators'
specification. A case is a folder, as the ONNX project has them: model.onnx, test_data_set_0/input_0.pb ...
"""
import math
import pathlib
import shutil
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import image_cases

HERE = pathlib.Path(__file__).resolve().parent
random = np.random.default_rng(1)


def floats(*shape, low=-2.0, high=2.0):
    """Multiples of 1/16, so that sums are exact."""
    return (random.integers(int(low * 16), int(high * 16) + 1, shape) / 16).astype(np.float32)


def integers(*shape, low=-5, high=6):
    return random.integers(low, high, shape).astype(np.int64)


def bools(*shape):
    return random.integers(0, 2, shape).astype(bool)


def write(name, opset, nodes, inputs, outputs, constants=()):
    """`inputs` and `outputs` are name: array; `constants` too, which become initializers."""
    def declare(values):
        return [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                for key, value in values.items()]

    constants = dict(constants)
    # Opset 6 to 8 wants initializers among the inputs.
    listed = {**inputs, **(constants if opset < 9 else {})}
    graph = helper.make_graph(nodes, name, declare(listed), declare(outputs),
                              [numpy_helper.from_array(value, key) for key, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="dlc-tests",
                              ir_version=8)
    folder = HERE / "made" / name
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for kind, values in (("input", inputs), ("output", outputs)):
        for position, (key, value) in enumerate(values.items()):
            tensor = numpy_helper.from_array(np.asarray(value), key)
            (data / f"{kind}_{position}.pb").write_bytes(tensor.SerializeToString())


def one(name, opset, op, inputs, outputs, constants=(), **attributes):
    """A model of one node. Inputs and outputs are lists; an input that is None is left out."""
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)] + [key for key, _ in constants]
    results = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(op, names, results, name="node", **attributes)
    write(name, opset, [node], {key: value for key, value in zip(names, inputs) if value is not None},
          dict(zip(results, outputs)), constants)


# --- Elementwise --------------------------------------------------------------------------------------------------

def legacy_broadcast():
    """Before opset 7: `broadcast`, and `axis`, the dim of the first operand that the second one's first belongs to."""
    positive = dict(low=0.5, high=2.0)
    arithmetic = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power}
    for op, function in arithmetic.items():
        data = positive if op in ("Div", "Pow") else {}
        a, b = floats(2, 3, 4, **data), floats(3, **data)
        one(f"{op.lower()}_6_axis", 6, op, [a, b], [function(a, b[:, None])], broadcast=1, axis=1,
            consumed_inputs=[0, 0])
    a, b = floats(2, 3, 4), floats(3, 4)
    one("add_6_suffix", 6, "Add", [a, b], [a + b], broadcast=1)
    one("add_6_same", 6, "Add", [a, a[::-1].copy()], [a + a[::-1]])
    tests = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal,
             "Less": np.less, "Greater": np.greater}
    for op, function in tests.items():
        make = bools if op in ("And", "Or", "Xor") else (lambda *s: integers(*s, low=0, high=3)) if op == "Equal" else floats
        a, b = make(2, 3, 4), make(3)
        one(f"{op.lower()}_6_axis", 6, op, [a, b], [function(a, b[:, None])], broadcast=1, axis=1,
            consumed_inputs=[0, 0])
    parts = [floats(3, 4) for _ in range(3)]
    one("sum_6", 6, "Sum", parts, [parts[0] + parts[1] + parts[2]], consumed_inputs=[0, 0, 0])
    one("mean_6", 6, "Mean", parts, [(parts[0] + parts[1] + parts[2]) / np.float32(3)], consumed_inputs=[0, 0, 0])
    one("max_6", 6, "Max", parts, [np.maximum(np.maximum(*parts[:2]), parts[2])], consumed_inputs=[0, 0, 0])
    one("min_6", 6, "Min", parts, [np.minimum(np.minimum(*parts[:2]), parts[2])], consumed_inputs=[0, 0, 0])


def elementwise():
    x = floats(3, 4)
    one("clip_6", 6, "Clip", [x], [np.clip(x, -0.75, 1.25)], min=-0.75, max=1.25)
    one("clip_6_low", 10, "Clip", [x], [np.maximum(x, np.float32(0.25))], min=0.25)
    one("cast_9", 9, "Cast", [x], [x.astype(np.int64)], to=TensorProto.INT64)
    one("cast_24", 24, "Cast", [x], [x.astype(np.int32)], to=TensorProto.INT32, saturate=1, round_mode="up")
    numbers = integers(3, 4)
    one("castlike_24", 24, "CastLike", [numbers, x], [numbers.astype(np.float32)], saturate=1, round_mode="up")
    three = floats(2, 3, 4)
    slope = floats(3)
    one("prelu_6", 6, "PRelu", [three, slope], [np.where(three < 0, slope[:, None] * three, three)])
    truth = bools(3, 4)
    one("not_13", 13, "Not", [truth], [~truth])
    one("erf_13", 13, "Erf", [x], [np.vectorize(math.erf)(x).astype(np.float32)])
    one("mish_18", 18, "Mish", [x], [x * np.tanh(np.log1p(np.exp(x)))])
    x = floats(4, 5)
    one("swish_24_alpha", 24, "Swish", [x], [x / (1 + np.exp(-np.float32(0.5) * x))], alpha=0.5)
    a, b = integers(12, low=-9, high=10), np.array([3, -3, 2, -2, 4, -4, 5, -5, 7, -7, 1, -1], np.int64)
    one("mod_13", 13, "Mod", [a, b], [np.mod(a, b)])
    one("mod_13_fmod", 13, "Mod", [a, b], [np.fmod(a, b)], fmod=1)


# --- Linear -------------------------------------------------------------------------------------------------------

def gemm():
    a, b, c = floats(3, 2), floats(4, 3), floats(4)
    product = a.T @ b.T
    both = dict(transA=1, transB=1)
    one("gemm_6", 6, "Gemm", [a, b, c], [0.5 * product + 2 * c], alpha=0.5, beta=2.0, broadcast=1, **both)
    one("gemm_7", 7, "Gemm", [a, b, c], [0.5 * product + 2 * c], alpha=0.5, beta=2.0, **both)
    one("gemm_9_transB", 9, "Gemm", [a.T.copy(), b, c], [product + c], transB=1)
    one("gemm_9_transA", 9, "Gemm", [a, b.T.copy(), c], [product + c], transA=1)
    one("gemm_11", 11, "Gemm", [a, b, c], [0.5 * product + 2 * c], alpha=0.5, beta=2.0, **both)
    one("gemm_13_without_c", 13, "Gemm", [a.T.copy(), b], [product], transB=1)


# --- Normalization ------------------------------------------------------------------------------------------------

def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def hardmax(x):
    return (np.arange(x.shape[1]) == x.argmax(1)[:, None]).astype(x.dtype)


def normalizations():
    x = floats(2, 3, 4)
    flat = x.reshape(2, 12)
    for op, function in (("Softmax", lambda v: softmax(v, 1)), ("LogSoftmax", lambda v: np.log(softmax(v, 1))),
                         ("Hardmax", hardmax)):
        one(f"{op.lower()}_12", 12, op, [x], [function(flat).reshape(x.shape)])
        one(f"{op.lower()}_11_axis2", 11, op, [x], [function(x.reshape(6, 4)).reshape(x.shape)], axis=2)
    scale, bias = floats(3), floats(3)
    mean, variance = floats(3), floats(3, low=0.25)
    column = (1, 3, 1)
    normal = (x - mean.reshape(column)) / np.sqrt(variance.reshape(column) + np.float32(0.125))
    y = normal * scale.reshape(column) + bias.reshape(column)
    inputs = [x, scale, bias, mean, variance]
    one("batchnorm_6", 6, "BatchNormalization", inputs, [y], epsilon=0.125, is_test=1, momentum=0.5, spatial=1,
        consumed_inputs=[0, 0, 0, 1, 1])
    one("batchnorm_7", 7, "BatchNormalization", inputs, [y], epsilon=0.125, momentum=0.5, spatial=1,
        consumed_inputs=[0, 0, 0, 1, 1])
    one("batchnorm_9", 9, "BatchNormalization", inputs, [y], epsilon=0.125, momentum=0.5)
    ours, spread = x.mean((0, 2)), x.var((0, 2))
    normal = (x - ours.reshape(column)) / np.sqrt(spread.reshape(column) + np.float32(1e-5))
    one("batchnorm_14_training", 14, "BatchNormalization", inputs,
        [normal * scale.reshape(column) + bias.reshape(column), 0.75 * mean + np.float32(0.25) * ours,
         0.75 * variance + np.float32(0.25) * spread], momentum=0.75, training_mode=1)
    axes = (1, 2)
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    scale, bias = floats(3, 4), floats(3, 4)
    one("layernorm_17", 17, "LayerNormalization", [x, scale, bias],
        [(x - mean) / np.sqrt(variance + np.float32(0.25)) * scale + bias], axis=1, epsilon=0.25, stash_type=1)
    one("layernorm_17_without_bias", 17, "LayerNormalization", [x, scale[0]],
        [(x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + np.float32(1e-5)) * scale[0]])
    one("rmsnorm_23", 23, "RMSNormalization", [x, scale],
        [x / np.sqrt((x * x).mean(axes, keepdims=True) + np.float32(0.25)) * scale], axis=1, epsilon=0.25,
        stash_type=1)
    mean, deviation = x.mean((0, 2), keepdims=True), x.std((0, 2), keepdims=True)
    one("mvn_13_axes", 13, "MeanVarianceNormalization", [x], [(x - mean) / (deviation + 1e-9)], axes=[0, 2])
    one("lpnorm_1_l1", 11, "LpNormalization", [x], [x / np.abs(x).sum(1, keepdims=True)], axis=1, p=1)
    for opset, attributes in ((6, dict(is_test=1, ratio=0.75)), (7, dict(ratio=0.75)), (10, dict(ratio=0.75)),
                              (13, dict(seed=3))):
        one(f"dropout_{opset}", opset, "Dropout", [x], [x], **attributes)


# --- Reduction ----------------------------------------------------------------------------------------------------

REDUCTIONS = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceL1": lambda x, **k: np.sum(np.abs(x), **k), "ReduceL2": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
    "ReduceSumSquare": lambda x, **k: np.sum(x * x, **k), "ReduceLogSum": lambda x, **k: np.log(np.sum(x, **k)),
    "ReduceLogSumExp": lambda x, **k: np.log(np.sum(np.exp(x), **k)),
}


def reductions():
    for op, function in REDUCTIONS.items():
        x = floats(2, 3, 4, low=0.25) if op == "ReduceLogSum" else floats(2, 3, 4)
        before = 12 if op == "ReduceSum" else 17
        name = op.lower()
        one(f"{name}_{before}_axes", before, op, [x], [function(x, axis=(0, 2))], axes=[0, -1], keepdims=0)
        one(f"{name}_{before}_all", before, op, [x], [function(x, keepdims=True)])
        one(f"{name}_{before + 1}_axes", before + 1, op, [x], [function(x, axis=1)],
            [("axes", np.array([1], np.int64))], keepdims=0)
        if op in ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin"):
            one(f"{name}_{before + 1}_noop", before + 1, op, [x], [x], noop_with_empty_axes=1)
        else:  # a reduction of each element alone
            one(f"{name}_{before + 1}_noop", before + 1, op, [x], [function(x[None], axis=0)],
                noop_with_empty_axes=1)
    x = integers(4, 5, low=0, high=3).astype(np.float32)  # with ties
    for op, function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
        one(f"{op.lower()}_11", 11, op, [x], [function(x, 1)], axis=1, keepdims=0)
        one(f"{op.lower()}_12_last", 12, op, [x], [4 - function(x[:, ::-1], 1)[:, None]], axis=1,
            select_last_index=1)


# --- Shape --------------------------------------------------------------------------------------------------------

def shapes():
    x = floats(2, 3, 4)
    one("reshape_13", 13, "Reshape", [x], [x.reshape(2, 12)], [("shape", np.array([0, -1], np.int64))])
    one("squeeze_11", 11, "Squeeze", [x[:, :1, :]], [x[:, 0, :]], axes=[1])
    one("squeeze_13_all", 13, "Squeeze", [x[:, :1, :]], [x[:, 0, :]])
    one("unsqueeze_11", 11, "Unsqueeze", [x], [x[:, None, :, :, None]], axes=[1, -1])
    one("slice_9", 9, "Slice", [x], [x[:, 1:, 1:3]], starts=[1, 1], ends=[9, -1], axes=[1, 2])
    a, b = x[:, :, :1], x[:, :, 1:]
    one("split_11", 11, "Split", [x], [a, b], axis=2, split=[1, 3])
    for opset in (10, 13):
        amounts = [0, 0, 1, 1, 0, 2]
        widths = [(0, 1), (0, 0), (1, 2)]
        expected = np.pad(x, widths, constant_values=1.5)
        if opset == 10:
            one("pad_10", 10, "Pad", [x], [expected], mode="constant", pads=amounts, value=1.5)
        else:
            one("pad_13", 13, "Pad", [x], [expected],
                [("pads", np.array(amounts, np.int64)), ("value", np.float32(1.5))], mode="constant")
    one("pad_13_zeros", 13, "Pad", [x], [np.pad(x, widths)], [("pads", np.array(amounts, np.int64))])
    write("range_13", 13, [helper.make_node("Range", ["from", "to", "by"], ["r"], name="range"),
                           helper.make_node("Add", ["x", "r"], ["y"], name="add")],
          {"x": x[0, 0]}, {"y": x[0, 0] + np.array([3, 2, 1, 0], np.float32)},
          {"from": np.float32(3), "to": np.float32(-1), "by": np.float32(-1)})
    one("shape_13", 13, "Shape", [x], [np.array(x.shape, np.int64)])
    one("gather_9", 9, "Gather", [x], [x[:, [2, 0], :]], [("indices", np.array([2, 0], np.int64))], axis=1)


def constants():
    x, n = floats(3), integers(3)
    value = floats(3)
    def constant(result, **attributes):
        return helper.make_node("Constant", [], [result], name=result, **attributes)
    def add(a, b, result):
        return helper.make_node("Add", [a, b], [result], name=result)
    write("constant_9", 9, [constant("c", value=numpy_helper.from_array(value)), add("x", "c", "y")], {"x": x},
          {"y": x + value})
    write("constant_12", 12,
          [constant("a", value_float=0.5), constant("b", value_floats=[1.0, 2.0, 3.0]), constant("c", value_int=4),
           constant("d", value_ints=[5, 6, 7]), constant("e", value=numpy_helper.from_array(value)),
           add("x", "a", "p"), add("p", "b", "q"), add("q", "e", "y"), add("n", "c", "r"), add("r", "d", "z")],
          {"x": x, "n": n},
          {"y": x + np.float32(0.5) + np.array([1, 2, 3], np.float32) + value, "z": n + 4 + np.array([5, 6, 7])})


def picks():
    x = floats(3, 2, 4)
    for opset, attributes in ((11, {}), (13, dict(batch_dims=0))):
        rows = np.array([[[2, 1], [-3, 0]]], np.int64)
        one(f"gathernd_{opset}", opset, "GatherND", [x], [x[rows[..., 0], rows[..., 1]]], [("rows", rows)],
            **attributes)
    one("trilu_no_k", 14, "Trilu", [x], [np.tril(x)], upper=0)


def sequences():
    """Splits to a sequence, of which two parts are read."""
    x = floats(2, 7)
    for name, split, attributes, parts in (
            ("sizes", np.array([3, 4], np.int64), dict(axis=1), (x[:, 3:], x[:, :3])),
            ("equal", np.array(3, np.int64), dict(axis=-1), (x[:, 6:], x[:, :3])),
            ("ones", None, dict(axis=0), (x[1:], x[:1])),
            ("rows", None, dict(axis=1, keepdims=0), (x[:, 6], x[:, 0]))):
        constants = {"last": np.array(-1, np.int64), "first": np.array(0, np.int64)}
        constants.update({} if split is None else {"split": split})
        nodes = [helper.make_node("SplitToSequence", ["x"] if split is None else ["x", "split"], ["parts"], "node",
                                  **attributes),
                 helper.make_node("SequenceAt", ["parts", "last"], ["y0"], "last"),
                 helper.make_node("SequenceAt", ["parts", "first"], ["y1"], "first")]
        write(f"split_to_sequence_{name}", 11, nodes, {"x": x}, dict(zip(("y0", "y1"), parts)), constants)


# --- Conv ---------------------------------------------------------------------------------------------------------

def windows(kernel, strides, dilations, result):
    """For each element of the kernel: its place, and the slice of the padded image that meets it."""
    for place in np.ndindex(*kernel):
        yield place, tuple(slice(k * d, k * d + (r - 1) * s + 1, s)
                           for k, d, r, s in zip(place, dilations, result, strides))


def convolve(x, w, strides, dilations, low, high, group=1):
    padded = np.pad(x, [(0, 0), (0, 0), *zip(low, high)])
    kernel, size = w.shape[2:], padded.shape[2:]
    result = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(size, kernel, dilations, strides)]
    y = np.zeros((x.shape[0], w.shape[0], *result), np.float32)
    for m in range(w.shape[0]):
        first = m // (w.shape[0] // group) * w.shape[1]
        for place, part in windows(kernel, strides, dilations, result):
            for c in range(w.shape[1]):
                y[:, m] += w[(m, c, *place)] * padded[(slice(None), first + c, *part)]
    return y


def spread(x, w, strides, dilations, group=1):
    """A transposed convolution before padding is taken away."""
    kernel, size = w.shape[2:], x.shape[2:]
    whole = [(n - 1) * s + (k - 1) * d + 1 for n, k, d, s in zip(size, kernel, dilations, strides)]
    y = np.zeros((x.shape[0], w.shape[1] * group, *whole), np.float32)
    for c in range(x.shape[1]):
        first = c // (x.shape[1] // group) * w.shape[1]
        for place, part in windows(kernel, strides, dilations, size):
            for m in range(w.shape[1]):
                y[(slice(None), first + m, *part)] += w[(c, m, *place)] * x[:, c]
    return y


def resized(y, low, size):
    """From `low` on, with zeros where there is nothing."""
    padded = np.pad(y, [(0, 0), (0, 0), *((0, n) for n in size)])
    return padded[(slice(None), slice(None), *(slice(l, l + n) for l, n in zip(low, size)))].copy()


def convolutions():
    one_one, two_three = dict(strides=(1, 1), dilations=(1, 1)), dict(strides=(2, 3), dilations=(1, 1))
    image = floats(2, 4, 7, 8)
    for opset, name, shape, group, bias, strides, dilations, pads, more in (
            (6, "all", (6, 2, 3, 2), 2, True, (2, 1), (1, 2), (1, 0, 2, 1), dict(kernel_shape=[3, 2], auto_pad="NOTSET")),
            (11, "bias", (3, 4, 3, 3), 1, True, (1, 1), (1, 1), (0, 0, 0, 0), {}),
            (22, "depthwise", (4, 1, 3, 3), 4, True, (1, 1), (1, 1), (1, 1, 1, 1), {}),
            (22, "dilations", (2, 4, 2, 3), 1, False, (1, 2), (3, 2), (0, 1, 1, 0), {}),
            (13, "valid", (2, 4, 3, 3), 1, False, (2, 2), (1, 1), (0, 0, 0, 0), dict(auto_pad="VALID")),
            (13, "one_output", (1, 4, 1, 1), 1, True, (3, 4), (1, 1), (0, 0, 0, 0), {})):
        w, b = floats(*shape), floats(shape[0])
        y = convolve(image, w, strides, dilations, pads[:2], pads[2:], group)
        attributes = dict(strides=strides, dilations=dilations, group=group, **more)
        if "auto_pad" not in more or more["auto_pad"] == "NOTSET":
            attributes["pads"] = pads
        one(f"conv_{opset}_{name}", opset, "Conv", [image, w, b] if bias else [image, w],
            [y + b[:, None, None] if bias else y], **attributes)
    for side, (low, high) in dict(upper=((0, 1), (1, 1)), lower=((1, 1), (0, 1))).items():
        # 7 elements, stride 2: 4 positions, which read 8; 8 elements, stride 3: 3 positions, which read 10
        w = floats(3, 4, 2, 4)
        y = convolve(image, w, (2, 3), (1, 1), low, high)
        one(f"conv_11_same_{side}", 11, "Conv", [image, w], [y], auto_pad=f"SAME_{side.upper()}", **two_three)
    line, volume = floats(2, 3, 9), floats(1, 2, 4, 5, 3)
    w = floats(4, 3, 3)
    one("conv_13_1d", 13, "Conv", [line, w], [convolve(line, w, (2,), (1,), (1,), (0,))], strides=[2], pads=[1, 0])
    w = floats(3, 2, 2, 3, 2)
    one("conv_13_3d", 13, "Conv", [volume, w], [convolve(volume, w, (1, 2, 1), (1, 1, 2), (1, 0, 1), (0, 1, 0))],
        strides=[1, 2, 1], dilations=[1, 1, 2], pads=[1, 0, 1, 0, 1, 0])
    small = floats(2, 4, 3, 4)
    for opset, name, shape, group, strides, dilations, pads, beyond, more in (
            (6, "all", (4, 3, 3, 2), 2, (2, 3), (1, 2), (1, 0, 2, 1), (1, 2), dict(kernel_shape=[3, 2], auto_pad="NOTSET")),
            (11, "depthwise", (4, 1, 3, 3), 4, (2, 2), (1, 1), (1, 1, 1, 1), (1, 1), {}),
            (22, "dilations", (4, 2, 3, 2), 1, (2, 2), (2, 3), (0, 1, 1, 0), (0, 0), {}),
            (22, "valid", (4, 2, 2, 1), 1, (3, 2), (1, 1), (0, 0, 0, 0), (0, 0), dict(auto_pad="VALID")),
            (13, "beyond", (4, 2, 1, 2), 1, (1, 2), (1, 1), (0, 0, 0, 0), (2, 3), {})):
        w, b = floats(*shape), floats(shape[1] * group)
        whole = spread(small, w, strides, dilations, group)
        size = [n - l - h + o for n, l, h, o in zip(whole.shape[2:], pads[:2], pads[2:], beyond)]
        attributes = dict(strides=strides, dilations=dilations, group=group, output_padding=beyond, **more)
        if "auto_pad" not in more or more["auto_pad"] == "NOTSET":
            attributes["pads"] = pads
        one(f"convtranspose_{opset}_{name}", opset, "ConvTranspose", [small, w, b],
            [resized(whole, pads[:2], size) + b[:, None, None]], **attributes)
    w = floats(4, 2, 4, 3)
    whole = spread(small, w, (3, 2), (1, 1))  # 10x9
    for side, low in dict(upper=(0, 0), lower=(1, 1)).items():
        one(f"convtranspose_11_same_{side}", 11, "ConvTranspose", [small, w], [resized(whole, low, (9, 8))],
            auto_pad=f"SAME_{side.upper()}", strides=(3, 2))
    one("convtranspose_11_output_shape", 11, "ConvTranspose", [small, w], [resized(whole, (2, 0), (7, 12))],
        output_shape=(7, 12), strides=(3, 2))
    one("convtranspose_11_output_shape_upper", 11, "ConvTranspose", [small, w], [resized(whole, (1, 0), (7, 8))],
        output_shape=(7, 8), strides=(3, 2), auto_pad="SAME_UPPER")
    w = floats(3, 2, 3)
    one("convtranspose_13_1d", 13, "ConvTranspose", [line, w], [spread(line, w, (1,), (1,))], **{
        key: [1] for key in one_one})
    w = floats(2, 3, 2, 1, 3)
    one("convtranspose_13_3d", 13, "ConvTranspose", [volume, w], [spread(volume, w, (2, 1, 1), (1, 1, 1))],
        strides=[2, 1, 1])


def main(backend):
    for folder in [HERE / "made", *(HERE / "backend").glob("test_*")]:  # the licence stays
        shutil.rmtree(folder, ignore_errors=True)
    for name in (HERE / "backend.txt").read_text().split():
        shutil.copytree(pathlib.Path(backend) / name, HERE / "backend" / name)
    for make in (legacy_broadcast, elementwise, gemm, normalizations, reductions, shapes, constants, picks, sequences,
                 convolutions):
        make()
    image_cases.make(one, floats)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
