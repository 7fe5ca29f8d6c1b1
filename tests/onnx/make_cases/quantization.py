# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QuantizeLinear and DequantizeLinear, which need integers of 8 or 16 bits between them."""
import numpy as np
from onnx import TensorProto, helper

import cases
from cases import floats, write


def grid(x, scale, zero, low, high):
    return (np.clip(np.rint(x / scale) + zero, low, high) - zero) * scale


def pair(name, opset, x, scale, zero, y, between=(), domain="", q={}, dq={}):
    """x to integers, perhaps some nodes, and back. A `zero` of None is left out."""
    constants = {"scale": np.asarray(scale, np.float32), **({} if zero is None else {"zero": zero})}
    operands = [*constants]
    nodes = [helper.make_node("QuantizeLinear", ["x", *operands], ["q"], domain=domain, name="there", **q), *between,
             helper.make_node("DequantizeLinear", [between[-1].output[0] if between else "q", *operands], ["y"],
                              domain=domain, name="back", **dq)]
    write(name, opset, nodes, {"x": x}, {"y": np.asarray(y, np.float32)}, constants)


def pairs():
    x = floats(3, 4, low=-20, high=20)
    for opset in (10, 13, 19, 21, 23):
        pair(f"quantize_{opset}", opset, x, 0.125, None, grid(x, 0.125, 0, 0, 255))
        zero, scales = np.array([-3, 5, 100], np.int8), np.array([0.25, 0.125, 0.5])
        if opset == 10:
            pair("quantize_10_zero", 10, x, 0.125, np.uint8(100), grid(x, 0.125, 100, 0, 255))
            continue
        axis = dict(axis=0)
        there = {**axis, **(dict(saturate=1) if opset >= 19 else {}),
                 **(dict(block_size=0, output_dtype=TensorProto.INT8) if opset >= 21 else {})}
        back = {**axis, **(dict(block_size=0) if opset >= 21 else {}),
                **(dict(output_dtype=TensorProto.FLOAT) if opset >= 23 else {})}
        y = grid(x, scales[:, None], zero[:, None].astype(float), -128, 127)
        pair(f"quantize_{opset}_axis", opset, x, scales, zero, y, q=there, dq=back)
    wide = floats(2, 3, low=-2000, high=2000)
    pair("quantize_contrib", 17, wide, 0.0625, None, grid(wide, 0.0625, 0, 0, 255), domain="com.microsoft")
    scales = np.array([0.0625, 0.125, 0.03125])
    zero = np.array([7, -9, 0], np.int16)
    pair("quantize_contrib_16", 17, wide, scales, zero, grid(wide, scales, zero.astype(float), -32768, 32767),
         domain="com.microsoft", q=dict(axis=-1), dq=dict(axis=-1))
    moved = helper.make_node("Transpose", ["q"], ["t"], perm=[1, 0], name="turn")
    pair("quantize_moved", 13, x, 0.25, np.uint8(128), grid(x, 0.25, 128, 0, 255).T, [moved])


def constants():
    """Integers in the file: a weight, whose grid stays, and a bias."""
    q = cases.random.integers(-128, 128, (4, 3)).astype(np.int8)
    bias = np.array([100, -200, 3], np.int32)
    x, scales = floats(2, 4), np.array([0.25, 0.5, 0.125], np.float32)
    zero = np.array([0, 3, -2], np.int8)
    nodes = [helper.make_node("DequantizeLinear", ["w", "scales", "zero"], ["wf"], axis=1),
             helper.make_node("DequantizeLinear", ["b", "step"], ["bf"]),
             helper.make_node("Gemm", ["x", "wf", "bf"], ["y"])]
    w = (q.astype(np.float32) - zero) * scales
    write("dequantize_weights", 13, nodes, {"x": x}, {"y": (x @ w + bias * 0.125).astype(np.float32)},
          {"w": q, "scales": scales, "zero": zero, "b": bias, "step": np.float32(0.125)})


def make():
    pairs()
    constants()
