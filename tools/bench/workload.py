# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmark trains: models, batches, options. Only the standard library is needed."""
import array
import math
import random
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/examples/models"))
import write_model  # noqa: E402  (the examples' models, and how to write others)
import write_transformer  # noqa: E402
from random_transformer import RandomTransformer  # noqa: E402

ADAM = ("--optimizer=adam", "--lr=1e-3")
SGD = ("--optimizer=sgd", "--momentum=0.9", "--lr=0.01")


@dataclass(frozen=True)
class Workload:
    name: str       # as on the command line and in the JSON rows
    model: str      # the model's C prefix, and its key in peer.py
    onnx: object    # the file, or a function that gives its content
    batch: int
    input: tuple    # shape of an input row
    target: tuple   # shape of a target row
    work: int       # multiply-adds of a step as two operations: forward, backward, no gradient of the input
    options: tuple  # of `dlc compile`
    tokens: int = 0       # inputs are i64 tokens below it; else floats
    classes: int = 10     # targets are i64 labels below it; where 0, floats
    open_batch: bool = True   # the model leaves its batch open, as most do
    steps: int = 2000     # of a round
    batches: int = 16     # different ones, taken in turn
    net: object = None    # the RandomNet or RandomTransformer of a model made at random

    def row_bytes(self):
        """Of an input row and of a target row."""
        return ((8 if self.tokens else 4) * math.prod(self.input),
                (8 if self.classes else 4) * math.prod(self.target))

    def images(self):
        return len(self.input) == 3 and self.model != "attention"

    def onnx_file(self, folder):
        if isinstance(self.onnx, Path):
            return self.onnx
        path = folder / f"{self.name}.onnx"
        path.write_bytes(self.onnx())
        return path

    def write_batches(self, path):
        """All inputs of a batch, then its targets, batch after batch; the same file serves every side."""
        numbers = random.Random(1)
        drawn = lambda below, count: (array.array("q", (numbers.randrange(below) for _ in range(count))) if below
                                      else array.array("f", (numbers.random() for _ in range(count))))
        with open(path, "wb") as file:
            for _ in range(self.batches):
                count = self.batch * math.prod(self.input)
                if self.model == "circle":  # is a point inside the unit circle?
                    x = array.array("f", (numbers.gauss(0, 1) for _ in range(count)))
                    y = array.array("f", (a * a + b * b < 1 for a, b in zip(x[::2], x[1::2])))
                else:
                    x, y = drawn(self.tokens, count), drawn(self.classes, self.batch * math.prod(self.target))
                x.tofile(file)
                y.tofile(file)


def _perceptron(batch, widths):
    products = [2 * batch * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(products) - products[0]


def _mlp(batch):
    # The example's model: dropout 0.2 after both hidden layers.
    return Workload(f"mlp-b{batch}", "mlp", ROOT / "docs/examples/mlp/mlp.onnx", batch, (784,), (),
                    _perceptron(batch, (784, 256, 128, 10)), ("--loss=softmax-cross-entropy", *ADAM))


def _ffn():
    """The two layers inside a transformer's block, alone."""
    def write():
        net = write_model.Network("ffn", 1)
        net.linear(net.relu(net.linear("image", "fc1", 768, 3072), "relu"), "fc2", 3072, 768, "scores")
        return net.model(["batch", 768], ["batch", 768])
    return Workload("ffn", "ffn", write, 1024, (768,), (768,), _perceptron(1024, (768, 3072, 768)),
                    ("--loss=mse", *ADAM), classes=0, steps=10, batches=4)


def _taps(size, kernel, stride, padding):
    """Products along one axis of a convolution, those with the padding left out; and the size of the result."""
    out = (size + 2 * padding - kernel) // stride + 1
    return sum(0 <= o * stride + k - padding < size for o in range(out) for k in range(kernel)), out


def _conv(batch, channels, filters, size, kernel, stride=1, padding=0):
    """Operations of a convolution on square images, and the size of the result."""
    taps, out = _taps(size, kernel, stride, padding)
    return 2 * batch * channels * filters * taps * taps, out


def _lenet(batch):
    first, size = _conv(batch, 1, 32, 28, 3)
    second, _ = _conv(batch, 32, 64, size, 3)
    work = 2 * first + 3 * (second + 2 * batch * (9216 * 128 + 128 * 10))
    return Workload(f"lenet-b{batch}", "lenet", lambda: write_model.lenet(1), batch, (1, 28, 28), (), work,
                    ("--loss=softmax-cross-entropy", *SGD), steps=30, batches=8)


def _resnet18(batch):
    first, size = _conv(batch, 3, 64, 32, 3, 1, 1)
    others, channels = 2 * batch * 512 * 10, 64
    for filters in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if filters > 64 and block == 0 else 1
            shortcut, _ = _conv(batch, channels, filters, size, 1, stride)
            one, size = _conv(batch, channels, filters, size, 3, stride, 1)
            two, size = _conv(batch, filters, filters, size, 3, 1, 1)
            others += one + two + (shortcut if channels != filters else 0)
            channels = filters
    return Workload(f"resnet18-b{batch}", "resnet18", lambda: write_model.resnet18(1), batch, (3, 32, 32), (),
                    2 * first + 3 * others,
                    ("--loss=softmax-cross-entropy", "--running-variance=unbiased", *SGD), steps=3, batches=4)


def _block():
    """A transformer's block, in which all positions see all."""
    batch, width, window, hidden = 8, 512, 128, 2048
    products = 2 * batch * window * (4 * width * width + 2 * width * hidden) + 4 * batch * window * window * width
    return Workload(f"block-b{batch}", "block", lambda: write_transformer.block(1, width, 8, hidden, window), batch,
                    (window, width), (window, width), 3 * products,
                    ("--loss=mse", "--optimizer=adamw", "--lr=3e-4"), classes=0, steps=10, batches=4)


def _causal_pairs(window):
    """Of a position and one that it sees: no other scores are needed."""
    return window * (window + 1) // 2


def _gpt():
    """nanoGPT for characters, without dropout."""
    batch, vocabulary, layers, width, window = 4, 65, 6, 384, 256
    layer = 2 * batch * window * 12 * width * width + 4 * batch * width * _causal_pairs(window)
    return Workload(f"gpt-b{batch}", "gpt", lambda: write_transformer.gpt(1, vocabulary, layers, width, 6, window),
                    batch, (window,), (window,), 3 * (layers * layer + 2 * batch * window * width * vocabulary),
                    ("--loss=softmax-cross-entropy", "--class-axis=-1", "--optimizer=adamw", "--lr=1e-3",
                     "--betas=0.9,0.99", "--weight-decay=0.1"), tokens=vocabulary, classes=vocabulary, steps=3,
                    batches=4)


def _attention():
    """Causal attention alone, with the gradients of queries, keys and values (and their update, by SGD)."""
    batch, heads, window, size = 4, 6, 256, 64
    shape = (heads, window, size)
    return Workload("attention", "attention", lambda: write_transformer.attention(1, batch, *shape), batch, shape,
                    shape, 3 * 4 * batch * heads * size * _causal_pairs(window),
                    ("--loss=mse", "--optimizer=sgd", "--lr=0.01"), classes=0, open_batch=False, steps=100,
                    batches=4)


class RandomNet:
    """A perceptron or a convolutional net made by chance: no kernel can have been made for it alone.

    `layers` has (kind, numbers...): linear IN OUT, conv CHANNELS FILTERS KERNEL PADDING, batchnorm CHANNELS, relu,
    pool (maximum over 2x2), flatten. peer.py builds the same of PyTorch's modules, as layer0, layer1 ...
    """

    def __init__(self, seed, index):
        draw = random.Random(seed * 1000003 + index)
        self.batch, self.classes = draw.choice((8, 24, 32, 64, 100)), draw.randrange(2, 20)
        self.layers, self.work = [], 0
        if draw.random() < 0.5:
            self.image = (draw.randrange(4, 900),)
            features = self.image[0]
        else:
            features = self.convolutions(draw)
        for _ in range(draw.randrange(1, 4)):
            width = draw.randrange(8, 600)
            self.linear(features, width)
            self.layers.append(("relu",))
            features = width
        self.linear(features, self.classes)

    def products(self, operations):
        self.work += (3 if self.work else 2) * operations

    def linear(self, features, width):
        self.layers.append(("linear", features, width))
        self.products(2 * self.batch * features * width)

    def convolutions(self, draw):
        channels, size = draw.choice((1, 3, 4)), draw.randrange(8, 33)
        self.image = (channels, size, size)
        for _ in range(draw.randrange(1, 4)):
            filters, kernel = draw.randrange(4, 65), draw.choice((1, 3, 3, 5))
            padding = draw.randrange(kernel // 2 + 1)
            if kernel > size + 2 * padding:  # the pools before have left too little of the image
                kernel, padding = 1, 0
            operations, size = _conv(self.batch, channels, filters, size, kernel, 1, padding)
            self.layers.append(("conv", channels, filters, kernel, padding))
            self.products(operations)
            if draw.random() < 0.5:
                self.layers.append(("batchnorm", filters))
            self.layers.append(("relu",))
            channels = filters
            if size >= 8 and draw.random() < 0.7:
                self.layers.append(("pool",))
                size //= 2
        self.layers.append(("flatten",))
        return channels * size * size

    def write(self):
        net = write_model.Network("random", 1)
        value = "image"
        for i, (kind, *numbers) in enumerate(self.layers):
            name = f"layer{i}"
            if kind == "linear":
                last = i + 1 == len(self.layers)
                value = net.linear(value, name, *numbers, *(["scores"] if last else []))
            elif kind == "conv":
                value = net.conv(value, name, *numbers[:3], padding=numbers[3])
            elif kind == "batchnorm":
                value = net.batch_norm(value, name, *numbers)
            elif kind == "relu":
                value = net.relu(value, name)
            elif kind == "pool":
                value = net.node("MaxPool", name, [value], kernel_shape=[2, 2], strides=[2, 2])
            else:
                value = net.node("Flatten", name, [value], axis=1)
        return net.model(["batch", *self.image], ["batch", self.classes])


def _steps_of(work):
    """Of a round: about as long for all models made at random."""
    return max(3, min(500, int(2e10 / work)))


def random_workload(seed, index):
    net = RandomNet(seed, index)
    return Workload(f"random-{seed}-{index}", "random", net.write, net.batch, net.image, (), net.work,
                    ("--loss=softmax-cross-entropy", "--running-variance=unbiased", *SGD), classes=net.classes,
                    steps=_steps_of(net.work), batches=4, net=net)


def random_transformer_workload(seed, index):
    net = RandomTransformer(seed, index)
    loss = ("--loss=softmax-cross-entropy", "--class-axis=-1") if net.vocabulary else ("--loss=mse",)
    return Workload(f"random-transformer-{seed}-{index}", "random_transformer", net.write, net.batch, net.input(),
                    net.input(), net.work(), (*loss, "--optimizer=adamw", "--lr=3e-4"), tokens=net.vocabulary,
                    classes=net.vocabulary, steps=_steps_of(net.work()), batches=4, net=net)


WORKLOADS = {w.name: w for w in (
    Workload("circle", "circle", ROOT / "tools/bench/models/circle.onnx", 500, (2,), (1,),
             _perceptron(500, (2, 16, 8, 1)), ("--loss=bce", *ADAM), classes=0),
    _mlp(64), _mlp(256), _ffn(), _lenet(64), _resnet18(32), _block(), _gpt(), _attention(),
)}


def find(name):
    """The workload of that name; those made at random are called random-SEED-INDEX, or random-transformer-..."""
    if name.startswith("random-"):
        *kind, seed, index = name.split("-")
        make = random_transformer_workload if "transformer" in kind else random_workload
        return make(int(seed), int(index))
    return WORKLOADS[name]
