# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalizations and what softmax is made of."""
import math

import numpy as np

from cases import floats, one


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
        [(x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + np.float32(1e-5)) * scale[0]],
        epsion=1e-5)
    one("rmsnorm_23", 23, "RMSNormalization", [x, scale],
        [x / np.sqrt((x * x).mean(axes, keepdims=True) + np.float32(0.25)) * scale], axis=1, epsilon=0.25,
        stash_type=1)
    mean, deviation = x.mean((0, 2), keepdims=True), x.std((0, 2), keepdims=True)
    one("mvn_13_axes", 13, "MeanVarianceNormalization", [x], [(x - mean) / (deviation + 1e-9)], axes=[0, 2])
    one("lpnorm_1_l1", 11, "LpNormalization", [x], [x / np.abs(x).sum(1, keepdims=True)], axis=1, p=1)
    for opset, attributes in ((6, dict(is_test=1, ratio=0.75)), (7, dict(ratio=0.75)), (10, dict(ratio=0.75)),
                              (13, dict(seed=3))):
        one(f"dropout_{opset}", opset, "Dropout", [x], [x], **attributes)


def normalize(x, axes, epsilon):
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def normalizations_by_channels():
    x, scale, bias = floats(2, 6, 3, 5), floats(6), floats(6)
    along = (slice(None), None, None)
    y = normalize(x, (2, 3), 0.125) * scale[along] + bias[along]
    one("instancenorm_6", 6, "InstanceNormalization", [x, scale, bias], [y.astype(np.float32)], epsilon=0.125)
    row = x[:, :, 0]
    y = normalize(row, (2,), 1e-5) * scale[:, None] + bias[:, None]
    one("instancenorm_6_1d", 6, "InstanceNormalization", [row, scale, bias], [y.astype(np.float32)])
    groups = normalize(x.reshape(2, 3, 2, 3, 5), (2, 3, 4), 0.125)
    y = groups * scale[:3][:, None, None, None] + bias[:3][:, None, None, None]
    one("groupnorm_18", 18, "GroupNormalization", [x, scale[:3], bias[:3]], [y.reshape(x.shape).astype(np.float32)],
        num_groups=3, epsilon=0.125)
    y = groups.reshape(x.shape) * scale[along] + bias[along]
    one("groupnorm_21", 21, "GroupNormalization", [x, scale, bias], [y.astype(np.float32)], num_groups=3, epsilon=0.125,
        stash_type=1)
    for size, shape in ((2, (2, 5, 3)), (5, (1, 4, 2, 3)), (3, (3, 2))):
        x = floats(*shape)
        squares = np.zeros(x.shape)
        for c in range(shape[1]):
            low, high = max(0, c - (size - 1) // 2), min(shape[1], c + math.ceil((size - 1) / 2) + 1)
            squares[:, c] = (x[:, low:high].astype(np.float64) ** 2).sum(1)
        y = x / (0.5 + 0.75 / size * squares) ** 1.5
        one(f"lrn_6_size{size}", 6, "LRN", [x], [y.astype(np.float32)], alpha=0.75, beta=1.5, bias=0.5, size=size)


def make():
    normalizations()
    normalizations_by_channels()
