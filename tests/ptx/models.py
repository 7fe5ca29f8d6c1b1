#!/usr/bin/env python3
"""Writes the nets of docs/examples/models with fewer layers, whose kernels are of the same shapes as those of the whole
nets: what NVIDIA's assembler says of a kernel depends on its shape.

    models.py {gpt,block,lenet,resnet,wide,deep} FILE

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "examples" / "models"))
import write_model  # noqa: E402
import write_transformer  # noqa: E402


def gpt():
    """One block of GPT-2 124M, and a part of its vocabulary, in rows of whole tiles."""
    return write_transformer.gpt(1, vocabulary=1024, layers=1, width=768, heads=12, window=256)


def block():
    return write_transformer.block(1, width=384, heads=6, hidden=1536, window=256)


def resnet():
    """ResNet-18 as it begins, up to the first block that halves the image."""
    net = write_model.Network("resnet", 1)
    x = net.relu(net.batch_norm(net.conv("image", "conv1", 3, 64, 3, 1, 1, bias=False), "bn1", 64), "relu")
    x = write_model.basic_block(net, x, "layer1", 64, 64, 1)
    x = write_model.basic_block(net, x, "layer2", 64, 128, 2)
    x = net.node("Flatten", "flatten", [net.node("GlobalAveragePool", "avgpool", [x])], axis=1)
    net.linear(x, "fc", 128, 10, "scores")
    return net.model(["batch", 3, 32, 32], ["batch", 10])


def wide():
    """Many hidden units and ten classes: the gradient of the hidden units is a product of ten steps."""
    net = write_model.Network("wide", 1)
    x = net.relu(net.linear("image", "fc1", 136, 1536), "relu1")
    net.linear(x, "fc2", 1536, 10, "scores")
    return net.model(["batch", 136], ["batch", 10])


def deep():
    """Many parameters: of a scaled loss, a kernel adds up the largest one's gradient and looks at the sums of all others."""
    net = write_model.Network("deep", 1)
    x = net.relu(net.linear("image", "first", 390, 64), "relu")
    for layer in range(57):
        x = net.relu(net.linear(x, f"fc{layer}", 64, 64), f"relu{layer}")
    net.linear(x, "last", 64, 10, "scores")
    return net.model(["batch", 390], ["batch", 10])


MODELS = {"wide": wide, "deep": deep, "gpt": gpt, "block": block, "lenet": lambda: write_model.lenet(1), "resnet": resnet}
Path(sys.argv[2]).write_bytes(MODELS[sys.argv[1]]())
