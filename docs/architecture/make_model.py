#!/usr/bin/env python3
"""Writes two_layers.onnx, the perceptron whose way docs/architecture.md follows: 16-32-10, ReLU, a symbolic batch.

Needs the Python packages onnx and numpy.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


def weight(name, *shape):
    values = random.uniform(-1, 1, shape) / np.sqrt(shape[-1])
    return numpy_helper.from_array(values.astype(np.float32), name)


graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["image", "fc1.weight", "fc1.bias"], ["fc1"], "/fc1/Gemm", transB=1),
        helper.make_node("Relu", ["fc1"], ["hidden"], "/relu/Relu"),
        helper.make_node("Gemm", ["hidden", "fc2.weight", "fc2.bias"], ["scores"], "/fc2/Gemm", transB=1),
    ],
    "two_layers",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 16])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 10])],
    [weight("fc1.weight", 32, 16), weight("fc1.bias", 32), weight("fc2.weight", 10, 32), weight("fc2.bias", 10)],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, pathlib.Path(__file__).parent / "two_layers.onnx")
