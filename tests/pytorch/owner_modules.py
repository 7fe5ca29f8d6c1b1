# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that tell parameters from buffers in every place: each use is one view of a parameter, or none, and one
operation in which it meets a buffer. Needs torch.

A `Uses` module sums up what its uses make of the same rows of six numbers; `make_owners.py` exports some dozens of
uses in groups. Each use is (view, operation): the view makes a tensor of a shape that the operation wants.
"""
import torch
import torch.nn.functional as F
from torch import nn

WIDTH = 6

# {view: (the parameter's shape, its way to six numbers)}
ROWS = {
    "none": ((6,), lambda w: w),
    "view": ((2, 3), lambda w: w.view(6)),
    "reshape": ((3, 2), lambda w: w.reshape(-1)),
    "squeeze": ((1, 6), lambda w: w.squeeze(0)),
    "unsqueeze": ((6,), lambda w: w.unsqueeze(0)),
    "expand": ((1,), lambda w: w.expand(6)),
    "permute": ((6, 1), lambda w: w.permute(1, 0)),
    "flatten": ((2, 3), lambda w: w.flatten()),
}

# {view: (the parameter's shape, its way to a matrix of six by six)}
MATRICES = {
    "none": ((6, 6), lambda w: w),
    "t": ((6, 6), lambda w: w.t()),
    "transpose": ((6, 6), lambda w: w.transpose(0, 1)),
    "permute": ((6, 6), lambda w: w.permute(1, 0)),
    "view": ((36,), lambda w: w.view(6, 6)),
    "reshape": ((4, 9), lambda w: w.reshape(6, 6)),
    "squeeze": ((6, 1, 6), lambda w: w.squeeze(1)),
    "expand": ((6,), lambda w: w.expand(6, 6)),
    "unsqueeze": ((6,), lambda w: w.unsqueeze(1) * torch.arange(1.0, 7.0)),
}

# Operations on rows h [batch, 6], the view v and the buffer m, both six numbers; i are indices, b truth values.
ROW_OPERATIONS = {
    "v * m": lambda s, h, v: h * (v * s.m),
    "m * v": lambda s, h, v: h * (s.m * v),
    "v + m": lambda s, h, v: h + (v + s.m),
    "m - v": lambda s, h, v: h - (s.m - v),
    "m / v": lambda s, h, v: h + s.m / (v * v + 1),
    "v / m": lambda s, h, v: h + v / s.m,
    "m ** v": lambda s, h, v: h + s.m**v,
    "v ** m": lambda s, h, v: h + (v * v + 0.5) ** s.m,
    "where(b, v, m)": lambda s, h, v: h + torch.where(s.b, v, s.m),
    "where(b, m, v)": lambda s, h, v: h * torch.where(s.b, s.m, v),
    "where(b, v, h)": lambda s, h, v: torch.where(s.b, v, h),
    "maximum": lambda s, h, v: h + torch.maximum(s.m, v),
    "index": lambda s, h, v: h * v[..., s.i],
    "index of m": lambda s, h, v: h * s.m[s.i] + v,
    "index_select": lambda s, h, v: h * torch.index_select(v, -1, s.i),
    "gather": lambda s, h, v: h + torch.gather(v.reshape(6), 0, s.i),
    "index_put": lambda s, h, v: h + s.m.index_put((s.i[:2],), v.reshape(6)[:2]),
    "index_put into v": lambda s, h, v: h + v.reshape(6).index_put((s.i[:2],), s.m[:2]),
    "layer_norm by v, m": lambda s, h, v: F.layer_norm(h, (6,), v.reshape(6), s.m),
    "layer_norm by m, v": lambda s, h, v: F.layer_norm(h, (6,), s.m, v.reshape(6)),
    "prelu": lambda s, h, v: F.prelu(h, v.reshape(6)) + s.m,
    "prelu by m": lambda s, h, v: F.prelu(h, s.m) * v,
    "cat": lambda s, h, v: h * torch.cat([v.reshape(6)[:3], s.m[:3]]),
    "addcmul": lambda s, h, v: torch.addcmul(h, v, s.m),
    "lerp": lambda s, h, v: h + torch.lerp(s.m, v, 0.3),
    "masked_fill": lambda s, h, v: h * v.masked_fill(s.b, 0.5),
    "clamp": lambda s, h, v: torch.clamp(h, min=v) * s.m,
    "linear with bias": lambda s, h, v: F.linear(h, s.q, v.reshape(6)),
    "exp": lambda s, h, v: h * torch.exp(v) * s.m,
    "outer": lambda s, h, v: h @ torch.outer(s.m, v.reshape(6)),
}

# The same with a matrix v and the buffers m, six numbers, and q, six by six.
MATRIX_OPERATIONS = {
    "v * q": lambda s, h, v: h @ (v * s.q),
    "q * v": lambda s, h, v: h @ (s.q * v),
    "v @ q": lambda s, h, v: h @ (v @ s.q),
    "q @ v": lambda s, h, v: h @ (s.q @ v),
    "h @ q @ v": lambda s, h, v: (h @ s.q) @ v,
    "v @ m": lambda s, h, v: h + v @ s.m,
    "m @ v": lambda s, h, v: h * (s.m @ v),
    "linear by v, m": lambda s, h, v: F.linear(h, v, s.m),
    "linear of q": lambda s, h, v: h @ F.linear(s.q, v, s.m),
    "layer of q": lambda s, h, v: h @ s.layer(s.q) + v[0],
    "embedding": lambda s, h, v: h + F.embedding(s.i, v).mean(0),
    "embedding of q": lambda s, h, v: h @ v + F.embedding(s.i, s.q)[0],
    "index columns": lambda s, h, v: h @ v[:, s.i],
    "conv by v": lambda s, h, v: F.conv1d(h.unsqueeze(2), v.unsqueeze(2), s.m).squeeze(2),
    "conv by v * m": lambda s, h, v: F.conv1d(h.unsqueeze(2), (v * s.m).unsqueeze(2)).squeeze(2),
    "conv by q": lambda s, h, v: F.conv1d(h.unsqueeze(2), s.q.unsqueeze(2), v[0]).squeeze(2),
    "einsum": lambda s, h, v: torch.einsum("bi,ij,jk->bk", h, s.q, v),
    "tril": lambda s, h, v: h @ v.tril() + s.m,
    "softmax": lambda s, h, v: h @ torch.softmax(v + s.q, -1),
    "baddbmm": lambda s, h, v: torch.addmm(s.m, h, v),
    "where": lambda s, h, v: h @ torch.where(s.b, v, s.q),
    "flip": lambda s, h, v: h @ v.flip(0) + s.m,
    "norm of v": lambda s, h, v: h @ (v / v.norm()) * s.m,
}


class Use(nn.Module):
    """A parameter, or a buffer in its place beside a parameter in the buffer's."""

    def __init__(self, shape, view, operation):
        super().__init__()
        self.view, self.operation = view, operation
        self.w = nn.Parameter(0.4 * torch.randn(shape) + 0.3)
        self.register_buffer("m", torch.rand(WIDTH) + 0.5)
        self.register_buffer("q", 0.4 * torch.randn(WIDTH, WIDTH))
        self.register_buffer("i", torch.randperm(WIDTH))
        self.register_buffer("b", torch.arange(WIDTH) % 2 == 0)
        self.layer = nn.Linear(WIDTH, WIDTH)

    def forward(self, h):
        return self.operation(self, h, self.view(self.w))


class Uses(nn.Module):
    def __init__(self, uses):
        super().__init__()
        self.first = nn.Linear(4, WIDTH)
        self.uses = nn.ModuleList(uses)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        return sum(torch.tanh(use(h)) for use in self.uses)


def all_uses():
    """[(what it is, the module)]: every operation once with no view and once, or twice, behind one."""
    found = []
    for views, operations in ((ROWS, ROW_OPERATIONS), (MATRICES, MATRIX_OPERATIONS)):
        names = list(views)
        for number, (operation, function) in enumerate(operations.items()):
            for view in {"none": None, names[1 + number % (len(names) - 1)]: None}:
                use = Use(*views[view], function)
                if operation != "layer of q":
                    del use.layer
                found.append((f"{view}, {operation}", use))
    return found


#===-- What optimizations of the exporter do to parameters -----------------------------------------------


class Scaled(nn.Module):
    """Scales of one element, where modules learn them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.tensor(0.7)), nn.Parameter(torch.tensor([1.3]))
        self.c, self.l = nn.Parameter(torch.tensor(-0.4)), nn.Linear(4, WIDTH)

    def forward(self, x):
        h = self.l(x) * self.a + self.b
        return (h * h + 0.1) ** (self.b * 0.5) * self.c.exp()


class TiedAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.c = nn.Linear(4, 3), nn.Parameter(torch.randn(4))

    def forward(self, x):
        return F.linear(torch.tanh(self.a(x)), self.a.weight.t(), self.c)


class TiedConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.b = nn.Conv1d(2, 4, 1), nn.Parameter(torch.randn(2))

    def forward(self, x):
        y = torch.tanh(self.c(x.view(-1, 2, 2)))
        return F.conv1d(y, self.c.weight.transpose(0, 1), self.b).flatten(1)


class Parts(nn.Module):
    """A matrix whole, a part of it, and its transpose's."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.4 * torch.randn(4, 4))

    def forward(self, x):
        h = torch.tanh(x @ self.w)
        return h @ self.w[:, :3] + (h @ self.w.t())[:, :3] + self.w[2, :3]


class Twins(nn.Module):
    """Layers that start equal, as copies do."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.load_state_dict(self.a.state_dict())
        self.c.weight = self.a.weight

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x)))))


class FixedMatrix(nn.Module):
    """A buffer and what is computed of buffers alone."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 3)
        self.register_buffer("m", torch.rand(5, 3) + 0.5)

    def forward(self, x):
        return (self.l(x) @ self.m.t()) * (1 / self.m.sum(1))


class Cells(nn.Module):
    """A cell of a recurrent network, called again and again, from a learnt first state."""

    def __init__(self, kind):
        super().__init__()
        self.cell, self.start = kind(2, 3), nn.Parameter(torch.randn(1, 3))
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        h = self.start.expand(x.shape[0], -1)
        for row in x.view(-1, 2, 2).unbind(1):
            h = self.cell(row, h)
        return self.head(h)


def group_norm():
    return nn.Sequential(nn.Linear(4, 8), nn.Unflatten(1, (4, 2)), nn.GroupNorm(2, 4), nn.Flatten())


OTHERS = {
    "Scaled": Scaled, "TiedAutoencoder": TiedAutoencoder, "TiedConvolution": TiedConvolution, "Parts": Parts,
    "Twins": Twins, "FixedMatrix": FixedMatrix, "GroupNorm": group_norm,
    "Gru": lambda: Cells(nn.GRUCell), "Rnn": lambda: Cells(nn.RNNCell)}
