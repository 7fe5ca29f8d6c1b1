# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move elements, constants and sequences."""
import numpy as np
from onnx import helper, numpy_helper

from cases import floats, integers, one, write


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


def rearrangements():
    x = floats(2, 8, 2, 3)
    dcr = x.reshape(2, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(2, 2, 4, 6)
    one("depthtospace_6", 6, "DepthToSpace", [x], [dcr], blocksize=2)
    crd = x.reshape(2, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 4, 6)
    one("depthtospace_11_crd", 11, "DepthToSpace", [x], [crd], blocksize=2, mode="CRD")
    one("spacetodepth_6", 6, "SpaceToDepth", [dcr], [x], blocksize=2)


def make():
    shapes()
    constants()
    picks()
    sequences()
    rearrangements()
