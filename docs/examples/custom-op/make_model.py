#!/usr/bin/env python3
"""Writes swish.onnx: a perceptron on images of 28x28 pixels with the activation my.ops.BiasSwish.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)
hidden = 32


def uniform(*shape):
    """As PyTorch begins a layer."""
    bound = 1 / np.sqrt(shape[-1])
    return rng.uniform(-bound, bound, shape).astype(np.float32)


parameters = {
    "fc1.weight": uniform(hidden, 784),
    "act.bias": np.zeros(hidden, np.float32),
    "act.beta": np.ones(hidden, np.float32),
    "fc2.weight": uniform(10, hidden),
    "fc2.bias": np.zeros(10, np.float32),
}
nodes = [
    helper.make_node("Transpose", ["fc1.weight"], ["w1"], "fc1.transpose", perm=[1, 0]),
    helper.make_node("MatMul", ["image", "w1"], ["h"], "fc1"),
    helper.make_node("BiasSwish", ["h", "act.bias", "act.beta"], ["a"], "act", domain="my.ops"),
    helper.make_node("Gemm", ["a", "fc2.weight", "fc2.bias"], ["scores"], "fc2", transB=1),
]
graph = helper.make_graph(
    nodes, "swish",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 784])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 10])],
    [numpy_helper.from_array(value, name) for name, value in parameters.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)])
model.ir_version = 8
onnx.save(model, os.path.join(os.path.dirname(os.path.abspath(__file__)), "swish.onnx"))
