# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More steps for random_modules.py --states: parameters, buffers and frozen parameters in every operand's place, behind
views, by parametrizations, shared by layers; layers that stay in evaluation mode in a module that trains. Needs torch."""
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, parametrize

from random_layers import Chain, Step, parameter


def state(r, *shape):
    """A parameter, a frozen one or a buffer, of small numbers that are not zero."""
    tensor = 0.4 * torch.randn(shape) + (0.8 if r.random() < 0.5 else 0.0)
    if r.random() < 0.1:
        tensor = r.choice([torch.zeros, torch.ones])(shape)
    kind = r.choices(["parameter", "buffer", "frozen"], [5, 4, 1])[0]
    return tensor if kind == "buffer" else nn.Parameter(tensor, requires_grad=kind == "parameter")


def kind_of(tensor):
    return "b" if not isinstance(tensor, nn.Parameter) else "p" if tensor.requires_grad else "f"


def viewed(r, rows, columns):
    """(a state, its way to a matrix, what that is called)."""
    shape, view, text = r.choice([
        ((rows, columns), lambda w: w, ""), ((columns, rows), lambda w: w.t(), ".t()"),
        ((columns, rows), lambda w: w.transpose(0, 1), ".transpose()"),
        ((rows * columns,), lambda w: w.view(rows, columns), ".view()"),
        ((columns, rows), lambda w: w.reshape(rows, columns), ".reshape()"),
        ((rows, 1, columns), lambda w: w.squeeze(1), ".squeeze()"),
        ((columns,), lambda w: w.expand(rows, columns), ".expand()"),
        ((rows, 1), lambda w: w.expand(rows, columns), ".expand()"),
        ((1, columns, rows), lambda w: w.permute(2, 1, 0).squeeze(2), ".permute()"),
        ((rows + 1, columns), lambda w: w[1:], "[1:]"), ((2, rows, columns), lambda w: w[1], "[1]"),
        ((columns, 2, rows), lambda w: w.mean(1).t(), ".mean().t()")])
    return state(r, *shape), view, text


def row_view(r, size):
    shape, view, text = r.choice([
        ((size,), lambda w: w, ""), ((1, size), lambda w: w.squeeze(0), ".squeeze()"),
        ((size, 1), lambda w: w.t(), ".t()"), ((size,), lambda w: w.unsqueeze(0), ".unsqueeze()"),
        ((size,), lambda w: w.flip(0), ".flip()"), ((1,), lambda w: w.expand(size), ".expand()"),
        ((size + 2,), lambda w: w[2:], "[2:]"), ((3, size), lambda w: w[1], "[1]")])
    return state(r, *shape), view, text


def elementwise(r, shape):
    """x, and two states that meet each other first or not."""
    a, first, ta = row_view(r, shape[-1])
    b, second, tb = row_view(r, shape[-1])
    text, function = r.choice([
        ("x * (a * b)", lambda x, a, b: x * (a * b)), ("x + a * b", lambda x, a, b: x + a * b),
        ("x * a + b", lambda x, a, b: x * a + b), ("(a - b) - x", lambda x, a, b: (a - b) - x),
        ("x / (a^2 + 1) - b", lambda x, a, b: x / (a * a + 1) - b),
        ("where(a > 0, x, b)", lambda x, a, b: torch.where(a > 0, x, b)),
        ("maximum(a, b) * x", lambda x, a, b: torch.maximum(a, b) * x),
        ("x * exp(a) + b", lambda x, a, b: x * torch.exp(0.3 * a) + b),
        ("lerp", lambda x, a, b: torch.lerp(x, a.expand_as(x), b.sigmoid().expand_as(x))),
        ("addcmul", lambda x, a, b: torch.addcmul(x, a, b, value=0.7)),
        ("layer_norm", lambda x, a, b: F.layer_norm(x, a.shape[-1:], a.reshape(-1), b.reshape(-1))),
        ("(x^2 + 1) ** a + b", lambda x, a, b: (x * x + 1) ** a.clamp(-1, 1) + b),
        ("cat", lambda x, a, b: torch.cat([x * a, (x * 0 + b)], -1))])
    width = shape[-1] * (2 if text == "cat" else 1)
    if text == "layer_norm" and shape[-1] < 2:
        return None
    return (Step(lambda s, x: function(x, first(s.a), second(s.b)),
                 f"{text}, {kind_of(a)}{ta}, {kind_of(b)}{tb}", a=a, b=b), [*shape[:-1], width])


def products(r, shape):
    """Of x with two states that meet in a product, a mask, a softmax."""
    width = r.randint(2, 6)
    a, first, ta = viewed(r, shape[-1], width)
    b, second, tb = viewed(r, shape[-1], width)
    c, third, tc = viewed(r, width, width)
    text, function = r.choice([
        ("x @ (a * b)", lambda x, a, b, c: x @ (a * b)), ("x @ a @ c", lambda x, a, b, c: x @ a @ c),
        ("x @ (a @ c)", lambda x, a, b, c: x @ (a @ c)), ("x @ (a + b)", lambda x, a, b, c: x @ (a + b)),
        ("linear(x, a.t(), c[0])", lambda x, a, b, c: F.linear(x, a.t(), c[0])),
        ("x @ linear(a, c, b[0])", lambda x, a, b, c: x @ F.linear(a, c, b[0])),
        ("x @ softmax(a + b)", lambda x, a, b, c: x @ torch.softmax(a + b, -1)),
        ("x @ where(b > 0, a, b)", lambda x, a, b, c: x @ torch.where(b > 0, a, b)),
        ("x @ tril(a) * c[0]", lambda x, a, b, c: x @ a.tril() * c[0]),
        ("x @ (a / |a|) @ c", lambda x, a, b, c: x @ (a / (a.norm() + 0.1)) @ c),
        ("addmm(c[0], x, a)", lambda x, a, b, c: torch.addmm(c[0], x.reshape(-1, x.shape[-1]), a).view(
            *x.shape[:-1], -1)),
        ("einsum", lambda x, a, b, c: torch.einsum("...i,ij,jk->...k", x, a, c))])
    return (Step(lambda s, x: function(x, first(s.a), second(s.b), third(s.c)),
                 f"{text}, {kind_of(a)}{ta}, {kind_of(b)}{tb}, {kind_of(c)}{tc}", a=a, b=b, c=c),
            [*shape[:-1], width])


def tables(r, shape):
    """Rows and elements of states by indices."""
    a, view, text = viewed(r, shape[-1] + 2, shape[-1])
    index = torch.randint(0, shape[-1], (shape[-1],))
    how, function = r.choice([
        ("embedding", lambda s, a: F.embedding(s.i, a).mean(0)), ("a[:, i]", lambda s, a: a[:, s.i][0]),
        ("gather", lambda s, a: torch.gather(a, 0, s.i.unsqueeze(0))[0]),
        ("index_put", lambda s, a: s.b.index_put((s.i[:1],), a[0, :1])),
        ("index_add", lambda s, a: a[0].index_add(0, s.i, s.b)),
        ("mlp of a", lambda s, a: torch.tanh(s.layer(a)).mean(0)),
        ("mlp of b", lambda s, a: s.layer(s.b) * a[0])])
    b = state(r, shape[-1])
    return Step(lambda s, x: x + function(s, view(s.a)), f"{how}, {kind_of(a)}{text}, {kind_of(b)}", a=a, b=b, i=index,
                layer=nn.Linear(shape[-1], shape[-1], bias=r.random() < 0.6)), shape


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(-1, -2)


class Masked(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.register_buffer("mask", (torch.rand(shape) > 0.3).float())

    def forward(self, w):
        return w * self.mask


class LowRank(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.up, self.down = nn.Parameter(torch.zeros(rows, 2)), parameter(2, columns)

    def forward(self, w):
        return w + self.up @ self.down


def parametrized(r, shape):
    """A linear layer whose weight is computed of parameters."""
    size = shape[-1]
    kind = r.choice(["weight_norm", "old weight_norm", "symmetric", "masked", "low rank", "orthogonal", "spectral"])
    layer = nn.Linear(size, size if kind == "symmetric" else r.randint(2, 6), bias=r.random() < 0.6)
    if kind == "weight_norm":
        layer = parametrizations.weight_norm(layer, dim=r.choice([0, 1, None]))
    elif kind == "old weight_norm":
        layer = nn.utils.weight_norm(layer)
    elif kind == "orthogonal":
        layer = parametrizations.orthogonal(layer, orthogonal_map=r.choice(["cayley", "householder"]))
    elif kind == "spectral":
        layer = parametrizations.spectral_norm(layer)
    else:
        made = {"symmetric": Symmetric, "masked": lambda: Masked(layer.weight.shape),
                "low rank": lambda: LowRank(*layer.weight.shape)}[kind]()
        parametrize.register_parametrization(layer, "weight", made)
        if kind == "low rank":
            layer.parametrizations.weight.original.requires_grad_(False)
    return Step(lambda s, x: s.layer(x), f"Linear by {kind}", layer=layer), [*shape[:-1], layer.out_features]


def shared(r, shape):
    """One parameter for several layers, in other views."""
    size, width = shape[-1], r.randint(2, 5)
    a, b = nn.Linear(size, width), nn.Linear(width, size)
    how, function = r.choice([
        ("there and back", lambda s, x: F.linear(torch.tanh(s.a(x)), s.a.weight.t())),
        ("there and back by @", lambda s, x: torch.tanh(s.a(x)) @ s.a.weight),
        ("bias as scale", lambda s, x: s.b(s.a(x) * s.a.bias)),
        ("one bias for two", lambda s, x: F.linear(torch.tanh(s.a(x)), s.b.weight, s.a.bias.mean() + s.b.bias)),
        ("twice", lambda s, x: s.b(s.a(s.b(torch.tanh(s.a(x)))))),
        ("a part of it", lambda s, x: s.b(s.a(x)) + s.a.weight[0]),
        ("one weight, two layers", lambda s, x: s.b(torch.tanh(s.a(x)) + s.c(x))),
        ("equal starts", lambda s, x: s.b(s.a(x)) + s.c(s.a(x)))])
    parts = {"a": a, "b": b}
    if how == "equal starts":
        parts["c"] = nn.Linear(width, size)
        parts["c"].load_state_dict(b.state_dict())
    if how == "one weight, two layers":
        parts["c"] = nn.Linear(size, width, bias=r.random() < 0.5)
        parts["c"].weight = a.weight
    if r.random() < 0.2:
        r.choice(list(parts.values())).requires_grad_(False)
    return Step(function, f"shared: {how}", **parts), shape


def groups(r, shape):
    """Normalizations of several kinds, which start with equal ones and zeros."""
    size = shape[-1]
    if len(shape) == 2:
        layer = r.choice([lambda: nn.GroupNorm(1, shape[0]), lambda: nn.GroupNorm(shape[0], shape[0]),
                          lambda: nn.InstanceNorm1d(shape[0], affine=True), lambda: nn.LayerNorm(shape),
                          lambda: nn.BatchNorm1d(shape[0])])()
    else:
        layer = r.choice([lambda: nn.LayerNorm(size), lambda: nn.BatchNorm1d(size), lambda: nn.GroupNorm(1, size)])()
    if size < 2:
        return None
    return Step(lambda s, x: s.layer(x), str(layer), layer=layer), shape


def with_statistics(r, layer):
    """The layer, with running statistics that are not those of a new one."""
    if layer.running_mean is not None:
        layer.running_mean.normal_(0.0, 0.4)
        layer.running_var.uniform_(0.4, 1.6)
    return layer


def normalizing(r, shape):
    """A layer with running statistics, for rows of this shape."""
    channels, options = shape[0], dict(affine=r.random() < 0.7, momentum=r.choice([0.1, 0.4]))
    if len(shape) == 2 and shape[1] > 1 and r.random() < 0.15:
        return with_statistics(r, nn.InstanceNorm1d(channels, track_running_stats=True, **options))
    return with_statistics(r, nn.BatchNorm1d(channels, track_running_stats=r.random() < 0.95, **options))


class First(nn.Module):
    """The first result of a layer that has several."""

    def __init__(self, layer, *, inputs=1):
        super().__init__()
        self.layer, self.inputs = layer, inputs

    def forward(self, x):
        return self.layer(*[x] * self.inputs)[0]


def dropping(r, shape):
    """A layer that drops numbers in training mode."""
    size, kinds = shape[-1], [nn.Dropout, nn.AlphaDropout]
    if len(shape) == 2:
        kinds += [nn.Dropout1d, nn.LSTM, nn.GRU] + [nn.MultiheadAttention, nn.TransformerEncoderLayer] * (size % 2 == 0)
    kind = r.choice(kinds)
    if kind in (nn.LSTM, nn.GRU):
        return First(kind(size, size, num_layers=2, dropout=0.5, batch_first=True))
    if kind is nn.MultiheadAttention:
        return First(kind(size, 2, dropout=0.4, batch_first=True), inputs=3)
    if kind is nn.TransformerEncoderLayer:
        return kind(size, 2, dim_feedforward=5, dropout=0.3, batch_first=True, norm_first=r.random() < 0.5)
    return kind(0.5)


def in_line(layer):
    return " ".join(str(layer).split())


def evaluated(r, shape):
    """Layers in evaluation mode in a module that trains: by themselves, beside one that trains, or as a frozen whole."""
    how = r.choice(["norm", "norm", "drop", "drop", "one of two", "backbone", "called", "a part"])
    layer, text = normalizing(r, shape), "norm by its statistics"
    if how == "drop":
        layer = dropping(r, shape)
        text = "no drop"
    if how == "one of two":
        layer, other = nn.Sequential(layer.eval(), nn.Tanh(), normalizing(r, shape)), r.random() < 0.5
        layer = layer if other else nn.Sequential(*reversed(layer))
        return Step(lambda s, x: s.layer(x), f"one of two by its statistics: {in_line(layer)}", layer=layer), shape
    if how == "backbone":
        layer = nn.Sequential(nn.Linear(shape[-1], shape[-1]), layer, nn.ReLU(), dropping(r, shape))
        layer.requires_grad_(r.random() < 0.5)
    if how == "called":
        parts = {"m": 0.3 * torch.randn(shape[0]), "v": torch.rand(shape[0]) + 0.5, "w": state(r, shape[0]),
                 "b": state(r, shape[0])}
        return Step(lambda s, x: F.dropout(F.batch_norm(x, s.m, s.v, s.w, s.b, False), 0.5, False),
                    f"batch_norm of training=False, {kind_of(parts['w'])}, {kind_of(parts['b'])}", **parts), shape
    if how == "a part":  # train() and eval() of a layer are not those of what it has
        layer = nn.Sequential(layer, dropping(r, shape))
        layer.training = False
        layer[1].eval()
        return Step(lambda s, x: s.layer(x), f"a part evaluated: {in_line(layer)}", layer=layer), shape
    text = f"{how if how == 'backbone' else text}: {in_line(layer)}"
    return Step(lambda s, x: s.layer(x), text, layer=layer.eval()), shape


def scalars(r, shape):
    a, b = state(r), state(r, 1)
    text, function = r.choice([
        ("x * a + b", lambda s, x: x * s.a + s.b), ("x * exp(a) - b", lambda s, x: x * s.a.exp() - s.b),
        ("(x^2 + 1) ** a", lambda s, x: (x * x + 1) ** (s.a * 0.5) * s.b),
        ("sigmoid(a) x + b", lambda s, x: s.a.sigmoid() * x + s.b), ("x * a * b", lambda s, x: x * (s.a * s.b))])
    return Step(function, f"{text}, {kind_of(a)}, {kind_of(b)}", a=a, b=b), shape


BLOCKS = [(elementwise, 5), (products, 5), (tables, 3), (parametrized, 2), (shared, 2), (groups, 2), (scalars, 2),
          (evaluated, 4)]


def chain(r, shape, count, others):
    """As random_layers.chain, with steps of this file as well."""
    steps = []
    while len(steps) < count:
        blocks = others if r.random() < 0.2 else BLOCKS
        made = r.choices([b for b, _ in blocks], [w for _, w in blocks])[0](r, shape)
        if made is None:
            continue
        try:
            with torch.no_grad():
                result = copy.deepcopy(made[0])(torch.randn(3, *shape))  # a copy: running statistics move
        except (RuntimeError, ValueError, IndexError):
            continue
        if list(result.shape[1:]) != list(made[1]) or result.numel() > 150:
            continue
        steps += [made[0], Step(lambda s, x: torch.tanh(x), "tanh")]
        shape = made[1]
    result = Chain(steps[:-1] if steps else steps)
    result.shape = shape
    return result
