# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that ONNX Runtime's optimizers write; what they compute, from its ContribOperators.md."""
import math

import numpy as np

from cases import floats, one

erf = np.vectorize(math.erf)


def fused(name, op, inputs, outputs, **attributes):
    one(f"fused_{name}", 17, op, inputs, [np.asarray(y, np.float32) for y in outputs], domain="com.microsoft", **attributes)


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


def fast_gelu(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def activations():
    x, bias = floats(2, 3, 4), floats(4)
    fused("gelu", "Gelu", [x], [gelu(x)])
    fused("bias_gelu", "BiasGelu", [x, bias], [gelu(x + bias)])
    fused("fast_gelu", "FastGelu", [x], [fast_gelu(x)])
    fused("fast_gelu_bias", "FastGelu", [x, bias], [fast_gelu(x + bias)])
    fused("quick_gelu", "QuickGelu", [x], [x / (1 + np.exp(-1.5 * x))], alpha=1.5)


def products():
    a, b, bias = floats(2, 3, 4) / 4, floats(4, 5), floats(5)
    fused("gemm_fast_gelu", "GemmFastGelu", [a, b], [fast_gelu(a @ b)])
    fused("gemm_fast_gelu_bias", "GemmFastGelu", [a, b, bias], [fast_gelu(a @ b + bias)])
    fused("matmul", "FusedMatMul", [a, b], [a @ b])
    fused("matmul_transposed", "FusedMatMul", [a.transpose(0, 2, 1).copy(), b.T.copy()], [0.25 * (a @ b)], alpha=0.25,
          transA=1, transB=1, transBatchA=0, transBatchB=0)


def gemms():
    a, b, c = floats(2, 4), floats(3, 4), floats(3)
    y = 0.5 * (a @ b.T) + 2 * c
    fused("gemm_relu", "FusedGemm", [a, b.T.copy()], [np.maximum(a @ b.T, 0)], activation="Relu")
    fused("gemm_leaky", "FusedGemm", [a.T.copy(), b, c], [np.where(y > 0, y, 0.25 * y)], alpha=0.5, beta=2.0, transA=1,
          transB=1, activation="LeakyRelu", activation_alpha=0.25)
    fused("gemm_tanh", "FusedGemm", [a, b, c], [np.tanh(y)], alpha=0.5, beta=2.0, transB=1, activation="Tanh")
    fused("gemm_sigmoid", "FusedGemm", [a, b, c], [1 / (1 + np.exp(-y))], alpha=0.5, beta=2.0, transB=1,
          activation="Sigmoid")


def norm():
    x, skip, scale, shift, bias = floats(2, 3, 4), floats(2, 3, 4), floats(4), floats(4), floats(4)

    def outputs(total, epsilon, shift):
        mean, variance = total.mean(-1, keepdims=True), total.var(-1, keepdims=True)
        rstd = 1 / np.sqrt(variance + epsilon)
        return [(total - mean) * rstd * scale + shift, mean, rstd, total]

    fused("skip_layer_norm", "SkipLayerNormalization", [x, skip, scale], outputs(x + skip, 1e-12, 0)[:1])
    fused("skip_layer_norm_all", "SkipLayerNormalization", [x, skip, scale, shift, bias],
          outputs(x + skip + bias, 0.25, shift), epsilon=0.25)


def heads_of(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def attend(q, k, v, scale=None, unidirectional=False, filling=-np.inf):
    scores = q @ k.transpose(0, 1, 3, 2) * (scale or 1 / math.sqrt(q.shape[-1]))
    if unidirectional:
        scores = np.where(np.tril(np.ones(scores.shape[-2:])) > 0, scores, filling)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (shares / shares.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)
    return mixed.reshape(*mixed.shape[:2], -1)


def attention():
    x, weights, bias = floats(2, 3, 4), floats(4, 18), floats(18)
    q, k, v = (heads_of(part, 2) for part in np.split(x @ weights, 3, -1))
    fused("attention", "Attention", [x, weights], [attend(q, k, v)], num_heads=2)
    q, k, v = (heads_of(part, 2) for part in np.split(x @ weights + bias, 3, -1))
    fused("attention_all", "Attention", [x, weights, bias],
          [attend(q, k, v, 0.25, True), np.stack([k, v])], num_heads=2, unidirectional=1, scale=0.25,
          mask_filter_value=-5.0)
    q, k, v, bias = floats(2, 3, 4), floats(2, 5, 4), floats(2, 5, 4), floats(12)
    parts = [heads_of(part, 2) for part in (q, k, v)]
    fused("multi_head_attention", "MultiHeadAttention", [q, k, v], [attend(*parts), *parts[1:]], num_heads=2)
    fused("multi_head_attention_split", "MultiHeadAttention", [q, *parts[1:]], [attend(*parts)], num_heads=2)
    square = [heads_of(part + bias[4 * i:4 * i + 4], 2) for i, part in enumerate((q, k[:, :3], v[:, :3]))]
    fused("multi_head_attention_all", "MultiHeadAttention", [q, k[:, :3].copy(), v[:, :3].copy(), bias],
          [attend(*square, 0.25, True)], num_heads=2, unidirectional=1, scale=0.25, mask_filter_value=-5.0)


def masked(q, k, v, bias, scale=None):
    scores = q @ k.transpose(0, 1, 3, 2) * (scale or 1 / math.sqrt(q.shape[-1])) + bias
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (shares / shares.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)
    return mixed.reshape(*mixed.shape[:2], -1)


def attention_masks():
    x, weights, bias = floats(2, 3, 4), floats(4, 14), floats(14)
    sizes = np.split(x @ weights + bias, [4, 8], -1)
    q, k, v = (heads_of(part, 2) for part in sizes)
    past = np.stack([floats(2, 2, 2, 2), floats(2, 2, 2, 2)])
    common = dict(num_heads=2, qkv_hidden_sizes=[4, 4, 6])
    place = np.arange(3)

    def hidden(mask, filling=-10000.0):
        return np.where(mask, 0, filling)

    ends = np.array([2, 3], np.int32)
    fused("attention_ends", "Attention", [x, weights, bias, ends],
          [masked(q, k, v, hidden(place < ends.reshape(2, 1, 1, 1)))], **common)
    ranges = np.array([3, 2, 1, 0], np.int32)
    inside = (place < ranges[:2].reshape(2, 1, 1, 1)) & (place >= ranges[2:].reshape(2, 1, 1, 1))
    fused("attention_ranges", "Attention", [x, weights, bias, ranges], [masked(q, k, v, hidden(inside, -3))],
          mask_filter_value=-3.0, **common)
    each = np.array([[[1, 0, 1], [1, 1, 1], [0, 0, 0]]] * 2, np.int32)
    fused("attention_each", "Attention", [x, weights, bias, each], [masked(q, k, v, hidden(each[:, None] > 0))], **common)
    weights, bias = floats(4, 12), floats(12)
    q, k, v = (heads_of(part, 2) for part in np.split(x @ weights + bias, 3, -1))
    k, v = (np.concatenate([past[i], part], 2) for i, part in ((0, k), (1, v)))
    keys, added = np.array([[1, 1, 1, 0, 1], [0, 1, 1, 1, 1]], np.int32), floats(1, 2, 3, 5)
    causal = np.where(np.tril(np.ones((3, 5)), 2) > 0, 0, -np.inf)
    fused("attention_past", "Attention", [x, weights, bias, keys, past, added],
          [masked(q, k, v, hidden(keys[:, None, None] > 0) + added + causal), np.stack([k, v])], num_heads=2,
          unidirectional=1, do_rotary=0, past_present_share_buffer=0)
    # Of seven places that there may be; the queries are the last three of five.
    places = np.stack([np.tril(np.ones((1, 7, 7), np.int32)), np.tril(np.ones((1, 7, 7), np.int32), -1)])
    fused("attention_places", "Attention", [x, weights, bias, places, past],
          [masked(q, k, v, hidden(places[:, :, 2:5, :5] > 0)), np.stack([k, v])], num_heads=2)
    q, k, v, bias = floats(2, 3, 4), floats(2, 3, 4), floats(2, 3, 6), floats(14)
    qh, kh, vh = (heads_of(part + b, 2) for part, b in zip((q, k, v), np.split(bias, [4, 8])))
    past_k, past_v = floats(2, 2, 2, 2), floats(2, 2, 2, 3)
    kh, vh = np.concatenate([past_k, kh], 2), np.concatenate([past_v, vh], 2)
    fused("multi_head_attention_past", "MultiHeadAttention", [q, k, v, bias, keys, added, past_k, past_v],
          [masked(qh, kh, vh, hidden(keys[:, None, None] > 0) + added), kh, vh], num_heads=2)


def rms_norm():
    x, skip, scale, bias = floats(2, 3, 4), floats(2, 3, 4), floats(4), floats(4)

    def outputs(total, epsilon):
        rstd = 1 / np.sqrt((total * total).mean(-1, keepdims=True) + epsilon)
        return total * rstd * scale, rstd, total

    y, _, _ = outputs(x + skip, 1e-12)
    fused("skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, skip, scale], [y])
    y, _, _ = outputs(x + skip + bias, 0.25)
    fused("skip_rms_norm_all", "SkipSimplifiedLayerNormalization", [x, skip, scale, bias], [y], epsilon=0.25)


def embedding():
    words, places, segments, scale, shift = floats(7, 4), floats(6, 4), floats(2, 4), floats(4), floats(4)
    ids, kinds = np.array([[1, 6, 0], [3, 3, 5]], np.int32), np.array([[0, 1, 1], [1, 0, 0]], np.int32)
    mask, order = np.array([[1, 1, 0], [1, 0, 0]], np.int32), np.array([[2, 0, 5], [1, 1, 3]], np.int32)

    def case(name, inputs, total, counts, variance_added, **attributes):
        mean, variance = total.mean(-1, keepdims=True), total.var(-1, keepdims=True)
        one(f"fused_{name}", 17, "EmbedLayerNormalization", inputs,
            [((total - mean) / np.sqrt(variance + variance_added) * scale + shift).astype(np.float32), counts, total],
            domain="com.microsoft", **attributes)

    case("embedding", [ids, None, words, places, None, scale, shift], words[ids] + places[:3], np.zeros(2, np.int32),
         1e-12)
    # Without segments, inputs 0, 2, 3, 5 and 6 are there.
    case("embedding_segments", [ids, kinds, words, places, segments, scale, shift],
         words[ids] + places[:3] + segments[kinds], np.zeros(2, np.int32), 1e-12)
    case("embedding_all", [ids, kinds, words, places, segments, scale, shift, mask, order],
         words[ids] + places[order] + segments[kinds], np.array([2, 1], np.int32), 0.25, epsilon=0.25)


def make():
    activations()
    products()
    norm()
    attention()
    attention_masks()
    rms_norm()
    embedding()
    gemms()
