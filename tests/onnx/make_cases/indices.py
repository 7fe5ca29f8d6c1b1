# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements at given indices, sorting and running sums."""
import numpy as np

from cases import bools, floats, integers, one, write
from onnx import TensorProto, helper


def gather():
    x = floats(2, 3, 4)
    indices = integers(2, 2, 4, low=-3, high=3)
    one("gather_elements_middle", 13, "GatherElements", [x, indices], [np.take_along_axis(x, indices, 1)], axis=1)
    one("gather_elements_smaller", 11, "GatherElements", [x, indices[:, :, :3].copy()],
        [np.take_along_axis(x[:, :, :3], indices[:, :, :3], 1)], axis=1)
    places = np.stack([integers(2, 5, low=-2, high=2), integers(2, 5, low=-3, high=3)], -1)
    one("gather_nd_11", 11, "GatherND", [x, places], [x[places[..., 0], places[..., 1]]])
    rows = integers(2, 5, 1, low=-3, high=3)
    one("gather_nd_batch", 12, "GatherND", [x, rows], [np.stack([x[b][rows[b, :, 0]] for b in range(2)])],
        batch_dims=1)


def scattered(x, indices, updates, axis, rule):
    y = x.copy()
    for place in np.ndindex(*indices.shape):
        to = list(place)
        to[axis] = indices[place]
        y[tuple(to)] = rule(y[tuple(to)], updates[place])
    return y


rules = {"none": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": max, "min": min}


def scatter():
    x, updates = floats(3, 4), floats(2, 4)
    unique = np.array([[0, -1, 2, 1], [2, 1, -3, 0]], np.int64)
    for opset, op in ((9, "Scatter"), (11, "ScatterElements"), (16, "ScatterElements"), (18, "ScatterElements")):
        one(f"scatter_{opset}", opset, op, [x, unique, updates], [scattered(x, unique, updates, 0, rules["none"])],
            axis=0)
    often = integers(2, 4, low=-3, high=3)
    for opset, reductions in ((16, ["none", "add", "mul"]), (18, list(rules))):
        for reduction in reductions:
            indices = unique if reduction == "none" else often
            one(f"scatter_{reduction}_{opset}", opset, "ScatterElements", [x, indices, updates],
                [scattered(x, indices, updates, 0, rules[reduction])], axis=0, reduction=reduction)
    flags, changes = bools(3, 4), bools(2, 4)
    one("scatter_bool", 18, "ScatterElements", [flags, unique, changes],
        [scattered(flags, unique, changes, 0, rules["none"])])
    numbers, more = integers(3, 4), integers(2, 4)
    one("scatter_integers", 18, "ScatterElements", [numbers, often, more],
        [scattered(numbers, often, more, 0, rules["max"])], reduction="max")


def scatter_more():
    """Without an effect on the data of other cases."""
    x, updates = floats(2, 3, 4), floats(2, 5, 4)
    indices = integers(2, 5, 4, low=-3, high=3)
    for reduction in ("max", "mul"):
        one(f"scatter_{reduction}_middle", 18, "ScatterElements", [x, indices, updates],
            [scattered(x, indices, updates, 1, rules[reduction])], axis=1, reduction=reduction)
    fewer = indices[:1, :, :3].copy()
    one("scatter_max_smaller", 18, "ScatterElements", [x, fewer, updates[:1, :, :3].copy()],
        [scattered(x, fewer, updates[:1, :, :3], 1, rules["max"])], axis=1, reduction="max")
    shape = [("shape", np.array(updates.shape, np.int64))]
    nodes = [helper.make_node("ConstantOfShape", ["shape"], ["twos"],
                              value=helper.make_tensor("value", TensorProto.FLOAT, [1], [2.0])),
             helper.make_node("ScatterElements", ["x", "indices", "twos"], ["y"], axis=1)]
    write("scatter_same_number", 18, nodes, {"x": x, "indices": indices},
          {"y": scattered(x, indices, np.full_like(updates, 2), 1, rules["none"])}, shape)


def scatter_nd():
    x, updates = floats(4, 3, 2), floats(3, 2)
    unique, often = np.array([[0, 1], [3, -1], [2, 0]], np.int64), np.array([[0, 1], [3, -1], [0, -2]], np.int64)

    def expected(indices, rule):
        y = x.copy()
        for place, row in zip(indices, updates):
            y[tuple(place)] = [rule(a, b) for a, b in zip(y[tuple(place)], row)]
        return y

    one("scatter_nd_11", 11, "ScatterND", [x, unique, updates], [expected(unique, rules["none"])])
    for opset, reductions in ((16, ["none", "add", "mul"]), (18, list(rules))):
        for reduction in reductions:
            indices = unique if reduction == "none" else often
            one(f"scatter_nd_{reduction}_{opset}", opset, "ScatterND", [x, indices, updates],
                [expected(indices, rules[reduction])], reduction=reduction)


def top(x, k, axis, largest=True):
    order = np.argsort(-x if largest else x, axis, kind="stable").take(range(k), axis)
    return [np.take_along_axis(x, order, axis), order.astype(np.int64)]


def top_k():
    x = floats(3, 5, 2, low=-1, high=1)  # with equal elements
    two = [("k", np.array([2], np.int64))]
    one("top_k_1", 6, "TopK", [x], top(x, 2, 1), axis=1, k=2)
    one("top_k_10", 10, "TopK", [x], top(x, 2, 1), two, axis=1)
    one("top_k_smallest", 11, "TopK", [x], top(x, 2, 1, False), two, axis=1, largest=0, sorted=1)
    one("top_k_all", 11, "TopK", [x], top(x, 5, 1), [("k", np.array([5], np.int64))], axis=1, largest=1, sorted=0)
    numbers = integers(4, 7)
    one("top_k_integers", 24, "TopK", [numbers], top(numbers, 2, 1), two)
    with_nan = np.array([1, np.nan, 3, np.nan, -np.inf], np.float32)
    three = [("k", np.array([3], np.int64))]
    one("top_k_nan", 24, "TopK", [with_nan], [np.array([np.nan, np.nan, 3], np.float32), np.array([1, 3, 2], np.int64)],
        three)
    one("top_k_nan_smallest", 24, "TopK", [with_nan],
        [np.array([-np.inf, 1, 3], np.float32), np.array([4, 0, 2], np.int64)], three, largest=0)


def sums():
    x = floats(2, 7, 3)
    axis = [("axis", np.array(-2, np.int64))]
    one("cum_sum_exclusive", 11, "CumSum", [x], [np.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1].cumsum(1)], axis, exclusive=1)
    one("cum_sum_reverse", 14, "CumSum", [x], [x[:, ::-1].cumsum(1)[:, ::-1].copy()], axis, reverse=1)
    line = np.array([1, np.inf, 2], np.float32)
    one("cum_sum_infinite", 14, "CumSum", [line], [np.array([1, np.inf, np.inf], np.float32)],
        [("axis", np.array(0, np.int64))])


def places():
    x = floats(3, 5)
    one("eye_like_below", 9, "EyeLike", [x], [np.eye(3, 5, -1)], dtype=11, k=-1)
    one("eye_like", 22, "EyeLike", [x], [np.eye(3, 5, dtype=np.float32)])
    indices, values = np.array([[0, -1, 2], [4, 9, -9]], np.int64), np.array([-1.5, 2], np.float32)
    hot = np.where(np.arange(5)[None, :, None] == np.where(indices < 0, indices + 5, indices)[:, None], values[1],
                   values[0])
    node = helper.make_node("OneHot", ["indices", "depth", "values"], ["y"], name="node", axis=1)
    write("one_hot", 9, [node], {"indices": indices, "values": values}, {"y": hot}, [("depth", np.array([5], np.int64))])


def make():
    gather()
    scatter()
    scatter_nd()
    top_k()
    sums()
    places()
    scatter_more()
