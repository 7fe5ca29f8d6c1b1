#!/usr/bin/env python3
"""Writes a small BERT as an ONNX file, with random initial parameters.

usage: write_bert.py {words,classes} FILE [--seed S] [--vocabulary N] [--layers N] [--width N] [--heads N] [--window N]
                     [--classes N]

`words` scores each word of the vocabulary at each position (the head is tied to the embedding), `classes` scores the
classes of a text, from the mean of its words' vectors. Both have the same encoder, and in it the same names. Inputs are
`tokens` and `mask`, 1 where a token is and 0 where there is padding, which attention does not see.

Only Python's standard library is needed. A seed always gives the same bytes.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse

from write_model import FLOAT, INT64, write_file
from write_transformer import OPERATOR_SET, Transformer

BOOL = 9  # onnx.TensorProto.DataType


class Bert(Transformer):
    def encoder(self, vocabulary, layers, width, heads, window):
        """The vectors of all positions, and the weight of the embedding."""
        words = self.weight("embeddings.words.weight", [vocabulary, width])
        x = self.node("Gather", "embeddings.words", [words, "tokens"], axis=0)
        x = self.node("Add", "embeddings.sum", [x, self.weight("embeddings.places.weight", [window, width])])
        x = self.normalize(x, "embeddings.norm", width)
        visible = self.node("Unsqueeze", "visible.keys", [self.node("Cast", "visible", ["mask"], to=BOOL),
                                                          self.numbers("visible.axes", [1, 2])])
        for layer in range(layers):
            x = self.layer(x, f"layers.{layer}", width, heads, window, visible)
        return x, words

    def layer(self, x, name, width, heads, window, visible):
        """Unlike in a GPT, the normalizations come after the sums."""
        y = self.attention(x, f"{name}.attn", width, heads, window, causal=False, bias=True, visible=visible)
        x = self.normalize(self.node("Add", f"{name}.add1", [x, y]), f"{name}.norm1", width)
        y = self.activate(self.linear(x, f"{name}.fc", width, 4 * width), f"{name}.gelu")
        y = self.linear(y, f"{name}.out", 4 * width, width)
        return self.normalize(self.node("Add", f"{name}.add2", [x, y]), f"{name}.norm2", width)

    def mean_of_words(self, x):
        """Without the padding."""
        words = self.node("Unsqueeze", "words", [self.node("Cast", "mask.float", ["mask"], to=FLOAT),
                                                 self.numbers("words.axis", [2])])
        axis = self.numbers("mean.axis", [1])
        total, count = (self.node("ReduceSum", f"mean.{name}", [value, axis], keepdims=0)
                        for name, value in (("sum", self.node("Mul", "mean.words", [x, words])), ("count", words)))
        return self.node("Div", "mean", [total, count])


def bert(kind, seed, vocabulary, layers, width, heads, window, classes):
    net = Bert(f"bert_{kind}", seed, deviation=0.02)
    x, words = net.encoder(vocabulary, layers, width, heads, window)
    if kind == "words":
        x = net.normalize(net.activate(net.linear(x, "head.transform", width, width), "head.gelu"), "head.norm", width)
        products = net.product(x, words, "head.words")
        net.node("Add", "head", [products, net.filled("head.bias", vocabulary, 0)], ["scores"])
        scores = ["batch", window, vocabulary]
    else:
        pooled = net.node("Tanh", "pooler.tanh", [net.linear(net.mean_of_words(x), "pooler", width, width)])
        net.linear(pooled, "classifier", width, classes, "scores")
        scores = ["batch", classes]
    inputs = ["batch", window]
    return net.file({"tokens": inputs, "mask": inputs}, {"scores": scores}, OPERATOR_SET,
                    kinds={"tokens": INT64, "mask": INT64})


def main():
    parser = argparse.ArgumentParser(description="Writes a small BERT as an ONNX file.")
    parser.add_argument("kind", choices=["words", "classes"], help="what it scores")
    parser.add_argument("file")
    for name, default, what in (("seed", 1, "of the initial parameters"), ("vocabulary", 1000, "different tokens"),
                                ("layers", 2, "of attention and what follows"), ("width", 64, "of a position's vector"),
                                ("heads", 2, "of attention"), ("window", 32, "positions"),
                                ("classes", 2, "of texts")):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{what} (default: %(default)s)")
    a = parser.parse_args()
    if a.width % a.heads:
        parser.error(f"the width, {a.width}, is no multiple of the heads, {a.heads}")
    write_file(a.file, bert(a.kind, a.seed, a.vocabulary, a.layers, a.width, a.heads, a.window, a.classes))


if __name__ == "__main__":
    main()
