# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A transformer made by chance, for the benchmark. Only the standard library is needed."""
import random

from write_transformer import Transformer
from write_model import INT64

OPERATOR_SET = 23  # the first with RMSNormalization


class RandomTransformer:
    """Blocks of random sizes; with a vocabulary a language model (tokens in, scores of the next one out), else an
    encoder or decoder of vectors. transformer_peers.py builds the same of PyTorch's modules."""

    def __init__(self, seed, index):
        draw = random.Random(seed * 1000003 + index)
        self.heads = draw.randrange(1, 9)
        self.width = self.heads * draw.choice((16, 24, 32, 40, 48, 64, 80))
        self.hidden = draw.choice((4 * self.width, draw.randrange(self.width, 4 * self.width)))
        self.layers, self.window = draw.randrange(1, 5), draw.randrange(8, 257)
        self.batch = draw.randrange(1, max(2, min(33, 2048 // self.window)))
        self.norm, self.activation = draw.choice(("layer", "rms")), draw.choice(("gelu", "silu", "relu"))
        self.causal, self.bias = draw.random() < 0.5, draw.random() < 0.5
        self.vocabulary = draw.randrange(20, 5000) if draw.random() < 0.5 else 0
        self.tied = draw.random() < 0.5

    def __str__(self):
        head = f"vocabulary {self.vocabulary}{' (tied)' if self.tied else ''}" if self.vocabulary else "vectors"
        return (f"{self.layers} layers of width {self.width}, hidden {self.hidden}, {self.heads} heads, "
                f"{self.window} positions, batch {self.batch}, {self.norm} norm, {self.activation}, "
                f"{'causal' if self.causal else 'all seen'}, {'biases' if self.bias else 'no biases'}, {head}")

    def input(self):
        return (self.window,) if self.vocabulary else (self.window, self.width)

    def work(self):
        """Multiply-adds of a step as two operations. The first layer's input is a residual, whose gradient the
        normalization or the embedding wants: all products have all three directions."""
        pairs = self.window * (self.window + 1) // 2 if self.causal else self.window**2
        layer = self.window * (4 * self.width**2 + 2 * self.width * self.hidden) + 2 * self.width * pairs
        return 3 * 2 * self.batch * (self.layers * layer + self.window * self.width * self.vocabulary)

    def write(self):
        net = Transformer("random", 1, deviation=0.02, norm=self.norm, activation=self.activation)
        x = "image"
        if self.vocabulary:
            tokens = net.weight("wte.weight", [self.vocabulary, self.width])
            x = net.node("Gather", "wte", [tokens, "image"], axis=0)
            x = net.node("Add", "embedding", [x, net.weight("wpe", [self.window, self.width])])
        for layer in range(self.layers):
            x = net.block(x, f"blocks.{layer}", self.width, self.heads, self.hidden, self.window, self.causal,
                          self.bias)
        x = net.normalize(x, "lnf", self.width, *([] if self.vocabulary else ["scores"]))
        if self.vocabulary:
            head = tokens if self.tied else net.weight("head.weight", [self.vocabulary, self.width])
            net.product(x, head, "head", "scores")
        return net.file({"image": ["batch", *self.input()]},
                        {"scores": ["batch", self.window, self.vocabulary or self.width]}, OPERATOR_SET,
                        kinds={"image": INT64} if self.vocabulary else {})
