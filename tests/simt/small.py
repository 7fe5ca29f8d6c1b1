#!/usr/bin/env python3
"""Writes nets of the kinds of docs/examples/models, small enough for kernels whose every access is watched.

    small.py {mlp,lenet,resnet,gpt} FILE

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "examples" / "models"))
import write_model  # noqa: E402
import write_transformer  # noqa: E402


def mlp():
    """Products that are no multiples of what a tensor core multiplies at once."""
    net = write_model.Network("mlp", 1)
    x = net.relu(net.linear("image", "fc1", 21, 34), "relu1")
    net.linear(x, "fc2", 34, 10, "scores")
    return net.model(["batch", 21], ["batch", 10])


def lenet():
    """LeNet for images of 10x10 pixels, with 4 and 6 channels."""
    net = write_model.Network("lenet", 1)
    x = net.relu(net.conv("image", "conv1", 1, 4, 3), "relu1")
    x = net.relu(net.conv(x, "conv2", 4, 6, 3), "relu2")
    x = net.node("MaxPool", "pool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", "flatten", [x], axis=1)
    x = net.relu(net.linear(x, "fc1", 54, 12), "relu3")
    net.linear(x, "fc2", 12, 10, "scores")
    return net.model(["batch", 1, 10, 10], ["batch", 10])


def resnet():
    """The parts of a ResNet for images of 6x6 pixels: two blocks, of which the second halves the sizes."""
    net = write_model.Network("resnet", 1)
    x = net.relu(net.batch_norm(net.conv("image", "conv1", 3, 4, 3, 1, 1, bias=False), "bn1", 4), "relu")
    x = write_model.basic_block(net, x, "layer1", 4, 4, 1)
    x = write_model.basic_block(net, x, "layer2", 4, 8, 2)
    x = net.node("Flatten", "flatten", [net.node("GlobalAveragePool", "avgpool", [x])], axis=1)
    net.linear(x, "fc", 8, 5, "scores")
    return net.model(["batch", 3, 6, 6], ["batch", 5])


def gpt():
    return write_transformer.gpt(1, vocabulary=19, layers=2, width=16, heads=2, window=8)


Path(sys.argv[2]).write_bytes({"mlp": mlp, "lenet": lenet, "resnet": resnet, "gpt": gpt}[sys.argv[1]]())
