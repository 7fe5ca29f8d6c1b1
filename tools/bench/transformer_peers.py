# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's side of the benchmark: the transformers of docs/examples/models/write_transformer.py.

Attention is PyTorch's scaled_dot_product_attention, which on a CPU is a fused kernel in both directions.
"""
import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width, heads, causal, bias):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.proj = nn.Linear(width, 3 * width, bias=bias), nn.Linear(width, width, bias=bias)

    def forward(self, x):
        batch, window, width = x.shape
        q, k, v = (part.view(batch, window, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.proj(y.transpose(1, 2).reshape(batch, window, width))


NORMS = {"layer": nn.LayerNorm, "rms": lambda width: nn.RMSNorm(width, eps=1e-5)}
ACTIVATIONS = {"gelu": F.gelu, "silu": F.silu, "relu": F.relu}


class Block(nn.Module):
    def __init__(self, width, heads, hidden, causal=False, bias=True, norm="layer", activation="gelu"):
        super().__init__()
        self.activate = ACTIVATIONS[activation]
        self.ln1, self.ln2 = NORMS[norm](width), NORMS[norm](width)
        self.attn = SelfAttention(width, heads, causal, bias)
        self.fc, self.out = nn.Linear(width, hidden, bias=bias), nn.Linear(hidden, width, bias=bias)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.out(self.activate(self.fc(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self, vocabulary, layers, width, heads, window):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(window, width)
        self.blocks = nn.Sequential(*(Block(width, heads, 4 * width, causal=True, bias=False)
                                      for _ in range(layers)))
        self.lnf = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        return F.linear(self.lnf(self.blocks(x)), self.wte.weight)


class RandomBlocks(nn.Module):
    """Those of a RandomTransformer."""

    def __init__(self, net):
        super().__init__()
        self.tied = net.tied
        if net.vocabulary:
            self.wte = nn.Embedding(net.vocabulary, net.width)
            self.wpe = nn.Parameter(torch.zeros(net.window, net.width))
        self.blocks = nn.Sequential(*(Block(net.width, net.heads, net.hidden, net.causal, net.bias, net.norm,
                                            net.activation) for _ in range(net.layers)))
        self.lnf = NORMS[net.norm](net.width)
        self.head = nn.Linear(net.width, net.vocabulary, bias=False) if net.vocabulary and not net.tied else None

    def forward(self, x):
        if not hasattr(self, "wte"):
            return self.lnf(self.blocks(x))
        x = self.lnf(self.blocks(self.wte(x) + self.wpe))
        return F.linear(x, self.wte.weight) if self.tied else self.head(x)


class Attention(nn.Module):
    """Attention alone: the queries, keys and values are sums of the input and of parameters."""

    def __init__(self, batch, heads, window, size):
        super().__init__()
        for part in "qkv":
            self.register_module(part, Offset(batch, heads, window, size))

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x), is_causal=True)


class Offset(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.offset = nn.Parameter(torch.randn(shape))

    def forward(self, x):
        return x + self.offset


class AlongLastAxis(nn.CrossEntropyLoss):
    """Of the classes along the last axis."""

    def forward(self, scores, labels):
        return super().forward(scores.flatten(0, -2), labels.flatten())
