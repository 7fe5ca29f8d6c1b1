#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models and PyTorch's references of the trajectory test (see README.md beside this file).

Needs torch, onnx, numpy and safetensors; the tests need none of them, because the results are stored.
Every number is seeded, so the same versions on the same kind of CPU give the same files. Names of models as
arguments make only these.
"""
import copy
import gzip
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.numpy import save_file
from torch import nn

import generated

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[2] / "docs" / "examples" / "data"
sys.path.insert(0, str(HERE.parents[2] / "tools" / "bench"))
import peer  # noqa: E402  the nets of the benchmark, which have the names of write_model.py
import transformer_peers  # noqa: E402  and of write_transformer.py
sys.path.insert(0, str(HERE.parents[2] / "docs" / "examples" / "tutorials"))
import in_pytorch as tutorials  # noqa: E402  the nets of the tutorials
STEPS = 100


def shipped_images(steps, rows, shape, mean=0.2860, deviation=0.3530):
    """Training images and labels in file order."""
    images = gzip.decompress((DATA / "train-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = gzip.decompress((DATA / "train-labels-idx1-ubyte.gz").read_bytes())[8:]
    # Scaled in double, then rounded once: what the IDX reader gives for scale 1/255, mean, deviation.
    x = (np.frombuffer(images, np.uint8)[: steps * rows * 784] / 255.0 - mean) / deviation
    y = np.frombuffer(labels, np.uint8)[: steps * rows].astype(np.int64)
    return dict(
        inputs=torch.from_numpy(x.astype(np.float32).reshape(steps, rows, *shape)),
        targets=torch.from_numpy(y.reshape(steps, rows)),
        data=dict(images="train-images-idx3-ubyte.gz", labels="train-labels-idx1-ubyte.gz", scale=1 / 255,
                  mean=mean, deviation=deviation))


def mlp():
    """784-256-128-10, softmax cross entropy, Adam, on the shipped images in file order."""
    model = nn.Sequential()
    for name, layer in (("fc1", nn.Linear(784, 256)), ("relu1", nn.ReLU()), ("fc2", nn.Linear(256, 128)),
                        ("relu2", nn.ReLU()), ("fc3", nn.Linear(128, 10))):
        model.add_module(name, layer)
    return dict(
        **shipped_images(STEPS, 64, (784,)), model=model, loss=nn.CrossEntropyLoss(),
        optimizer=lambda p: torch.optim.Adam(p, lr=1e-3),
        options=["--loss=softmax-cross-entropy", "--optimizer=adam", "--lr=1e-3"])


def convolutions():
    """28x28-16-10 with four convolutions (strides, padding, depthwise, 1x1), softmax cross entropy, SGD with momentum."""
    model = nn.Sequential()
    for name, layer in (("conv1", nn.Conv2d(1, 6, 5, stride=2, padding=2)), ("relu1", nn.ReLU()),
                        ("depthwise", nn.Conv2d(6, 6, 3, padding=1, groups=6)), ("relu2", nn.ReLU()),
                        ("pointwise", nn.Conv2d(6, 16, 1)), ("relu3", nn.ReLU()),
                        ("conv2", nn.Conv2d(16, 16, 3, stride=2)), ("relu4", nn.ReLU()), ("flatten", nn.Flatten()),
                        ("fc", nn.Linear(16 * 6 * 6, 10))):
        model.add_module(name, layer)
    return dict(
        **shipped_images(50, 32, (1, 28, 28)), model=model, loss=nn.CrossEntropyLoss(), steps=50,
        optimizer=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
        options=["--loss=softmax-cross-entropy", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"])


def circle():
    """2-16-8-1 with a sigmoid: is a point inside the unit circle? Binary cross entropy, AdamW."""
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1),
                          nn.Sigmoid())
    x = torch.randn(20, 500, 2)
    y = (x.pow(2).sum(2, keepdim=True) < 1).float()
    return dict(
        model=model, inputs=x, targets=y, loss=nn.BCELoss(),
        optimizer=lambda p: torch.optim.AdamW(p, lr=1e-2, weight_decay=0.01),
        options=["--loss=bce", "--optimizer=adamw", "--lr=1e-2", "--weight-decay=0.01"])


def regression():
    """8-32-32-1 with batch normalization and GELU: a smooth function of 8 inputs, mse, SGD with momentum."""
    # No bias before a batch normalization: its gradient is zero but for rounding.
    model = nn.Sequential(nn.Linear(8, 32, bias=False), nn.BatchNorm1d(32), nn.GELU(),
                          nn.Linear(32, 32, bias=False), nn.BatchNorm1d(32), nn.GELU(), nn.Linear(32, 1))
    x = torch.randn(20, 64, 8)
    y = torch.sin(x[..., :4].sum(-1, keepdim=True)) + 0.5 * x[..., 4:5] * x[..., 5:6]
    return dict(
        model=model, inputs=x, targets=y, loss=nn.MSELoss(),
        optimizer=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"])


class MaskedAttention(nn.Module):
    """One head that sees earlier places only, by a mask that is added and by one that is filled in."""

    def __init__(self):
        super().__init__()
        # No bias of the keys: its gradient is zero but for rounding.
        self.query, self.value, self.out = (nn.Linear(8, 8) for _ in range(3))
        self.key = nn.Linear(8, 8, bias=False)
        earlier = torch.ones(4, 4).tril() > 0
        self.register_buffer("mask", torch.zeros(4, 4).masked_fill(~earlier, -torch.inf))
        self.register_buffer("later", ~earlier)

    def forward(self, x):
        for _ in range(2):
            scores = self.query(x) @ self.key(x).transpose(1, 2) / 8**0.5
            added = torch.softmax(scores + self.mask, -1)
            filled = torch.softmax(scores.masked_fill(self.later, -torch.inf) * 2, -1)
            x = x + torch.tanh(self.out((added + filled) @ self.value(x)))
        return x


def masked():
    """Attention of 4 places with masks of -inf: mse, AdamW, whose weight decay must not reach the masks."""
    x = torch.randn(10, 6, 4, 8)
    return dict(
        model=MaskedAttention(), inputs=x, targets=torch.sin(x.cumsum(2)), loss=nn.MSELoss(), steps=50,
        scalars_as_initializers=True,
        optimizer=lambda p: torch.optim.AdamW(p, lr=3e-3, weight_decay=0.1),
        options=["--loss=mse", "--optimizer=adamw", "--lr=3e-3", "--weight-decay=0.1"])


def statistics(rows):
    """8-16-4 with batch normalization on small or large batches: what it keeps for evaluation."""
    model = nn.Sequential(nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
    x = torch.randn(10, rows, 8)
    return dict(
        model=model, inputs=x, targets=torch.tanh(x[..., :4] * 2), loss=nn.MSELoss(), steps=30, evaluated=True,
        optimizer=lambda p: torch.optim.SGD(p, lr=0.02),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.02"])


def statistics3():
    return statistics(3)


def statistics64():
    return statistics(64)


class AlongLastAxis(nn.CrossEntropyLoss):
    """Cross entropy of [rows, places, classes]: PyTorch wants the classes along axis 1."""

    def forward(self, prediction, targets):
        return super().forward(prediction.transpose(1, 2), targets)


def sequence():
    """5-16-7 at each of 6 places, classes along the last axis, some labels ignored, smoothed; RMSprop."""
    model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 7))
    x = torch.randn(20, 16, 6, 5)
    y = (x * torch.tensor([1.0, 2.0, 3.0, 2.0, 1.0])).sum(-1).clamp(-6.9, 6.9).add(7).div(2).long()
    y[torch.rand(y.shape) < 0.1] = -100
    return dict(
        model=model, inputs=x, targets=y, loss=AlongLastAxis(label_smoothing=0.1),
        optimizer=lambda p: torch.optim.RMSprop(p, lr=0.01),
        options=["--loss=softmax-cross-entropy", "--class-axis=-1", "--label-smoothing=0.1",
                 "--optimizer=rmsprop", "--lr=0.01"])


def clipped():
    """6-24-3, the norm of all gradients clipped to 0.5, which the first steps exceed: mse, SGD with momentum."""
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 3))
    x = torch.randn(10, 32, 6)
    return dict(
        model=model, inputs=x, targets=2 * torch.tanh(x[..., :3] + x[..., 3:]), loss=nn.MSELoss(), clip=0.5,
        optimizer=lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.05", "--momentum=0.9", "--clip-grad-norm=0.5"])


class Sampled(nn.Module):
    """An image read at places that a layer finds, in each way; then blocks that overlap, added up."""

    WAYS = (("bilinear", "zeros", False), ("bilinear", "border", True), ("bilinear", "reflection", True),
            ("bilinear", "reflection", False), ("bicubic", "zeros", False), ("bicubic", "border", True),
            ("bicubic", "reflection", False), ("nearest", "zeros", False), ("nearest", "reflection", True))

    def __init__(self):
        super().__init__()
        self.places, self.scores = nn.Linear(12, 6 * len(self.WAYS)), nn.Linear(3 * 5 * 6, 4)
        self.filter = nn.Conv2d(3, 3 * 4, 2)

    def forward(self, x):
        maps = self.places(x[:, :, 1, :4].flatten(1)).view(-1, len(self.WAYS), 2, 3)
        seen = 0
        for i, (mode, padding, aligned) in enumerate(self.WAYS):
            grid = nn.functional.affine_grid(0.8 * torch.eye(2, 3) + maps[:, i], (x.shape[0], 3, 5, 6), aligned)
            seen = seen + nn.functional.grid_sample(x, grid, mode, padding, aligned)
        blocks = torch.tanh(self.filter(seen)).flatten(2)
        return self.scores((seen + nn.functional.fold(blocks, (5, 6), 2)).flatten(1))


def sampled():
    """3x7x9 images read at 5x6 learned places in nine ways, then Fold; mse, SGD with momentum."""
    x = torch.randn(10, 8, 3, 7, 9).cumsum(-1).div(3)
    return dict(
        model=Sampled(), inputs=x, targets=torch.sin(x[..., 2, :4].sum(-2)), loss=nn.MSELoss(), steps=50, opset=20,
        optimizer=lambda p: torch.optim.SGD(p, lr=1e-3, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=1e-3", "--momentum=0.9"])


class Hamiltonian(nn.Module):
    """2-24-1, tanh; the prediction is its symplectic gradient, (dH/dp, -dH/dq) (Greydanus et al. 2019)."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(2, 24), nn.Linear(24, 1, bias=False)

    def forward(self, x):
        x = x.detach().requires_grad_()
        energy = self.fc2(torch.tanh(self.fc1(x))).sum()
        slope, = torch.autograd.grad(energy, x, create_graph=True)
        return torch.cat([slope[:, 1:], -slope[:, :1]], 1)


def hamiltonian():
    """A pendulum's motion as the symplectic gradient of a net: training differentiates a gradient. mse, Adam."""
    model, x = Hamiltonian(), torch.randn(10, 33, 2)
    return dict(
        model=model, described=True, inputs=x, targets=torch.stack([x[..., 1], -torch.sin(x[..., 0])], -1),
        loss=nn.MSELoss(), optimizer=lambda p: torch.optim.Adam(p, lr=1e-2),
        options=["--loss=mse", "--optimizer=adam", "--lr=1e-2"])


class Binary(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return torch.where(x > 0, torch.ones_like(x), -1)

    @staticmethod
    def backward(context, gradient):
        return gradient * (context.saved_tensors[0].abs() <= 1)


class Scaled(torch.autograd.Function):
    """x scaled; the gradient is reversed and reads the result."""

    @staticmethod
    def forward(context, x, scale):
        y = torch.tanh(x * scale)
        context.save_for_backward(y, scale)
        return y

    @staticmethod
    def backward(context, gradient):
        y, scale = context.saved_tensors
        return -0.5 * gradient * (1 - y * y), (gradient * y).sum(0)


class Estimators(nn.Module):
    """6-16-16-3 with binary activations, a reversed gradient, a clamped one and a stopped one."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 3)
        self.scale = nn.Parameter(torch.full((16,), 0.5))

    def forward(self, x):
        a = self.fc1(x)
        h = Binary.apply(a) + 0.3 * a
        h.register_hook(lambda gradient: gradient.clamp(-1e-3, 1e-3))
        y = Scaled.apply(self.fc2(h), self.scale)
        return self.fc3(y + h) + (y.detach() * h).sum(1, keepdim=True) * 0.1


def estimators():
    """Functions with a backward of their own, hooks and detached values in a training step. mse, SGD with momentum."""
    model, x = Estimators(), torch.randn(10, 17, 6)
    return dict(
        model=model, described=True, inputs=x, targets=torch.tanh(x[..., :3] - x[..., 3:]), loss=nn.MSELoss(),
        steps=50, optimizer=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"])


def from_file(model, name):
    """The module with the parameters of a model that is not stored."""
    graph = onnx.load_from_string(generated.MODELS[name]()).graph
    state = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer
             if t.data_type == onnx.TensorProto.FLOAT}
    missing = model.load_state_dict(state, strict=False)
    assert not missing.unexpected_keys and all("num_batches_tracked" in key for key in missing.missing_keys)
    return model


def momentum(rate):
    """SGD with momentum, of PyTorch and of dlc."""
    return dict(optimizer=lambda p: torch.optim.SGD(p, lr=rate, momentum=0.9),
                options=["--loss=softmax-cross-entropy", "--optimizer=sgd", f"--lr={rate}", "--momentum=0.9"])


def lenet():
    """28x28-32-64-128-10: two convolutions, max pooling, two linear layers; SGD with momentum."""
    return dict(
        **shipped_images(50, 64, (1, 28, 28)), model=from_file(peer.LeNet(), "lenet"), loss=nn.CrossEntropyLoss(),
        steps=50, generated=True, runs=8, **momentum(0.003))


def residual(name, width, rows, steps, runs):
    x, y = generated.images(5, rows, (3, 32, 32), 10)
    return dict(
        inputs=torch.from_numpy(x), targets=torch.from_numpy(y), model=from_file(peer.ResNet18(width), name), steps=steps,
        loss=nn.CrossEntropyLoss(), generated=True, runs=runs, data=dict(batches=5, shape=[3, 32, 32], classes=10),
        **momentum(0.001))


def resnet18_narrow():
    """ResNet-18 for images of 32x32 with a quarter of its channels, batch normalization; SGD with momentum."""
    return residual("resnet18_narrow", 16, 16, 50, runs=6)


def resnet18():
    """ResNet-18 for images of 32x32, batch normalization; SGD with momentum."""
    return residual("resnet18", 64, 8, 20, runs=4)


def block():
    """A transformer's block of 128 positions, width 512, 8 heads, 2048 wide in the middle; mse, AdamW."""
    x, y = map(torch.from_numpy, generated.numbers(2, 8, (128, 512)))
    return dict(
        inputs=x, targets=y, model=from_file(transformer_peers.Block(512, 8, 2048), "block"), steps=50,
        loss=nn.MSELoss(), generated=True, runs=3, data=dict(batches=2, shape=[128, 512]),
        optimizer=lambda p: torch.optim.AdamW(p, lr=3e-4),
        options=["--loss=mse", "--optimizer=adamw", "--lr=3e-4"])


def language_model(name, layers, width, heads, window, rows, runs, steps=STEPS):
    x, y = map(torch.from_numpy, generated.tokens(4, rows, window, 65))
    return dict(
        inputs=x, targets=y, model=from_file(transformer_peers.GPT(65, layers, width, heads, window), name), steps=steps,
        loss=transformer_peers.AlongLastAxis(), generated=True, runs=runs,
        data=dict(batches=4, shape=[window], tokens=65),
        optimizer=lambda p: torch.optim.AdamW(p, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1),
        options=["--loss=softmax-cross-entropy", "--class-axis=-1", "--optimizer=adamw", "--lr=1e-3",
                 "--betas=0.9,0.99", "--weight-decay=0.1"])


def gpt_narrow():
    """A GPT with 2 layers of width 48, 3 heads, 32 positions, tied head; cross entropy, AdamW."""
    return language_model("gpt_narrow", 2, 48, 3, 32, rows=6, runs=4)


def gpt():
    """A GPT with 6 layers of width 384, 6 heads, 256 positions, tied head; cross entropy, AdamW."""
    return language_model("gpt", 6, 384, 6, 256, rows=4, runs=3, steps=50)


class Bert(nn.Module):
    """That of docs/examples/models/write_bert.py."""

    def __init__(self, kind, vocabulary=200, layers=2, width=64, window=32, classes=2):
        super().__init__()
        self.embeddings = nn.Module()
        self.embeddings.words, self.embeddings.places = nn.Embedding(vocabulary, width), nn.Embedding(window, width)
        self.embeddings.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList()
        for _ in range(layers):
            layer = nn.Module()
            layer.attn, layer.norm1, layer.norm2 = nn.Module(), nn.LayerNorm(width), nn.LayerNorm(width)
            layer.attn.qkv, layer.attn.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            layer.fc, layer.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.layers.append(layer)
        if kind == "words":
            self.head = nn.Module()
            self.head.transform, self.head.norm = nn.Linear(width, width), nn.LayerNorm(width)
            self.head.bias = nn.Parameter(torch.zeros(vocabulary))
        else:
            self.pooler, self.classifier = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, tokens, mask):
        x = self.embeddings.norm(self.embeddings.words(tokens) + self.embeddings.places.weight)
        for layer in self.layers:
            q, k, v = (part.unflatten(2, (2, -1)).transpose(1, 2) for part in layer.attn.qkv(x).chunk(3, 2))
            y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None].bool())
            x = layer.norm1(x + layer.attn.proj(y.transpose(1, 2).flatten(2)))
            x = layer.norm2(x + layer.out(nn.functional.gelu(layer.fc(x))))
        if hasattr(self, "head"):
            x = self.head.norm(nn.functional.gelu(self.head.transform(x)))
            return x @ self.embeddings.words.weight.T + self.head.bias
        words = mask[:, :, None].to(x.dtype)
        return self.classifier(torch.tanh(self.pooler((x * words).sum(1) / words.sum(1))))


def bert(kind, targets_of):
    """Rows of different lengths. As in the example, biases and normalizations have no weight decay."""
    x = torch.from_numpy(generated.tokens(4, 16, 32, 200)[0])
    mask = (torch.arange(32) < (32 - torch.arange(16) * 5 % 20)[:, None]).long().expand(4, 16, 32).contiguous()
    model = from_file(Bert(kind), kind)

    def optimizer(parameters):
        parameters = list(parameters)
        return torch.optim.AdamW([{"params": [p for p in parameters if p.ndim > 1]},
                                  {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0}], lr=1e-3)

    return dict(inputs=x, mask=mask, targets=targets_of(x, mask), model=model, generated=True, runs=3, optimizer=optimizer,
                options=["--loss=softmax-cross-entropy", "--optimizer=adamw", "--lr=1e-3", "--no-decay=*.bias",
                         "--no-decay=*norm*.weight"])


def words():
    """The example's BERT (2 layers of width 64, 32 places, 200 words), masked words: cross entropy, AdamW."""
    # Every third word has to be found: the one before it.
    hidden = torch.arange(32) % 3 == 1
    case = bert("words", lambda x, mask: torch.where(hidden & (mask > 0), x.roll(1, -1), -100))
    return {**case, "loss": transformer_peers.AlongLastAxis(), "options": case["options"] + ["--class-axis=-1"]}


def classes():
    """The same encoder for two classes, its embeddings and first layer frozen: cross entropy, AdamW."""
    case = bert("classes", lambda x, mask: (x[..., 0] < 100).long())
    for module in (case["model"].embeddings, case["model"].layers[0]):
        module.requires_grad_(False)
    return {**case, "loss": nn.CrossEntropyLoss(), "options": case["options"] + ["--freeze=embeddings.*", "--freeze=layers.0.*"]}


def adam(rate):
    return dict(optimizer=lambda p: torch.optim.Adam(p, lr=rate), options=["--optimizer=adam", f"--lr={rate}"])


def points():
    """The tutorial's 2-16-8-1: which of two circles is a point on? All points in one batch; bce, Adam."""
    angle, radius = torch.rand(1, 800, 1) * 2 * torch.pi, torch.where(torch.arange(800) % 2 == 0, 1.0, 0.8).view(1, 800, 1)
    x = torch.cat([angle.cos(), angle.sin()], 2) * radius + 0.03 * torch.randn(1, 800, 2)
    torch.manual_seed(0)
    return dict(model=tutorials.points(), described=True, inputs=x, targets=(radius < 0.9).float(), loss=nn.BCELoss(),
                **adam(1e-2))


def clothes(build, shape=(784,)):
    """Pixels from 0 to 1, as dlc train reads them."""
    return dict(**shipped_images(STEPS, 64, shape, mean=0.0, deviation=1.0), model=build(), described=True, sketched=True, loss=nn.CrossEntropyLoss(),
                **adam(1e-3))


def digits():
    """The tutorial's 784-128-10 on the shipped images in file order; softmax cross entropy, Adam."""
    return clothes(tutorials.digits)


def fashion():
    """The tutorial's 784-256-128-10, as above."""
    return clothes(tutorials.fashion)


def frozen():
    """The tutorial's 784-256-128-10, of which only the last layer is trained, as above."""
    case = clothes(tutorials.fashion)
    case["model"].fc1.requires_grad_(False)
    case["model"].fc2.requires_grad_(False)
    return case


def teacher():
    """The tutorial's large perceptron, 784-256-10, as above."""
    return clothes(lambda: tutorials.perceptron(256))


def student():
    """The tutorial's small perceptron, 784-16-10, on the scores of a large one: mse, Adam."""
    case = clothes(lambda: tutorials.perceptron(16))
    inputs = case["inputs"][:10]  # ten batches, taken in turn
    targets = tutorials.perceptron(256)(inputs).detach() * 10
    return {**case, "inputs": inputs, "targets": targets, "stored_targets": True, "loss": nn.MSELoss()}


def cnn():
    """The tutorial's two convolutions with max pooling and a linear layer, as above."""
    return {**clothes(tutorials.cnn, (1, 28, 28)), "runs": 6}


def batchnorm():
    """The tutorial's 784-256-128-10 with batch normalization, as above."""
    return {**clothes(tutorials.batchnorm), "evaluated": True}


class Gpt(nn.Module):
    """That of docs/examples/tutorials/characters.h, its layers in the same order."""

    def __init__(self, width=64, layers=2, window=32):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(65, width), nn.Embedding(window, width)
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            block = nn.Module()
            block.ln1, block.attn, block.ln2 = nn.LayerNorm(width), nn.Module(), nn.LayerNorm(width)
            block.attn.qkv, block.attn.proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
            block.fc, block.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.blocks.append(block)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 65, bias=False)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            parts = block.attn.qkv(block.ln1(x)).chunk(3, 2)
            q, k, v = (part.unflatten(2, (4, -1)).transpose(1, 2) for part in parts)
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + block.attn.proj(y.transpose(1, 2).flatten(2))
            x = x + block.out(nn.functional.gelu(block.fc(block.ln2(x))))
        return self.head(self.norm(x)).transpose(1, 2)


def characters():
    """The tutorial's GPT with 2 layers of width 64, 4 heads, 32 positions; cross entropy along axis 1, AdamW."""
    x, y = map(torch.from_numpy, generated.tokens(4, 16, 32, 65))
    return dict(
        inputs=x, targets=y, model=Gpt(), described=True, sketched=True, loss=nn.CrossEntropyLoss(), runs=3,
        class_axis=1, data=dict(batches=4, shape=[32], tokens=65),
        optimizer=lambda p: torch.optim.AdamW(p, lr=2e-3), options=["--optimizer=adamw", "--lr=2e-3"])


def as_input(tensor, dtype):
    """Numbers of that type; tokens and labels as they are."""
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def arguments(case, batch, dtype):
    """What the model takes."""
    inputs = [as_input(case["inputs"][batch], dtype)]
    return inputs + [case["mask"][batch]] if "mask" in case else inputs


def count_correct(case, scores):
    """How many labels of the first batch the largest score is at, or how many rows a binary one is right for; None
    for other values."""
    targets = case["targets"][0]
    if isinstance(case["loss"], nn.BCELoss):
        return int(((scores > 0.5) == (targets > 0.5)).all(-1).sum())
    if targets.is_floating_point():
        return None
    return int((scores.argmax(case.get("class_axis", -1)) == targets).sum())


def untrained_correct(case):
    return count_correct(case, copy.deepcopy(case["model"]).double().eval()(*arguments(case, 0, torch.float64)))


def export(model, inputs, path, scalars_as_initializers, opset):
    """Writes the file; the model as it is afterwards: tracing in training mode moves running statistics."""
    warnings.filterwarnings("ignore")  # a newer exporter exists; BatchNorm's batch counter is left out
    model = copy.deepcopy(model).train()
    torch.onnx.export(
        model, (inputs[0],), str(path), input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}}, opset_version=opset,
        training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, dynamo=False)
    if scalars_as_initializers:  # as the newer exporter writes them
        proto = onnx.load(path)
        constants = [node for node in proto.graph.node if node.op_type == "Constant"]
        for node in constants:
            proto.graph.initializer.append(node.attribute[0].t)
            proto.graph.initializer[-1].name = node.output[0]
            proto.graph.node.remove(node)
        onnx.save(proto, path)
    return model


def train(case, dtype):
    """Losses of all steps, the first step's gradients, predictions after the last, and what evaluation says of these, all
    of it computed in `dtype`."""
    model = copy.deepcopy(case["model"]).to(dtype).train()
    optimizer = case["optimizer"](model.parameters())
    losses, gradients = [], {}
    for step in range(case.get("steps", STEPS)):
        batch = step % len(case["inputs"])
        targets = case["targets"][batch]
        optimizer.zero_grad()
        prediction = model(*arguments(case, batch, dtype))
        loss = case["loss"](prediction, as_input(targets, dtype))
        loss.backward()
        if step == 0:
            gradients = {name: p.grad.double().numpy().copy() for name, p in model.named_parameters()
                         if p.requires_grad}
        if "clip" in case:
            torch.nn.utils.clip_grad_norm_(model.parameters(), case["clip"])
        optimizer.step()
        losses.append(loss.item())
    evaluation = model.eval()(*arguments(case, 0, dtype)).detach()
    trained = case["loss"](evaluation, as_input(case["targets"][0], dtype)).item(), count_correct(case, evaluation)
    return np.array(losses), gradients, evaluation.double().numpy(), trained


def shuffled(case, seed):
    """The same steps with the rows of each batch in another order, for odd seeds images with channels last: other sums."""
    torch.manual_seed(seed)
    orders = [torch.randperm(case["inputs"].shape[1]) for _ in case["inputs"]]
    layout = torch.channels_last if seed % 2 and case["inputs"].dim() == 5 else torch.contiguous_format
    rows = {name: [x[order] for x, order in zip(case[name], orders)] for name in ("targets", "mask") if name in case}
    return {**case, **rows, "model": copy.deepcopy(case["model"]).to(memory_format=layout),
            "inputs": [x[order].contiguous(memory_format=layout) for x, order in zip(case["inputs"], orders)]}


def largest_errors(case, loss64, gradient64, trained64):
    """Losses, relative errors of gradients and errors after training of the worst of several float32 runs. In a deep net
    with ReLUs one run says little: whether a value near 0 falls on the other side, and all gradients before it with it,
    is chance."""
    worst, errors, trained_errors = np.zeros(len(loss64)), dict.fromkeys(gradient64, 0.0), (0.0, 0)
    for seed in range(case["runs"]):
        loss, gradient, _, trained = train(shuffled(case, seed), torch.float32)
        worst = np.maximum(worst, np.abs(loss - loss64))
        errors = {name: max(error, relative_norm(gradient[name], gradient64[name])) for name, error in errors.items()}
        trained_errors = tuple(map(max, trained_errors, differences(trained, trained64)))
    return loss64 + worst, errors, trained_errors


def differences(trained, trained64):
    return tuple(abs(a - b) if b is not None else 0 for a, b in zip(trained, trained64))


def relative_norm(a, b):
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def make(build):
    torch.manual_seed(0)
    name, case = build.__name__, build()
    if not case.get("generated") and not case.get("described"):  # by a program of tests/cpp or of the tutorials
        case["model"] = export(case["model"], case["inputs"], HERE / f"{name}.onnx",
                               case.get("scalars_as_initializers", False), case.get("opset", 17))
    loss64, gradient64, evaluation64, trained64 = train(case, torch.float64)
    if "runs" in case:
        loss32, errors, trained_errors = largest_errors(case, loss64, gradient64, trained64)
    else:
        loss32, gradient32, evaluation32, trained32 = train(case, torch.float32)
        trained_errors = differences(trained32, trained64)
        errors = {p: relative_norm(gradient32[p], g) for p, g in gradient64.items()}
    tensors = {"loss.f64": loss64, "loss.f32": loss32}
    isSketched = case.get("generated") or case.get("sketched")
    if isSketched:  # many parameters: their gradients are not stored
        tensors.update({f"sketch.{p}": generated.sketch(g) for p, g in gradient64.items()})
    else:
        tensors.update({f"gradient.{p}": g for p, g in gradient64.items()})
    if case.get("evaluated"):
        tensors.update({"evaluation.f64": evaluation64, "evaluation.f32": evaluation32})
    stored = [] if "data" in case else ["inputs", "mask", "targets"]
    stored += ["targets"] if case.get("stored_targets") else []
    tensors.update({part: case[part].numpy() for part in stored if part in case})
    save_file(tensors, HERE / f"{name}.safetensors")
    (HERE / f"{name}.safetensors").chmod(0o644)

    apart = np.nonzero(np.abs(loss32 - loss64) > 1e-3)[0]
    description = {
        "about": build.__doc__ or statistics.__doc__,
        "torch": torch.__version__,
        "options": case["options"],
        "batch": case["inputs"].shape[1],
        "steps": len(loss64),
        "data": case.get("data", "inputs and targets; step i takes batch i modulo their first size"),
        # Steps for which PyTorch's float32 stays within 1e-3 of its float64: the losses to compare.
        "comparable_steps": int(apart[0]) if len(apart) else len(loss64),
        "gradient_error_f32": errors,
    }
    if isSketched:
        description["gradient_norm"] = {p: float(np.linalg.norm(g)) for p, g in gradient64.items()}
    # After the last step, of the first batch.
    description["trained"] = {"loss": trained64[0], "loss_error": trained_errors[0]}
    if "mask" in case:
        description["mask"] = True
    if trained64[1] is not None:
        description["correct"] = untrained_correct(case)
        description["trained"].update(correct=trained64[1], correct_error=trained_errors[1])
    (HERE / f"{name}.json").write_text(json.dumps(description, indent=2) + "\n")
    print(f"{name}: loss {loss64[0]:.6f} -> {loss64[-1]:.6f}, "
          f"largest |f32 - f64| {np.abs(loss32 - loss64).max():.2e}, "
          f"comparable steps {description['comparable_steps']}, "
          f"gradient error {max(description['gradient_error_f32'].values()):.2e}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    builds = (mlp, convolutions, circle, regression, masked, statistics3, statistics64, sequence, clipped, sampled,
              hamiltonian, estimators, lenet, resnet18_narrow, resnet18, block, gpt_narrow, gpt, words, classes, points,
              digits, fashion, frozen, teacher, student, cnn, batchnorm, characters)
    for build in builds:
        if len(sys.argv) == 1 or build.__name__ in sys.argv[1:]:
            make(build)
