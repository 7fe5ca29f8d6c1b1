#!/usr/bin/env python3
"""Writes the convolutional nets of the examples as ONNX files, with random initial parameters.

usage: write_model.py {lenet,resnet18} FILE [--seed S]

Only Python's standard library is needed. A seed always gives the same bytes. Parameters have the names and the
distributions of PyTorch's modules (torch.nn.Conv2d, Linear and BatchNorm2d as they are created there).

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import math
import os
import random
import struct
import sys

FLOAT, INT64 = 1, 7  # onnx.TensorProto.DataType


# ---- protocol buffers: https://protobuf.dev/programming-guides/encoding, fields as in onnx.proto ----

def varint(number):
    number &= 2**64 - 1  # of negative numbers their complement
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number, value):
    """One field of a message: a whole number, a float, a text, or the bytes of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


def attribute(name, value):
    if isinstance(value, int):
        return message((1, name), (3, value), (20, 2))
    if isinstance(value, float):
        return message((1, name), (2, value), (20, 1))
    return message((1, name), *((8, item) for item in value), (20, 7))


def value_info(name, sizes, kind=FLOAT):
    dims = [message((1, message((2, size) if isinstance(size, str) else (1, size)))) for size in sizes]
    tensor = message((1, kind), (2, b"".join(dims)))
    return message((1, name), (2, message((1, tensor))))


# ---- layers: each takes the name of a value and returns that of its result ----

class Network:
    def __init__(self, name, seed):
        self.name = name
        self.random = random.Random(seed)
        self.nodes, self.initializers = [], []

    def node(self, operator, name, inputs, outputs=None, **attributes):
        outputs = outputs or [f"{name}.out"]
        self.nodes.append(message(*((1, value) for value in inputs), *((2, value) for value in outputs), (3, name),
                                  (4, operator), *((5, attribute(*pair)) for pair in attributes.items())))
        return outputs[0]

    def initializer(self, name, shape, values, kind=FLOAT):
        if sys.byteorder == "big":
            values.byteswap()
        self.initializers.append(message(*((1, size) for size in shape), (2, kind), (8, name),
                                         (9, values.tobytes())))
        return name

    def uniform(self, name, shape, fan_in):
        """Between -1/sqrt(fan_in) and 1/sqrt(fan_in): PyTorch's initial values of weights and biases."""
        bound, draw = 1 / math.sqrt(fan_in), self.random.random
        return self.initializer(name, shape, array.array(
            "f", ((2 * draw() - 1) * bound for _ in range(math.prod(shape)))))

    def filled(self, name, size, value):
        return self.initializer(name, [size], array.array("f", [value]) * size)

    def conv(self, x, name, channels, filters, kernel, stride=1, padding=0, bias=True):
        fan_in = channels * kernel * kernel
        inputs = [x, self.uniform(f"{name}.weight", [filters, channels, kernel, kernel], fan_in)]
        if bias:
            inputs.append(self.uniform(f"{name}.bias", [filters], fan_in))
        return self.node("Conv", name, inputs, kernel_shape=[kernel, kernel], strides=[stride, stride],
                         pads=[padding] * 4, dilations=[1, 1], group=1)

    def batch_norm(self, x, name, channels):
        inputs = [x, self.filled(f"{name}.weight", channels, 1), self.filled(f"{name}.bias", channels, 0),
                  self.filled(f"{name}.running_mean", channels, 0), self.filled(f"{name}.running_var", channels, 1)]
        outputs = [f"{name}.out", f"{name}.new_mean", f"{name}.new_var"]
        return self.node("BatchNormalization", name, inputs, outputs, epsilon=1e-5, momentum=0.9, training_mode=1)

    def linear(self, x, name, size, units, result=None):
        inputs = [x, self.uniform(f"{name}.weight", [units, size], size), self.uniform(f"{name}.bias", [units], size)]
        return self.node("Gemm", name, inputs, [result] if result else None, transB=1)

    def relu(self, x, name):
        return self.node("Relu", name, [x])

    def model(self, image, scores):
        """The file; `image` and `scores` are the shapes of its input and its output."""
        return self.file({"image": image}, {"scores": scores}, 17)

    def file(self, inputs, outputs, operator_set, kinds={}):
        """The file, of inputs and outputs {name: shape}; `kinds` has the types of those that are not FLOAT."""
        declare = lambda number, shapes: [(number, value_info(name, shape, kinds.get(name, FLOAT)))
                                          for name, shape in shapes.items()]
        graph = message(*((1, node) for node in self.nodes), (2, self.name),
                        *((5, tensor) for tensor in self.initializers), *declare(11, inputs), *declare(12, outputs))
        return message((1, 8 if operator_set < 19 else 9), (2, "dlc example"), (7, graph),
                       (8, message((1, ""), (2, operator_set))))


def lenet(seed, hidden=128):
    """Two convolutions, a maximum over 2x2 pixels and two linear layers, for images of 28x28 pixels."""
    net = Network("lenet", seed)
    x = net.relu(net.conv("image", "conv1", 1, 32, 3), "relu1")
    x = net.relu(net.conv(x, "conv2", 32, 64, 3), "relu2")
    x = net.node("MaxPool", "pool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", "flatten", [x], axis=1)
    x = net.relu(net.linear(x, "fc1", 9216, hidden), "relu3")
    net.linear(x, "fc2", hidden, 10, "scores")
    return net.model(["batch", 1, 28, 28], ["batch", 10])


def basic_block(net, x, name, channels, filters, stride):
    """He et al., Deep Residual Learning for Image Recognition (2015), figure 5, on the left."""
    shortcut = x
    x = net.relu(net.batch_norm(net.conv(x, f"{name}.conv1", channels, filters, 3, stride, 1, bias=False),
                                f"{name}.bn1", filters), f"{name}.relu1")
    x = net.batch_norm(net.conv(x, f"{name}.conv2", filters, filters, 3, 1, 1, bias=False), f"{name}.bn2", filters)
    if stride != 1 or channels != filters:
        shortcut = net.batch_norm(net.conv(shortcut, f"{name}.downsample.0", channels, filters, 1, stride, bias=False),
                                  f"{name}.downsample.1", filters)
    return net.relu(net.node("Add", f"{name}.add", [x, shortcut]), f"{name}.relu2")


def resnet18(seed, width=64):
    """ResNet-18 for images of 32x32 pixels: the first convolution is 3x3 and there is no first pooling. `width` is the
    number of channels that the first layers have; the last ones have eight times as many."""
    net = Network("resnet18", seed)
    x = net.relu(net.batch_norm(net.conv("image", "conv1", 3, width, 3, 1, 1, bias=False), "bn1", width), "relu")
    channels = width
    for layer, filters in enumerate((width, 2 * width, 4 * width, 8 * width), start=1):
        for block in range(2):
            stride = 2 if layer > 1 and block == 0 else 1
            x = basic_block(net, x, f"layer{layer}.{block}", channels, filters, stride)
            channels = filters
    x = net.node("Flatten", "flatten", [net.node("GlobalAveragePool", "avgpool", [x])], axis=1)
    net.linear(x, "fc", 8 * width, 10, "scores")
    return net.model(["batch", 3, 32, 32], ["batch", 10])


def write_file(path, content):
    """Complete, or not there at all."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "wb") as file:
        file.write(content)
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description="Writes a convolutional net of the examples as an ONNX file.")
    parser.add_argument("model", choices=["lenet", "resnet18"])
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1, help="of the initial parameters (default: %(default)s)")
    arguments = parser.parse_args()
    write_file(arguments.file, {"lenet": lenet, "resnet18": resnet18}[arguments.model](arguments.seed))


if __name__ == "__main__":
    main()
