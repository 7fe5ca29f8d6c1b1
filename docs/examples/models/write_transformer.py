#!/usr/bin/env python3
"""Writes transformers as ONNX files, with random initial parameters.

usage: write_transformer.py {gpt,gpt_next,block,attention} FILE [--seed S] [--vocabulary N] [--layers N] [--width N]
                            [--heads N] [--window N] [--any-window] [--hidden N] [--batch N]

Only Python's standard library is needed. A seed always gives the same bytes. The graphs are what torch.onnx.export
writes for the usual modules, and parameters have the names and the distributions that they have there: those of
nanoGPT for the GPT (normal, deviation 0.02), those of torch.nn.Linear for a block alone.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import math

from write_model import INT64, Network, write_file

OPERATOR_SET = 20  # the first with Gelu


class Transformer(Network):
    def __init__(self, name, seed, deviation=None, norm="layer", activation="gelu"):
        """`deviation`: of the weights, which are drawn from a normal distribution; else as in torch.nn.Linear. `norm`
        ("layer" or "rms") and `activation` ("gelu", "silu" or "relu") are those of the blocks."""
        super().__init__(name, seed)
        self.deviation, self.norm, self.activation = deviation, norm, activation

    def numbers(self, name, values, shape=None):
        """Whole numbers that the model was written with."""
        return self.initializer(name, [len(values)] if shape is None else shape, array.array("q", values), INT64)

    def number(self, name, value):
        return self.node("Constant", name, [], value_float=float(value))

    def weight(self, name, shape):
        if self.deviation is None:
            return self.uniform(name, shape, shape[-1])
        draw, deviation = self.random.gauss, self.deviation
        return self.initializer(name, shape, array.array(
            "f", (draw(0, deviation) for _ in range(math.prod(shape)))))

    def product(self, x, weight, name, result=None):
        """x times the transpose of a weight [outputs, inputs], along the last axis."""
        transposed = self.node("Transpose", f"{name}.transpose", [weight], perm=[1, 0])
        return self.node("MatMul", name, [x, transposed], [result] if result else None)

    def linear(self, x, name, size, units, result=None, bias=True):
        weight = self.weight(f"{name}.weight", [units, size])
        if not bias:
            return self.product(x, weight, name, result)
        product = self.product(x, weight, f"{name}.product")
        return self.node("Add", name, [product, self.uniform(f"{name}.bias", [units], size)],
                         [result] if result else None)

    def normalize(self, x, name, size, result=None):
        """Layer normalization, or RMS normalization, which has no bias and needs operator set 23."""
        inputs, outputs = [x, self.filled(f"{name}.weight", size, 1)], [result] if result else None
        if self.norm == "rms":
            return self.node("RMSNormalization", name, inputs, outputs, axis=-1, epsilon=1e-5)
        inputs.append(self.filled(f"{name}.bias", size, 0))
        return self.node("LayerNormalization", name, inputs, outputs, axis=-1, epsilon=1e-5)

    def activate(self, x, name):
        """GELU, SiLU (x times its sigmoid) or ReLU."""
        if self.activation == "silu":
            return self.node("Mul", name, [x, self.node("Sigmoid", f"{name}.sigmoid", [x])])
        return self.node({"gelu": "Gelu", "relu": "Relu"}[self.activation], name, [x])

    def positions(self, name, window, shape):
        """0, 1, ... for each of `window` positions; of as many as the tokens have where that is a name."""
        if not isinstance(window, str):
            return self.numbers(name, range(window), shape)
        size = self.node("Gather", f"{name}.size", [self.node("Shape", f"{name}.shape", ["tokens"]),
                                                    self.numbers(f"{name}.axis", [1], [])], axis=0)
        x = self.node("Range", name, [self.numbers(f"{name}.first", [0], []), size,
                                      self.numbers(f"{name}.step", [1], [])])
        axes = [axis for axis, extent in enumerate(shape) if extent == 1]
        return self.node("Unsqueeze", f"{name}.axes", [x, self.numbers(f"{name}.ones", axes)]) if axes else x

    def scaled_scores(self, q, k, name, size):
        keys = self.node("Transpose", f"{name}.keys", [k], perm=[0, 1, 3, 2])
        return self.node("Mul", f"{name}.scale", [self.node("MatMul", f"{name}.scores", [q, keys]),
                                                  self.number(f"{name}.factor", 1 / math.sqrt(size))])

    def scores_to_result(self, q, k, v, name, size, causal_over=None, result=None, visible=None):
        """Scaled dot-product attention of [batch, heads, positions, size]; `causal_over` positions, or over those that
        are `visible`."""
        scores = self.scaled_scores(q, k, name, size)
        if causal_over:
            rows = self.positions(f"{name}.rows", causal_over, [causal_over, 1])
            columns = self.positions(f"{name}.columns", causal_over, [1, causal_over])
            visible = self.node("LessOrEqual", f"{name}.visible", [columns, rows])
        if visible:
            scores = self.node("Where", f"{name}.mask",
                               [visible, scores, self.number(f"{name}.hidden", -math.inf)])
        weights = self.node("Softmax", f"{name}.softmax", [scores], axis=-1)
        return self.node("MatMul", f"{name}.sum", [weights, v], [result] if result else None)

    def attention_to_cache(self, q, k, v, keys, values, name, window, size, earlier):
        """Of one position to those that are `earlier` in a cache, and to itself. The two parts have scores of their
        own, so that the cache need not be copied to put the position into it."""
        cached = self.scaled_scores(q, keys, f"{name}.cached", size)
        own = self.scaled_scores(q, k, f"{name}.own", size)
        cached = self.node("Where", f"{name}.mask", [earlier, cached, self.number(f"{name}.hidden", -math.inf)])
        weights = self.node("Softmax", f"{name}.softmax", [
            self.node("Concat", f"{name}.all_scores", [cached, own], axis=-1)], axis=-1)
        parts = [f"{name}.cached_weights", f"{name}.own_weight"]
        self.node("Split", f"{name}.weights", [weights, self.numbers(f"{name}.parts", [window, 1])], parts, axis=3)
        return self.node("Add", f"{name}.sum", [self.node("MatMul", f"{name}.cached_sum", [parts[0], values]),
                                                self.node("Mul", f"{name}.own_value", [parts[1], v])])

    @staticmethod
    def kept(window):
        """The size of positions in the shape of a Reshape, in which 0 stands for the one that is there."""
        return 0 if isinstance(window, str) else window

    def attention(self, x, name, width, heads, window, causal, bias, visible=None):
        """Of all heads, with the linear layers before and after; over the positions that are `visible`, where given."""
        qkv = self.linear(x, f"{name}.qkv", width, 3 * width, bias=bias)
        parts = [f"{name}.{part}" for part in "qkv"]
        self.node("Split", f"{name}.split", [qkv, self.numbers(f"{name}.sizes", [width] * 3)], parts, axis=2)
        split = self.numbers(f"{name}.split_heads", [0, self.kept(window), heads, width // heads])
        parts = [self.node("Transpose", f"{part}.heads", [self.node("Reshape", f"{part}.reshape", [part, split])],
                           perm=[0, 2, 1, 3]) for part in parts]
        y = self.scores_to_result(*parts, name, width // heads, window if causal else None, visible=visible)
        y = self.node("Transpose", f"{name}.places", [y], perm=[0, 2, 1, 3])
        y = self.node("Reshape", f"{name}.join", [y, self.numbers(f"{name}.join_heads",
                                                                         [0, self.kept(window), width])])
        return self.linear(y, f"{name}.proj", width, width, bias=bias)

    def block(self, x, name, width, heads, hidden, window, causal, bias, result=None):
        """A transformer's block, with its normalizations before the layers."""
        prefix = f"{name}." if name else ""
        y = self.attention(self.normalize(x, f"{prefix}ln1", width), f"{prefix}attn", width, heads, window, causal,
                           bias)
        x = self.node("Add", f"{prefix}add1", [x, y])
        y = self.linear(self.normalize(x, f"{prefix}ln2", width), f"{prefix}fc", width, hidden, bias=bias)
        y = self.linear(self.activate(y, f"{prefix}{self.activation}"), f"{prefix}out", hidden, width, bias=bias)
        return self.node("Add", f"{prefix}add2", [x, y], [result] if result else None)


def gpt(seed, vocabulary, layers, width, heads, window, any_window=False, network=Transformer):
    """nanoGPT without dropout and biases; the last layer's weight is that of the tokens' embedding. With `any_window`
    the number of positions is the symbolic dim `seq`, which may be at most `window`. `network` makes the layers."""
    net = network("gpt", seed, deviation=0.02)
    tokens, places = net.weight("wte.weight", [vocabulary, width]), net.weight("wpe.weight", [window, width])
    window = "seq" if any_window else window
    x = net.node("Gather", "wte", [tokens, "tokens"], axis=0)
    x = net.node("Add", "embedding", [x, net.node("Gather", "wpe", [
        places, net.positions("positions", window, [window])], axis=0)])
    for layer in range(layers):
        x = net.block(x, f"blocks.{layer}", width, heads, 4 * width, window, causal=True, bias=False)
    net.product(net.normalize(x, "lnf", width), tokens, "head", "scores")
    return net.file({"tokens": ["batch", window]}, {"scores": ["batch", window, vocabulary]}, OPERATOR_SET,
                    kinds={"tokens": INT64})


def gpt_next(seed, vocabulary, layers, width, heads, window):
    """The same GPT, token by token: what attention needs of the tokens before are their keys and values, which go in.
    Those of the token at `position` come out, for the caller to keep; nothing else is copied. Its parameters are those
    of gpt()."""
    net, size = Transformer("gpt_next", seed, deviation=0.02), width // heads
    tokens, places = net.weight("wte.weight", [vocabulary, width]), net.weight("wpe.weight", [window, width])
    x = net.node("Add", "embedding", [net.node("Gather", "wte", [tokens, "token"], axis=0),
                                      net.node("Gather", "wpe", [places, "position"], axis=0)])
    earlier = net.node("Less", "earlier", [net.numbers("columns", range(window), [1, window]), "position"])
    one_layer, caches, new = net.numbers("layers", [1] * layers), {}, {"keys": [], "values": []}
    for cache in "keys", "values":
        caches[cache] = [f"{cache}.{layer}" for layer in range(layers)]
        net.node("Split", f"{cache}.split", [cache, one_layer], caches[cache], axis=0)
    for layer in range(layers):
        name = f"blocks.{layer}"
        qkv = net.linear(net.normalize(x, f"{name}.ln1", width), f"{name}.attn.qkv", width, 3 * width, bias=False)
        parts = [f"{name}.attn.{part}" for part in "qkv"]
        net.node("Split", f"{name}.attn.split", [qkv, net.numbers(f"{name}.attn.sizes", [width] * 3)], parts, axis=1)
        split = net.numbers(f"{name}.attn.split_heads", [1, heads, 1, size])
        q, k, v = (net.node("Reshape", f"{part}.reshape", [part, split]) for part in parts)
        new["keys"].append(k)
        new["values"].append(v)
        y = net.attention_to_cache(q, k, v, caches["keys"][layer], caches["values"][layer], f"{name}.attn", window,
                                   size, earlier)
        y = net.node("Reshape", f"{name}.attn.join", [y, net.numbers(f"{name}.attn.join_heads", [1, width])])
        x = net.node("Add", f"{name}.add1", [x, net.linear(y, f"{name}.attn.proj", width, width, bias=False)])
        y = net.linear(net.normalize(x, f"{name}.ln2", width), f"{name}.fc", width, 4 * width, bias=False)
        y = net.linear(net.activate(y, f"{name}.gelu"), f"{name}.out", 4 * width, width, bias=False)
        x = net.node("Add", f"{name}.add2", [x, y])
    net.product(net.normalize(x, "lnf", width), tokens, "head", "scores")
    for cache, parts in new.items():
        net.node("Concat", f"{cache}.join", parts, [f"new_{cache}"], axis=0)
    shape, new_shape = [layers, heads, window, size], [layers, heads, 1, size]
    return net.file({"token": [1], "position": [1], "keys": shape, "values": shape},
                    {"scores": [1, vocabulary], "new_keys": new_shape, "new_values": new_shape}, OPERATOR_SET,
                    kinds={"token": INT64, "position": INT64})


def block(seed, width, heads, hidden, window):
    """One block, in which all positions see all."""
    net = Transformer("block", seed)
    net.block("image", "", width, heads, hidden, window, causal=False, bias=True, result="scores")
    return net.file({"image": ["batch", window, width]}, {"scores": ["batch", window, width]}, OPERATOR_SET)


def attention(seed, batch, heads, window, size):
    """Causal attention alone. The sums of the input and of parameters are its queries, keys and values, so that
    a training step has the gradients of all three."""
    net, shape = Transformer("attention", seed), [batch, heads, window, size]
    parts = [net.node("Add", part, ["image", net.weight(f"{part}.offset", shape)]) for part in ("q", "k", "v")]
    net.scores_to_result(*parts, "attention", size, window, "scores")
    return net.file({"image": shape}, {"scores": shape}, OPERATOR_SET)


def main():
    parser = argparse.ArgumentParser(description="Writes a transformer as an ONNX file.")
    parser.add_argument("model", choices=["gpt", "gpt_next", "block", "attention"])
    parser.add_argument("file")
    for name, default, what in (("seed", 1, "of the initial parameters"), ("vocabulary", 65, "gpt: tokens"),
                                ("layers", 6, "gpt: blocks"), ("width", 384, "of a position's vector"),
                                ("heads", 6, "of attention"), ("window", 256, "positions"),
                                ("hidden", 1536, "block: width of the layers after attention"),
                                ("batch", 4, "attention: its batch, which is fixed")):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{what} (default: %(default)s)")
    parser.add_argument("--any-window", action="store_true", help="gpt: any number of positions up to the window, dim 'seq'")
    a = parser.parse_args()
    if a.width % a.heads:
        parser.error(f"the width, {a.width}, is no multiple of the heads, {a.heads}")
    write_file(a.file, {
        "gpt": lambda: gpt(a.seed, a.vocabulary, a.layers, a.width, a.heads, a.window, a.any_window),
        "gpt_next": lambda: gpt_next(a.seed, a.vocabulary, a.layers, a.width, a.heads, a.window),
        "block": lambda: block(a.seed, a.width, a.heads, a.hidden, a.window),
        "attention": lambda: attention(a.seed, a.batch, a.heads, a.window, a.width // a.heads)}[a.model]())


if __name__ == "__main__":
    main()
