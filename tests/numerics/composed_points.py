# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points of operators that the importer writes as many operations: attention, and what moves elements.

Only make_points.py reads it (see there).
"""
import math

import torch
import torch.nn.functional as F

from make_points import Constant, node, point

INF = math.inf


def floats(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.empty(shape).uniform_(-1, 1, generator=generator).tolist()


def attend(q, k, v, bias=None, softcap=0.0):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    scores = softcap * torch.tanh(scores / softcap) if softcap else scores
    return F.softmax(scores if bias is None else scores + bias, -1) @ v


def attention():
    q, k, v = (floats(1, 2, 3, 4, seed=seed) for seed in range(3))
    point("plain", "Attention", [q, k, v], F.scaled_dot_product_attention)
    point("causal", "Attention", [q, k, v], lambda *x: F.scaled_dot_product_attention(*x, is_causal=True), is_causal=1)
    point("scaled", "Attention", [q, k, v], lambda *x: F.scaled_dot_product_attention(*x, scale=0.25), scale=0.25)
    point("capped", "Attention", [q, k, v], lambda *x: attend(*x, softcap=0.5), softcap=0.5)
    mask = Constant([[0.0, -INF, 1.0], [0.0, 0.0, -1.0], [-INF, 0.5, 0.0]])
    point("mask of floats", "Attention", [q, k, v, mask], attend)
    point("trained bias", "Attention", [q, k, v, floats(2, 3, 3, seed=3)], attend)
    hidden = Constant([[True, False, True], [True, True, False], [False, True, True]], "bool")
    point("mask of truth values", "Attention", [q, k, v, hidden],
          lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m))
    point("fewer heads of keys", "Attention", [floats(1, 4, 3, 4, seed=4), k, v],
          lambda *x: F.scaled_dot_product_attention(*x, enable_gqa=True))

    def heads(x, count):
        return x.unflatten(2, (count, -1)).transpose(1, 2)
    flat = [floats(1, 3, 8, seed=5), floats(1, 5, 4, seed=6), floats(1, 5, 4, seed=7)]
    point("3 dims", "Attention", flat, lambda q, k, v: F.scaled_dot_product_attention(
        heads(q, 4), heads(k, 2), heads(v, 2), enable_gqa=True).transpose(1, 2).flatten(2), q_num_heads=4, kv_num_heads=2)


def rotary():
    x, angles = floats(1, 2, 3, 4), torch.tensor([[[0.0, 0.0], [1.0, 0.1], [2.0, 0.2]]])
    tables = [Constant(angles.cos().tolist()), Constant(angles.sin().tolist())]

    def halves(x, c, s):
        a, b = x[..., :2], x[..., 2:]
        return torch.cat([a * c - b * s, a * s + b * c], -1)

    def pairs(x, c, s):
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
    point("halves", "RotaryEmbedding", [x, *tables], halves)
    point("pairs", "RotaryEmbedding", [x, *tables], pairs, interleaved=1)
    point("a part", "RotaryEmbedding", [floats(1, 2, 3, 6), *tables],
          lambda x, c, s: torch.cat([halves(x[..., :4], c, s), x[..., 4:]], -1), rotary_embedding_dim=4, num_heads=2)
    rows = [Constant(angles[0].cos().tolist()), Constant(angles[0].sin().tolist()), Constant([[2, 0, 2]], "int")]
    point("by position_ids", "RotaryEmbedding", [x, *rows], lambda x, c, s, p: halves(x, c[p[0]], s[p[0]]))


def einsum():
    for equation, shapes in (("bij,bjk->bik", ((2, 3, 4), (2, 4, 2))), ("bhid,bhjd->bhij", ((1, 2, 3, 4), (1, 2, 5, 4))),
                             ("i,j->ij", ((3,), (2,))), ("ij,ij->", ((2, 3), (2, 3))), ("ij->ji", ((2, 3),)),
                             ("ijk->j", ((2, 3, 2),)), ("...ij,jk->...ik", ((2, 1, 3, 4), (4, 2)))):
        inputs = [floats(*shape, seed=seed) for seed, shape in enumerate(shapes)]
        point(equation, "Einsum", inputs, lambda *x, e=equation: torch.einsum(e, *x), equation=equation)


def gathers():
    x = floats(3, 4)
    again = [[0, 2, 2], [1, -1, 0]]
    point("rows twice", "Gather", [x, Constant([[1, 1], [-1, 0]], "int")], lambda x, i: x[i % 3], axis=0)
    point("columns twice", "Gather", [x, Constant([3, 0, 3], "int")], lambda x, i: x[:, i], axis=1)
    point("twice", "GatherElements", [x, Constant(again, "int")], lambda x, i: x.gather(0, i[:, :3] % 3), axis=0)
    point("along columns", "GatherElements", [x, Constant([[0, 0], [3, -4], [2, 1]], "int")],
          lambda x, i: x.gather(1, i % 4), axis=1)
    point("elements twice", "GatherND", [x, Constant([[0, 1], [2, -1], [0, 1]], "int")],
          lambda x, i: x[i[:, 0] % 3, i[:, 1] % 4])
    point("rows twice", "GatherND", [x, Constant([[2], [2], [0]], "int")], lambda x, i: x[i[:, 0]])
    point("in a batch", "GatherND", [floats(2, 3, 2), Constant([[[2], [-3]], [[1], [1]]], "int")],
          lambda x, i: torch.stack([x[b][i[b, :, 0] % 3] for b in range(2)]), batch_dims=1)


def scatters():
    x, updates = floats(3, 4), floats(2, 3, seed=1)
    once, twice = Constant([[0, 2, 1], [1, -3, 2]], "int"), Constant([[0, 2, 1], [0, -1, 1]], "int")
    point("each once", "ScatterElements", [x, once, updates], lambda x, i, u: x.scatter(0, i % 3, u), axis=0)
    for reduction, name in (("add", "sum"), ("mul", "prod"), ("max", "amax"), ("min", "amin")):
        point(reduction, "ScatterElements", [x, twice, updates],
              lambda x, i, u, n=name: x.scatter_reduce(0, i % 3, u, n), axis=0, reduction=reduction)
    rows, places = floats(2, 4, seed=1), Constant([[2], [0]], "int")
    point("rows", "ScatterND", [x, places, rows], lambda x, i, u: x.index_put((i[:, 0],), u))
    point("a row twice", "ScatterND", [x, Constant([[2], [2]], "int"), rows],
          lambda x, i, u: x.index_put((i[:, 0],), u, accumulate=True), reduction="add")


def orders():
    x = [[3.0, 1.0, 2.0, -1.0], [0.5, 0.25, -2.0, 4.0]]
    for largest in (1, 0):
        point(f"largest {largest}", "TopK", [x, Constant([2], "int")],
              lambda x, k, l=largest: x.topk(2, 1, largest=bool(l)).values, axis=1, largest=largest)
    along = Constant(1, "int")
    point("plain", "CumSum", [x, along], lambda x, a: x.cumsum(1))
    point("from the end", "CumSum", [x, along], lambda x, a: x.flip(1).cumsum(1).flip(1), reverse=1)
    point("without the own", "CumSum", [x, along], lambda x, a: x.cumsum(1) - x, exclusive=1)


def angles():
    wide = [0.0, -0.0, 1.0, -1.0, 1e-30, 1e-4, -1e-4, 1.5, -1.5, 15.0, -15.0, 100.0, -100.0]
    inside = [0.0, 1e-4, -1e-4, 0.5, -0.5, 0.875, -0.875, 0.999, -0.999]
    for op, function, values in (
            ("Sin", torch.sin, [*wide, 1e4, -1e4, 1e6]), ("Cos", torch.cos, [*wide, 1e4, -1e4, 1e6]),
            ("Tan", torch.tan, wide), ("Asin", torch.asin, inside), ("Acos", torch.acos, inside),
            ("Atan", torch.atan, [*wide, 1e30, -1e30]), ("Sinh", torch.sinh, [*wide[:-2], 50.0, -50.0]),
            ("Cosh", torch.cosh, [*wide[:-2], 50.0, -50.0]), ("Asinh", torch.asinh, [*wide, 1e30, -1e30]),
            ("Acosh", torch.acosh, [1.25, 1.5, 10.0, 1e4, 1e30]), ("Atanh", torch.atanh, inside)):
        point("far", op, [values], function)
    whole = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, 0.49999997, -0.49999997, 3.0, 1e10, -1e10, INF, -INF]
    for op, function in (("Floor", torch.floor), ("Ceil", torch.ceil), ("Round", torch.round)):
        point("halves", op, [whole], function)


def quantization():
    def nodes(**attributes):
        axis = {key: value for key, value in attributes.items() if key == "axis"}
        return [node("QuantizeLinear", "in0 in1", "q", **attributes), node("DequantizeLinear", "q in1", "y", **axis)]
    # Halves of a step, both limits, what rounds to a limit from outside, and what lies outside.
    x = [0.0, -0.0, 0.125, 0.375, 0.3, -0.1, -0.125, -0.13, -0.3, 63.7, 63.75, 63.87, 63.875, 63.88, 70.0, -70.0, 1e30]
    point("uint8", "QuantizeLinear", [x, Constant(0.25)],
          lambda x, s: torch.fake_quantize_per_tensor_affine(x, 0.25, 0, 0, 255), nodes())
    signed = [31.7, 31.75, 31.87, 31.88, 40.0, -31.9, -32.0, -32.1, -32.125, -32.13, -33.0, 0.3, -0.3, 0.125, -0.375]
    point("int8", "QuantizeLinear", [signed, Constant(0.25)],
          lambda x, s: torch.fake_quantize_per_tensor_affine(x, 0.25, 0, -128, 127), nodes(output_dtype=3))
    channels = [[[31.8, -32.1], [0.3, 16.0]], [[40.0, 1.0], [-16.1, -20.0]]]
    point("channels", "QuantizeLinear", [channels, Constant([0.25, 0.125])],
          lambda x, s: torch.fake_quantize_per_channel_affine(x, s, torch.zeros(2, dtype=torch.int32), 1, -128, 127),
          nodes(output_dtype=3, axis=1))


GROUPS = (attention, rotary, einsum, gathers, scatters, orders, angles, quantization)
