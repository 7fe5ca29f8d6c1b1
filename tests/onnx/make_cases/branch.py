# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs in attributes."""
import numpy as np
from onnx import TensorProto, helper

from cases import floats, write


def branch(name, nodes, output, shape):
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)])


def nested():
    """A known condition inside of a branch whose condition is an input, and inside of one that is taken."""
    x = floats(2, 3)
    inner = helper.make_node("If", ["known"], ["deep"], name="inner",
                             then_branch=branch("a", [helper.make_node("Exp", ["x"], ["t"])], "t", [2, 3]),
                             else_branch=branch("b", [helper.make_node("Abs", ["x"], ["t"])], "t", [2, 3]))
    outer = helper.make_node("If", ["flag"], ["y"], name="outer",
                             then_branch=branch("c", [inner, helper.make_node("Neg", ["deep"], ["t"])], "t", [2, 3]),
                             else_branch=branch("d", [helper.make_node("Identity", ["x"], ["t"])], "t", [2, 3]))
    for flag in (True, False):
        write(f"if_16_nested_{flag}".lower(), 16, [outer], {"x": x, "flag": np.array(flag)},
              {"y": -np.abs(x) if flag else x}, {"known": np.array([False])})


def make():
    nested()
