# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More random steps, for images, sequences and rows: what people write beside the layers of random_layers.py.

Each function takes random numbers and the shape of a row, [channels, height, width], [positions, features] or
[features], and returns a Step or None where it does not fit. The shape of its result is that of a trial. Needs torch.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from random_layers import Chain, Step, parameter

MOST_ELEMENTS = 160  # of a row


def pick(r, *choices):
    """One of (text, function)."""
    text, function = r.choice(choices)
    return Step(function, text)


#===-- Images ----------------------------------------------------------------------------#


def conv(r, shape):
    channels, height, width = shape
    groups = r.choice([1, 1, channels])
    kernel, padding = (r.randint(1, 3), r.randint(1, 3)), r.choice([0, 1, (1, 0), "same"])
    stride = 1 if padding == "same" else r.choice([1, 2, (1, 2)])
    layer = nn.Conv2d(channels, groups * r.randint(1, 3), kernel, stride, padding, r.choice([1, 1, (1, 2)]), groups,
                      r.random() < 0.7, r.choice(["zeros", "zeros", "reflect", "circular", "replicate"]))
    return Step(lambda s, x: s.layer(x), str(layer), layer=layer)


def conv_transposed(r, shape):
    stride = r.choice([1, 2, (2, 1)])
    layer = nn.ConvTranspose2d(shape[0], r.randint(1, 3), r.choice([1, 2, (2, 3), 3]), stride, r.choice([0, 1]),
                               r.choice([0, 1]) if stride == 2 else 0, dilation=r.choice([1, 1, 2]),
                               bias=r.random() < 0.7)
    return Step(lambda s, x: s.layer(x), str(layer), layer=layer)


def pool(r, shape):
    ceil, pad = r.random() < 0.4, r.choice([0, 1])
    layer = r.choice([
        nn.MaxPool2d(r.choice([2, (2, 3), 3]), r.choice([1, 2, (1, 2)]), pad, r.choice([1, 1, 2]), ceil_mode=ceil),
        nn.AvgPool2d(r.choice([2, (3, 2)]), r.choice([1, 2]), pad, ceil, r.random() < 0.5),
        nn.AvgPool2d(2, 1, 0, ceil, True, divisor_override=3), nn.LPPool2d(2, 2, 1),
        nn.AdaptiveAvgPool2d(1), nn.AdaptiveAvgPool2d((2, 1)), nn.AdaptiveMaxPool2d(1)])
    return Step(lambda s, x: layer(x), str(layer))


def image_norm(r, shape):
    channels = shape[0]
    layer = r.choice([nn.BatchNorm2d(channels), nn.BatchNorm2d(channels, affine=False, momentum=0.3),
                      nn.BatchNorm2d(channels, track_running_stats=False), nn.InstanceNorm2d(channels, affine=True),
                      nn.InstanceNorm2d(channels), nn.GroupNorm(1, channels), nn.GroupNorm(channels, channels),
                      nn.LocalResponseNorm(3, 0.1), nn.LayerNorm(list(shape)), nn.LayerNorm(shape[1:])])
    return Step(lambda s, x: s.layer(x), str(layer), layer=layer)


def squeeze_and_excite(r, shape):
    fc, how = nn.Linear(shape[0], shape[0]), r.choice(["mean", "amax", "view"])

    def function(s, x):
        pooled = (x.amax((2, 3)) if how == "amax" else
                  F.adaptive_avg_pool2d(x, 1).view(x.size(0), -1) if how == "view" else x.mean(dim=(-1, -2)))
        return x * torch.sigmoid(s.fc(pooled))[:, :, None, None]

    return Step(function, f"SE {how}", fc=fc)


def image_moves(r, shape):
    channels, height, width = shape
    return pick(
        r, ("crop", lambda s, x: x[:, :, 1:, :-1]), ("stride", lambda s, x: x[..., ::2, :]),
        ("flip", lambda s, x: x.flip(2, 3)), ("roll", lambda s, x: x.roll((1, -1), (2, 3))),
        ("pixel shuffle", lambda s, x: F.pixel_shuffle(x, 2)), ("unshuffle", lambda s, x: F.pixel_unshuffle(x, 2)),
        ("channel shuffle", lambda s, x: F.channel_shuffle(x, 2)),
        ("nearest", lambda s, x: F.interpolate(x, scale_factor=2)),
        ("bilinear", lambda s, x: F.interpolate(x, size=(3, 5), mode="bilinear", align_corners=False)),
        ("corners", lambda s, x: F.interpolate(x, size=(5, 4), mode="bilinear", align_corners=True)),
        ("bicubic", lambda s, x: F.interpolate(x, size=(3, 4), mode="bicubic", align_corners=False)),
        ("area", lambda s, x: F.interpolate(x, size=(2, 2), mode="area")),
        ("pad", lambda s, x: F.pad(x, (1, 0, 0, 2), value=-0.5)),
        ("reflect", lambda s, x: F.pad(x, (1, 1, 1, 0), mode="reflect")),
        ("circular", lambda s, x: F.pad(x, (1, 1, 0, 1), mode="circular")),
        ("cut", lambda s, x: F.pad(x, (-1, 0, 0, -1))),
        ("flow", lambda s, x: x[:, :, 1:] - x[:, :, :-1]), ("swap", lambda s, x: x.transpose(2, 3)),
        ("softmax of places", lambda s, x: x.flatten(2).softmax(-1).view_as(x) * 3),
        ("softmax2d", lambda s, x: F.softmax(x, 1)), ("mix", lambda s, x: torch.cat([x, x.mean(1, True)], 1)),
        ("patches", lambda s, x: F.unfold(x, 2, stride=2).view(x.shape[0], -1, 1, (height // 2) * (width // 2))),
        ("max of channels", lambda s, x: x - x.max(1, keepdim=True)[0]))


def to_sequence(r, shape):
    return pick(r, ("tokens", lambda s, x: x.flatten(2).transpose(1, 2)), ("rows", lambda s, x: x.mean(1)),
                ("rearranged", lambda s, x: x.permute(0, 2, 1, 3).reshape(x.shape[0], shape[1], -1)),
                ("einsum", lambda s, x: torch.einsum("bchw->bhc", x) * 0.5))


IMAGE = [(conv, 6), (conv_transposed, 1), (pool, 2), (image_norm, 4), (squeeze_and_excite, 1), (image_moves, 4),
         (to_sequence, 2)]

#===-- Sequences -------------------------------------------------------------------------#


def conv1d(r, shape):
    kernel = r.randint(1, 3)
    if r.random() < 0.5:
        layer = nn.Conv1d(shape[1], r.randint(1, 5), kernel, dilation=r.choice([1, 2]))
        return Step(lambda s, x: s.layer(F.pad(x.transpose(1, 2), ((s.layer.kernel_size[0] - 1) * s.layer.dilation[0],
                                                                   0))).transpose(1, 2), "causal conv", layer=layer)
    layer = nn.Conv1d(shape[1], shape[1], kernel, padding=kernel // 2, groups=shape[1], padding_mode="circular")
    return Step(lambda s, x: x + s.layer(x.mT).mT[:, :x.size(1)], "depthwise conv", layer=layer)


def recurrent(r, shape):
    options = dict(num_layers=r.choice([1, 1, 2]), batch_first=True, bidirectional=r.random() < 0.3,
                   bias=r.random() < 0.8)
    layer = r.choice([nn.LSTM, nn.GRU, nn.RNN])(shape[1], r.randint(1, 4), **options)
    return Step(lambda s, x: s.layer(x)[0], str(layer), layer=layer)


def heads(r, shape):
    if shape[1] % 2:
        return None
    how = r.choice(["sdpa", "causal", "mask", "bias", "einsum", "cosine"])
    parts = {"qkv": nn.Linear(shape[1], 3 * shape[1], bias=r.random() < 0.6), "out": nn.Linear(shape[1], shape[1])}
    length = shape[0]
    if how == "mask":
        parts["allowed"] = torch.ones(length, length, dtype=torch.bool).tril()
    if how == "bias":
        parts["table"] = parameter(2 * length - 1, 2, scale=0.3)
        parts["places"] = torch.arange(length)[:, None] - torch.arange(length)[None] + length - 1
    if how == "cosine":
        parts["scale"] = nn.Parameter(torch.tensor(1.5))

    def function(s, x):
        q, k, v = s.qkv(x).view(x.size(0), length, 3, 2, -1).permute(2, 0, 3, 1, 4)
        if how == "einsum":
            weights = torch.einsum("bhid,bhjd->bhij", q, k).softmax(-1)
            y = torch.einsum("bhij,bhjd->bihd", weights, v).flatten(2)
            return s.out(y)
        if how == "cosine":
            scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1) * s.scale.exp()
            y = scores.softmax(-1) @ v
        elif how == "bias":
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=s.table[s.places].permute(2, 0, 1)[None])
        else:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=s.allowed if how == "mask" else None,
                                               is_causal=how == "causal")
        return s.out(y.transpose(1, 2).reshape(x.shape))

    return Step(function, f"heads {how}", **parts)


def positions(r, shape):
    parts = {"table": parameter(shape[0] + r.randint(0, 3), shape[1])}
    text, function = r.choice([
        ("sliced", lambda s, x: x + s.table[:x.size(1)]),
        ("arange", lambda s, x: x + F.embedding(torch.arange(x.shape[1], device=x.device), s.table)),
        ("sines", lambda s, x: x + torch.sin(torch.arange(x.shape[1])[:, None] * s.table[0]))])
    return Step(function, f"positions {text}", **parts)


def class_token(r, shape):
    return Step(lambda s, x: torch.cat([s.token.expand(x.shape[0], -1, -1), x], dim=1), "class token",
                token=parameter(1, 1, shape[1]))


def sequence_moves(r, shape):
    length, width = shape
    return pick(
        r, ("cumsum", lambda s, x: x.cumsum(1) * 0.5), ("unfold", lambda s, x: x.unfold(1, 2, 1).flatten(2)),
        ("shift", lambda s, x: F.pad(x, (0, 0, 1, 0))[:, :-1]), ("deltas", lambda s, x: x[:, 1:] - x[:, :-1]),
        ("reversed", lambda s, x: torch.flip(x, [1])), ("tril", lambda s, x: torch.tril(x @ x.mT) @ x * 0.2),
        ("repeat", lambda s, x: x.repeat_interleave(2, dim=1)), ("select", lambda s, x: x[:, [0, -1, 0]]),
        ("index_select", lambda s, x: x.index_select(1, torch.tensor([length - 1, 0]))),
        ("topk", lambda s, x: x.topk(2, dim=1)[0]), ("sort", lambda s, x: x.sort(dim=1, descending=True).values),
        ("gather", lambda s, x: x.gather(1, x.argmax(-1, keepdim=True).clamp(max=length - 1).expand(-1, -1, width))),
        ("median place", lambda s, x: x + x.gather(1, x.argmin(1, keepdim=True))),
        ("stack", lambda s, x: torch.stack(x.unbind(1)[::-1], 1)), ("movedim", lambda s, x: x.movedim(1, 2)),
        ("std", lambda s, x: (x - x.mean(1, True)) / (x.std(1, keepdim=True) + 0.5)),
        ("var_mean", lambda s, x: x * torch.var_mean(x, dim=-1, keepdim=True, correction=0)[0]),
        ("prod", lambda s, x: x + x.tanh().prod(1, keepdim=True)), ("baddbmm", lambda s, x: torch.baddbmm(x, x @ x.mT, x, beta=0.5, alpha=0.1)),
        ("cdist", lambda s, x: (x[:, :, None] - x[:, None]).square().sum(-1).add(0.1).sqrt()),
        ("scatter", lambda s, x: torch.zeros_like(x).scatter_add(1, x.argmax(1, keepdim=True).expand_as(x), x)),
        ("one hot", lambda s, x: x * F.one_hot(x.argmax(-1), width)),
        ("chunks", lambda s, x: torch.cat([a * b for a, b in zip(x.chunk(2, 1), x.chunk(2, 1))], 1)),
        ("masked mean", lambda s, x: x - (x * (x > 0)).sum(1, True) / (x > 0).sum(1, True).clamp(min=1)))


SEQUENCE = [(conv1d, 3), (recurrent, 2), (heads, 4), (positions, 2), (class_token, 1), (sequence_moves, 6)]

#===-- Of any shape ----------------------------------------------------------------------#


def in_place(r, shape):
    def rows(s, x):
        x = x.clone()
        x[:, 0] = x[:, -1] * 2
        return x

    def parts(s, x):
        y = torch.zeros_like(x)
        y[..., 1:] = x[..., :-1]
        y[..., 0] += 1
        return y

    def masked(s, x):
        x = x * 1.0
        x[x < 0] = 0.1
        return x

    def several(s, x):
        y = x.sigmoid()
        y.mul_(x).add_(0.2).clamp_(max=1.5)
        return y

    def swapped(s, x):
        y = x.clone()
        y[:, 0], y[:, 1] = x[:, 1], x[:, 0]
        return y

    def added(s, x):
        y = x + 0
        y[..., -1] += s.value
        y[..., :1] -= y[..., -1:]
        return y

    text, function = r.choice([("rows", rows), ("parts", parts), ("masked", masked), ("several", several),
                               ("swapped", swapped), ("added", added),
                               ("relu_", lambda s, x: F.relu(x * 1.1, inplace=True)),
                               ("fill", lambda s, x: torch.full_like(x, 0.3).addcmul_(x, x, value=0.5)),
                               ("index_fill", lambda s, x: x.index_fill(1, torch.tensor([0]), 0.25))])
    return Step(function, f"in place {text}", **({"value": parameter(1)} if text == "added" else {}))


def conditional(r, shape):
    def by_shape(s, x):
        if x.shape[-1] > 3:
            return x.tanh() * x.shape[-1]
        return x * (0.5 if x.dim() == 3 else 2)

    def loop(s, x):
        for i, layer in enumerate(s.layers):
            x = x + layer(x).relu() / (i + 1)
        return x

    text, function = r.choice([("by shape", by_shape), ("loop", loop)])
    layers = nn.ModuleList(nn.Linear(shape[-1], shape[-1], bias=i == 0) for i in range(2))
    return Step(function, text, **({"layers": layers} if text == "loop" else {}))


def mixed_types(r, shape):
    return pick(
        r, ("comparison", lambda s, x: x * (x > 0.1).float() + (x < -0.5)), ("double", lambda s, x: (x.double() * x.double().exp().reciprocal()).float()),
        ("whole", lambda s, x: x + x.long().float() * 0.1), ("parity", lambda s, x: x * (torch.arange(shape[-1]) % 2)),
        ("floor", lambda s, x: x - torch.floor(x)), ("fmod", lambda s, x: torch.fmod(x, 0.7)),
        ("remainder", lambda s, x: x % 1.3), ("round", lambda s, x: x + 0.1 * x.round()),
        ("logical", lambda s, x: torch.where((x > 0) & ~(x > 1), x, -x)),
        ("any", lambda s, x: x * (x > 1).any(-1, keepdim=True)), ("isnan", lambda s, x: torch.nan_to_num(x)),
        ("sum of bools", lambda s, x: x / (1 + (x > 0).sum(-1, keepdim=True))),
        ("integer division", lambda s, x: x * (torch.arange(shape[-1]) // 2 + 1)),
        ("sign copy", lambda s, x: torch.copysign(x.abs().sqrt() + 0.1, x)),
        ("lerp", lambda s, x: torch.lerp(x, x.tanh(), 0.3)),
        ("hypot", lambda s, x: torch.sqrt(x ** 2 + (0.5 * x) ** 2 + 1e-3)), ("atan2", lambda s, x: torch.atan2(x, x.abs() + 1)),
        ("x log x", lambda s, x: x.sigmoid() * x.sigmoid().log()), ("logaddexp", lambda s, x: torch.logaddexp(x, -x)),
        ("sinc", lambda s, x: torch.sin(x) / (x + 9)), ("frac", lambda s, x: x - x.trunc()))


def bucketed(r, shape):
    """A row of a parameter for each number, by its size."""
    return Step(lambda s, x: x * s.table[(x > 0).long() + (x > 1).long()], "bucketed", table=parameter(3))


def normalized_weight(r, shape):
    layer = nn.Linear(shape[-1], r.randint(1, 6))
    how = r.choice(["weight norm", "unit rows", "masked", "scaled", "low rank", "computed"])
    if how == "weight norm":
        layer = torch.nn.utils.parametrizations.weight_norm(layer)
        return Step(lambda s, x: s.layer(x), how, layer=layer)
    mask = (torch.rand(layer.weight.shape) > 0.4).float()
    down, up = parameter(2, shape[-1], scale=0.4), parameter(layer.out_features, 2, scale=0.4)
    functions = {
        "unit rows": lambda s, x: F.linear(x, F.normalize(s.layer.weight, dim=1), s.layer.bias),
        "masked": lambda s, x: F.linear(x, s.layer.weight * s.mask, s.layer.bias),
        "scaled": lambda s, x: F.linear(x, s.layer.weight / s.layer.weight.abs().mean().clamp(min=1e-3)),
        "low rank": lambda s, x: s.layer(x) + x @ s.down.t() @ s.up.t() * 0.5,
        "computed": lambda s, x: x @ (s.up @ s.down).t() + s.layer.bias}
    parts = {"layer": layer}
    if how == "masked":
        parts["mask"] = mask
    if how in ("low rank", "computed"):
        parts.update(down=down, up=up)
    return Step(functions[how], how, **parts)


def experts(r, shape):
    count, width = r.randint(2, 3), r.randint(1, 5)

    def function(s, x):
        weights = s.router(x).softmax(-1)
        if s.top:
            values, places = weights.topk(s.top, -1)
            weights = torch.zeros_like(weights).scatter(-1, places, values / values.sum(-1, keepdim=True))
        return torch.einsum("...e,...eo->...o", weights, torch.einsum("...i,eio->...eo", x, s.weight))

    step = Step(function, "experts", router=nn.Linear(shape[-1], count), weight=parameter(count, shape[-1], width))
    step.top = r.choice([0, 1, 2])
    step.text = f"experts {step.top}"
    return step


def hyper(r, shape):
    width = r.randint(1, 4)
    made = nn.Linear(shape[-1], shape[-1] * width)

    def function(s, x):
        matrix = s.made(x.flatten(1, -2).mean(1) if x.dim() > 2 else x).view(-1, shape[-1], width)
        return torch.einsum("b...i,bio->b...o", x, matrix) * 0.5

    return Step(function, "hypernetwork", made=made)


def films(r, shape):
    scale, shift = nn.Linear(shape[-1], shape[-1]), parameter(shape[-1])
    return Step(lambda s, x: torch.addcmul(s.shift, x, 1 + s.scale(x).tanh()), "FiLM", scale=scale, shift=shift)


def dictionaries(r, shape):
    layers = nn.ModuleDict({"a": nn.Linear(shape[-1], 3), "b": nn.Linear(shape[-1], 3)})
    gains = nn.ParameterDict({"a": parameter(3), "b": parameter(1)})

    def function(s, x):
        made = {name: layer(x) * s.gains[name] for name, layer in s.layers.items()}
        return made["a"] + made["b"].sigmoid()

    return Step(function, "dictionaries", layers=layers, gains=gains)


def buffers(r, shape):
    parts = {"mean": torch.randn(shape[-1]), "std": torch.rand(shape[-1]) + 0.5}
    return Step(lambda s, x: (x - s.mean) / s.std, "normalized by buffers", **parts)


ANY = [(in_place, 3), (conditional, 1), (mixed_types, 4), (bucketed, 1), (normalized_weight, 2), (experts, 1), (hyper, 1),
       (films, 1), (dictionaries, 1), (buffers, 1)]


def trial(step, shape):
    """The shape of the step's result, or None where it does not fit."""
    try:
        with torch.no_grad():
            made = step.train()(torch.randn(3, *shape))
    except (RuntimeError, ValueError, IndexError, ZeroDivisionError, TypeError, AssertionError, NotImplementedError):
        return None
    fits = (isinstance(made, torch.Tensor) and made.dtype == torch.float32 and made.shape[0] == 3 and
            1 <= math.prod(made.shape[1:]) <= MOST_ELEMENTS and 2 <= made.dim() <= 4)
    return list(made.shape[1:]) if fits else None


def chain(r, shape, count, others):
    """A Chain of `count` random steps, some by `others`, which give their shapes; its attribute `shape` is that of
    a row of its result."""
    steps = []
    while len(steps) < count:
        blocks = ANY + {3: IMAGE, 2: SEQUENCE, 1: []}[len(shape)]
        if r.random() < 0.35:
            made = r.choices([b for b, _ in others], [w for _, w in others])[0](r, shape)
            step = made[0] if made else None
        else:
            step = r.choices([b for b, _ in blocks], [w for _, w in blocks])[0](r, shape)
        after = trial(step, shape) if step else None
        if after:
            steps.append(step)
            shape = after
    result = Chain(steps)
    result.shape = shape
    return result
