# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of random_modules.py: each function makes a random step for rows of a given shape. Needs torch."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Step(nn.Module):
    """A function of a tensor, with the layers and parameters that it uses."""

    def __init__(self, function, text, **parts):
        super().__init__()
        self.function, self.text = function, text
        for name, part in parts.items():
            if isinstance(part, torch.Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)

    def forward(self, x):
        return self.function(self, x)


class Chain(nn.Module):
    """Steps one after the other."""

    def __init__(self, steps):
        super().__init__()
        self.steps = nn.ModuleList(steps)

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return x

    @property
    def text(self):
        return " > ".join(step.text for step in self.steps)


def parameter(*shape, scale=1.0):
    return nn.Parameter(scale * torch.randn(shape))


# Each function below takes random numbers and the shape of a row, and returns (step, new shape), or None where
# it does not fit. Shapes are [features] or [positions, features].

ACTIVATIONS = [
    nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Softplus(), nn.Mish(),
    nn.ELU(0.8), nn.SELU(), nn.CELU(1.2), nn.Hardswish(), nn.Hardsigmoid(), nn.ReLU6(), nn.LeakyReLU(0.2),
    nn.LogSigmoid(), nn.Softsign(), nn.Hardtanh(-0.7, 0.9), nn.Softshrink(0.1), nn.Hardshrink(0.2),
    nn.Tanhshrink(), nn.Threshold(0.1, 0.0), nn.Softplus(2.0)]


def activation(r, shape):
    layer = r.choice(ACTIVATIONS)
    return Step(lambda s, x: layer(x), type(layer).__name__), shape


def linear(r, shape):
    width, bias = r.randint(1, 9), r.random() < 0.7
    return Step(lambda s, x: s.layer(x), f"Linear {width}{'' if bias else ' no bias'}",
                layer=nn.Linear(shape[-1], width, bias=bias)), [*shape[:-1], width]


def norm(r, shape):
    kind = r.choice(["layer", "layer plain", "layer whole", "rms", "batch", "group", "normalize", "l1"])
    width = shape[-1]
    if kind == "batch" and len(shape) == 1:
        layer = nn.BatchNorm1d(width, affine=r.random() < 0.8, momentum=r.choice([0.1, 0.4]))
    elif kind == "group" and len(shape) == 2 and shape[0] % 2 == 0:
        layer = nn.GroupNorm(2, shape[0])
    elif kind == "rms":
        layer = nn.RMSNorm(width, eps=1e-5)
    elif kind == "layer plain":
        layer = nn.LayerNorm(width, elementwise_affine=False)
    elif kind == "layer whole":
        layer = nn.LayerNorm(shape)
    elif kind == "normalize":
        return Step(lambda s, x: F.normalize(x, dim=-1), "F.normalize"), shape
    elif kind == "l1":
        return Step(lambda s, x: F.normalize(x, p=1.0, dim=-1), "F.normalize p=1"), shape
    else:
        layer = nn.LayerNorm(width, bias=r.random() < 0.8)
    if width * (shape[0] if kind == "layer whole" else 1) < 2:
        return None  # of one element: nothing is left but the shift
    return Step(lambda s, x: s.layer(x), str(layer), layer=layer), shape


def slopes(r, shape):
    count = shape[0] if r.random() < 0.5 else 1
    return Step(lambda s, x: s.layer(x), f"PReLU {count}", layer=nn.PReLU(count)), shape


def with_parameter(r, shape):
    """Broadcasting: a parameter of fewer, or more, dims of one."""
    kept = [size if r.random() < 0.6 else 1 for size in shape]
    kept = r.choice([kept, kept[-1:], [], [1], [1, *kept]])
    how = r.choice(["add", "mul", "sub from", "div", "max", "min", "where"])
    functions = {
        "add": lambda s, x: x + s.value, "mul": lambda s, x: x * s.value, "sub from": lambda s, x: s.value - x,
        "div": lambda s, x: x / (s.value.abs() + 0.5), "max": lambda s, x: torch.maximum(x, s.value),
        "min": lambda s, x: torch.minimum(s.value, x),
        "where": lambda s, x: torch.where(x > s.value, x, s.value)}
    return Step(functions[how], f"{how} parameter {kept}", value=parameter(*kept)), shape


def formula(r, shape):
    text, function = r.choice([
        ("x^2", lambda s, x: x.pow(2)), ("x^3", lambda s, x: 0.1 * x ** 3),
        ("sqrt", lambda s, x: (x * x + 0.1).sqrt()), ("tanh exp", lambda s, x: torch.tanh(x).exp()),
        ("rsqrt", lambda s, x: (x * x + 0.3).rsqrt()), ("abs", lambda s, x: x.abs()),
        ("exp", lambda s, x: x.clamp(-3, 2).exp()), ("log", lambda s, x: (1 + x * x).log()),
        ("log1p", lambda s, x: torch.log1p(x.abs())), ("expm1", lambda s, x: torch.expm1(x.clamp(max=1.5))),
        ("erf", lambda s, x: torch.erf(x)), ("reciprocal", lambda s, x: 1 / (x.abs() + 0.6)),
        ("clamp", lambda s, x: x.clamp(-0.8, 1.1)), ("where 0", lambda s, x: torch.where(x > 0, x * 2, x * 0.3)),
        ("where -inf", lambda s, x: x.masked_fill(x < -9, float("-inf")).exp().clamp(max=3)),
        ("sign", lambda s, x: x * x.sign().detach()), ("relu - relu", lambda s, x: F.relu(x) - 0.2 * F.relu(-x)),
        ("max with 0", lambda s, x: torch.maximum(x, torch.zeros_like(x))),
        ("2**x", lambda s, x: 2 ** x.clamp(max=2)), ("x*sigmoid", lambda s, x: x * torch.sigmoid(1.7 * x)),
        ("neg", lambda s, x: -x), ("half", lambda s, x: x / 2), ("rsub", lambda s, x: 1.5 - x),
        ("pow 1.5", lambda s, x: (x.abs() + 0.1) ** 1.5), ("square", lambda s, x: torch.square(x) - x)])
    return Step(function, text), shape


def softmaxes(r, shape):
    axis = -r.randint(1, len(shape))
    function = r.choice([F.softmax, F.log_softmax, F.softmin])
    return Step(lambda s, x: function(x, dim=axis), f"{function.__name__} {axis}"), shape


def standardize(r, shape):
    if shape[-1] < 3:
        return None
    correction = r.choice([0, 1])

    def function(s, x):
        mean = x.mean(-1, keepdim=True)
        return (x - mean) / (x.var(-1, keepdim=True, correction=correction) + 0.05).sqrt()

    return Step(function, f"standardize {correction}"), shape


def reduce_beside(r, shape):
    """x with a reduction of itself over one axis, or all."""
    axis = r.choice([*range(1, len(shape) + 1), tuple(range(1, len(shape) + 1))])
    text, function = r.choice([
        ("mean", lambda x: x.mean(axis, keepdim=True)), ("sum", lambda x: 0.2 * x.sum(axis, keepdim=True)),
        ("amax", lambda x: x.amax(axis, keepdim=True)), ("amin", lambda x: x.amin(axis, keepdim=True)),
        ("logsumexp", lambda x: x.logsumexp(axis, keepdim=True)),
        ("norm", lambda x: torch.linalg.vector_norm(x, dim=axis, keepdim=True)),
        ("norm 1", lambda x: 0.2 * x.abs().sum(axis, keepdim=True))])
    how = r.choice(["+", "-", "*"])
    functions = {"+": lambda s, x: x + function(x), "-": lambda s, x: x - function(x),
                 "*": lambda s, x: x * torch.tanh(function(x))}
    return Step(functions[how], f"x {how} {text} over {axis}"), shape


def residual(r, shape):
    inner = chain(r, shape, r.randint(1, 3), keep=True)
    return Step(lambda s, x: x + s.inner(x), f"residual({inner.text})", inner=inner), shape


def gate(r, shape):
    layer = nn.Linear(shape[-1], shape[-1])
    function = r.choice([torch.sigmoid, F.silu, torch.tanh])
    return Step(lambda s, x: x * function(s.layer(x)), f"gate {function.__name__}", layer=layer), shape


def glu(r, shape):
    if shape[-1] % 2 or shape[-1] < 2:
        return None
    return Step(lambda s, x: F.glu(x, -1), "GLU"), [*shape[:-1], shape[-1] // 2]


def twice(r, shape):
    """One layer used twice."""
    layer = nn.Linear(shape[-1], shape[-1])
    return Step(lambda s, x: s.layer(torch.tanh(s.layer(x))), "layer twice", layer=layer), shape


def tied(r, shape):
    weight = parameter(r.randint(1, 7), shape[-1], scale=0.5)
    return Step(lambda s, x: F.linear(torch.relu(F.linear(x, s.weight)), s.weight.T),
                "tied weight and transposed", weight=weight), shape


def parts(r, shape):
    """Slices, flips, rolls, splits, concatenations and pads of the last axis."""
    width = shape[-1]
    if width < 3:
        return None
    half, cut = width // 2, r.randint(1, width - 1)

    def split(s, x):
        return torch.cat([part * (i + 1) for i, part in enumerate(x.split([cut, width - cut], -1))], -1)

    text, function, size = r.choice([
        ("flip", lambda s, x: x.flip(-1), width), ("roll", lambda s, x: x.roll(1, -1), width),
        ("every second", lambda s, x: x[..., ::2], (width + 1) // 2), ("cut", lambda s, x: x[..., :cut], cut),
        ("rotate halves", lambda s, x: torch.cat([-x[..., half:], x[..., :half]], -1), width),
        ("cat relu", lambda s, x: torch.cat([F.relu(x), F.relu(-x)], -1), 2 * width),
        ("pad", lambda s, x: F.pad(x, (1, 2)), width + 3), ("chosen", lambda s, x: x[..., [0, 2, 2]], 3),
        ("pad value", lambda s, x: F.pad(x, (0, 1), value=0.5), width + 1), ("split", split, width),
        ("chunk", lambda s, x: torch.cat([part.tanh() for part in x.chunk(2, -1)], -1), width),
        ("stack", lambda s, x: torch.stack([x, x * x], -1).flatten(-2), 2 * width),
        ("repeat", lambda s, x: x.repeat(*[1] * len(shape), 2), 2 * width),
        ("differences", lambda s, x: x[..., 1:] - x[..., :-1], width - 1)])
    return Step(function, text), [*shape[:-1], size]


def to_positions(r, shape):
    sizes = [n for n in range(2, shape[0]) if shape[0] % n == 0]
    if len(shape) != 1:
        return None
    if not sizes or r.random() < 0.5:
        return Step(lambda s, x: x[:, :, None] * s.value, "outer product", value=parameter(3)), [shape[0], 3]
    rows = r.choice(sizes)
    return Step(lambda s, x: x.reshape(-1, rows, shape[0] // rows), "to rows"), [rows, shape[0] // rows]


def to_features(r, shape):
    if len(shape) != 2:
        return None
    text, function = r.choice([
        ("mean", lambda s, x: x.mean(1)), ("amax", lambda s, x: x.amax(1)), ("sum", lambda s, x: x.sum(1)),
        ("last", lambda s, x: x[:, -1]), ("logsumexp", lambda s, x: x.logsumexp(1)),
        ("gram", lambda s, x: (x.transpose(1, 2) @ x).mean(1)), ("max", lambda s, x: x.max(1).values)])
    if r.random() < 0.3 and math.prod(shape) <= 24:
        return Step(lambda s, x: x.flatten(1), "flatten"), [math.prod(shape)]
    return Step(function, f"{text} over positions"), shape[1:]


def across(r, shape):
    if len(shape) != 2:
        return None
    layer = nn.Linear(shape[0], r.randint(1, 6))
    return (Step(lambda s, x: s.layer(x.transpose(1, 2)).transpose(1, 2), "Linear over positions", layer=layer),
            [layer.out_features, shape[1]])


def attention(r, shape):
    if len(shape) != 2:
        return None
    length, width = shape
    mask = r.choice(["none", "fill", "add", "finite"])
    parts = {name: nn.Linear(width, width, bias=r.random() < 0.6) for name in ("query", "key", "value")}
    if mask == "fill":
        parts["mask"] = torch.ones(length, length, dtype=torch.bool).triu(1)
    elif mask != "none":
        parts["mask"] = torch.full((length, length), -math.inf if mask == "add" else -1e4).triu(1)

    def function(s, x):
        scores = s.query(x) @ s.key(x).transpose(1, 2) / math.sqrt(width)
        if mask == "fill":
            scores = scores.masked_fill(s.mask, -math.inf)
        elif mask != "none":
            scores = scores + s.mask
        return scores.softmax(-1) @ s.value(x)

    return Step(function, f"attention, mask {mask}", **parts), shape


def transformer(r, shape):
    if len(shape) != 2 or shape[1] % 2:
        return None
    if r.random() < 0.4:
        layer = nn.MultiheadAttention(shape[1], 2, batch_first=True, bias=r.random() < 0.7)
        return Step(lambda s, x: s.layer(x, x, x, need_weights=False)[0], "MultiheadAttention",
                    layer=layer), shape
    layer = nn.TransformerEncoderLayer(
        shape[1], r.choice([1, 2]), dim_feedforward=7, dropout=0.0, batch_first=True,
        norm_first=r.random() < 0.5, activation=r.choice(["relu", "gelu"]))
    return Step(lambda s, x: s.layer(x), "TransformerEncoderLayer", layer=layer), shape


def dropout(r, shape):
    return Step(lambda s, x: s.layer(x), "Dropout 0", layer=nn.Dropout(0.0)), shape


def attended_parameter(r, shape):
    """Prototypes: distances to rows of a parameter."""
    rows = parameter(r.randint(2, 5), shape[-1])
    return (Step(lambda s, x: -(x.unsqueeze(-2) - s.rows).pow(2).sum(-1) * 0.3, "distances to prototypes",
                 rows=rows),
            [*shape[:-1], rows.shape[0]])


BLOCKS = [(activation, 5), (linear, 5), (norm, 4), (slopes, 1), (with_parameter, 3), (formula, 4),
          (softmaxes, 1), (standardize, 1), (reduce_beside, 2), (residual, 2), (gate, 1), (glu, 1), (twice, 1),
          (tied, 1), (parts, 3), (to_positions, 2), (to_features, 2), (across, 2), (attention, 3),
          (transformer, 2), (dropout, 1), (attended_parameter, 1)]
KEEPING = [activation, norm, slopes, with_parameter, formula, softmaxes, standardize, reduce_beside, gate, twice,
           tied, attention]


def chain(r, shape, count, keep=False):
    """A Chain of `count` random steps; its attribute `shape` is that of a row of its result. With `keep`, that of `shape`."""
    steps = []
    while len(steps) < count:
        block = r.choice(KEEPING) if keep else r.choices([b for b, _ in BLOCKS], [w for _, w in BLOCKS])[0]
        made = block(r, shape)
        if made is None or (not keep and math.prod(made[1]) > 40):  # images are larger, and stay as they are
            continue
        steps.append(made[0])
        shape = made[1]
    result = Chain(steps)
    result.shape = shape
    return result
