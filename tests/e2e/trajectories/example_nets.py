# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nets of docs/examples and of the benchmark, whose models generated.py makes: each function makes what
make_references.py trains."""
import sys
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn

import generated
from shipped import STEPS, shipped_images

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools" / "bench"))
import peer  # noqa: E402  the nets of the benchmark, which have the names of write_model.py
import transformer_peers  # noqa: E402  and of write_transformer.py


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


BUILDS = (lenet, resnet18_narrow, resnet18, block, gpt_narrow, gpt, words, classes)
