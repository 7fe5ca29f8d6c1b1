# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nets of docs/examples/tutorials: each function makes what make_references.py trains."""
import sys
from pathlib import Path

import torch
from torch import nn

import generated
from shipped import STEPS, shipped_images

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "examples" / "tutorials"))
import in_pytorch as tutorials  # noqa: E402


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
    return dict(**shipped_images(STEPS, 64, shape, mean=0.0, deviation=1.0), model=build(), described=True,
                sketched=True, loss=nn.CrossEntropyLoss(), **adam(1e-3))


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


BUILDS = (points, digits, fashion, frozen, teacher, student, cnn, batchnorm, characters)
