# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules whose exported programs (.pt2) are stored: one for each thing that such a file says in its own way.

Needs torch; only make_programs.py reads it (see modules.py).
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from modules import ADAM, ADAMW, CROSS_ENTROPY, MSE, SGD, SLOW, Layers, index, normal, registry

REFERENCES = []
reference = registry(REFERENCES, "programs")
FORMS = {}  # of modules that are stored without operators in place, or as core operators alone


@reference([normal(7)], index(3), CROSS_ENTROPY, SGD)
class Perceptron(Layers):
    """Linear layers, ReLU and GELU; the file is as PyTorch wrote it, with its sample inputs."""

    def __init__(self):
        super().__init__(nn.Linear(7, 9), nn.ReLU(), nn.Linear(9, 5), nn.GELU(), nn.Linear(5, 3))


@reference([normal(1, 6, 6)], index(3), CROSS_ENTROPY, SGD)
class BatchNorms(Layers):
    """Batch norms in training mode, one with statistics of the batch alone, and one in evaluation mode; activations in
    place."""

    def __init__(self):
        super().__init__(nn.Conv2d(1, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3), nn.ReLU(inplace=True),
                         nn.MaxPool2d(2), nn.Conv2d(3, 4, 2, stride=1, padding="same"), nn.BatchNorm2d(4, momentum=0.3),
                         nn.SiLU(inplace=True), nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4, track_running_stats=False),
                         nn.Flatten(), nn.BatchNorm1d(36).eval(), nn.Linear(36, 3))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.second = nn.Conv2d(inputs, outputs, 3, stride, 1), nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.one, self.two = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.down = nn.Conv2d(inputs, outputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = self.two(self.second(F.relu_(self.one(self.first(x)))))
        y += self.down(x)
        return F.relu(y)


@reference([normal(2, 6, 6)], index(3), CROSS_ENTROPY, SGD)
class Residual(Layers):
    """Residual blocks with sums in place."""

    def __init__(self):
        super().__init__(Block(2, 2, 1), Block(2, 4, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3))


@reference([normal(5, 8)], index(3), CROSS_ENTROPY, ADAM)
class Encoder(nn.Module):
    """A layer of PyTorch's transformer encoder: attention as one operator, a product of an open size and a number."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.layer(x).mean(1))


@reference([index(11, 6)], index(11, 6), CROSS_ENTROPY, ADAMW, batch=3)
class Generator(nn.Module):
    """A decoder of texts: tied embedding, positions by arange, causal attention, a split, a norm without bias."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.before, self.after, self.last = nn.LayerNorm(8), nn.LayerNorm(8, bias=False), nn.LayerNorm(8)
        self.all, self.back = nn.Linear(8, 24), nn.Linear(8, 8)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.size(1)))
        b, t, c = x.shape
        q, k, v = (part.view(b, t, 2, c // 2).transpose(1, 2) for part in self.all(self.before(x)).split(c, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.back(y.transpose(1, 2).contiguous().view(b, t, c))
        x = x + self.down(F.gelu(self.up(self.after(x)), approximate="tanh"))
        return self.head(self.last(x)).transpose(1, 2)


@reference([index(11, 6)], index(11, 6), CROSS_ENTROPY, ADAM, batch=3)
class MaskedAttention(nn.Module):
    """Attention as formulas, with a mask from a buffer and one that is filled in place with -infinity."""

    def __init__(self):
        super().__init__()
        self.words, self.all, self.head = nn.Embedding(11, 8), nn.Linear(8, 24), nn.Linear(8, 11)
        self.register_buffer("mask", torch.tril(torch.ones(6, 6)).view(1, 1, 6, 6))

    def forward(self, tokens):
        x = self.words(tokens)
        b, t, c = x.shape
        q, k, v = (part.view(b, t, 2, c // 2).permute(0, 2, 1, 3) for part in self.all(x).chunk(3, -1))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(4)
        scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        near = torch.zeros(6, 6).masked_fill_(torch.ones(6, 6, dtype=torch.bool).tril(-4), float("-inf"))
        y = F.softmax(scores + near, dim=-1) @ v
        return self.head(y.transpose(1, 2).reshape(b, t, c)).transpose(1, 2)


@reference([normal(1, 12, 12)], index(3), CROSS_ENTROPY, SGD)
class EvaluatedDropout(nn.Module):
    """Dropout in evaluation mode, in which it stays; average and maximum pooling with ceil_mode."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 3, 5, padding=2), nn.Conv2d(3, 4, 3)
        self.dropout, self.one, self.two = nn.Dropout(0.5).eval(), nn.Linear(16, 6), nn.Linear(6, 3)

    def forward(self, x):
        x = F.avg_pool2d(torch.tanh(self.first(x)), 2)
        x = F.max_pool2d(torch.sigmoid(self.second(x)), 3, 2, 1, ceil_mode=True)
        x = F.avg_pool2d(x, 2, 1)
        return self.two(self.dropout(F.leaky_relu(self.one(x.flatten(1)), 0.1)))


@reference([normal(3, 16)], index(3), CROSS_ENTROPY, ADAM)
class Signals(Layers):
    """Convolutions along one dim: strides, padding by name, groups, dilation, a transposed one."""

    def __init__(self):
        super().__init__(nn.Conv1d(3, 4, 5, stride=2, padding=2), nn.ELU(), nn.Conv1d(4, 4, 3, padding="same", groups=2),
                         nn.Hardswish(), nn.AvgPool1d(2), nn.ConvTranspose1d(4, 3, 4, stride=2, padding=1),
                         nn.Conv1d(3, 3, 3, dilation=2, padding=2), nn.Mish(), nn.AdaptiveMaxPool1d(4), nn.Flatten(),
                         nn.Linear(12, 3))


@reference([normal(2, 4, 4)], normal(2), MSE, ADAM)
class Groups(Layers):
    """Group and instance norms, an image of twice the size, padding that mirrors."""

    def __init__(self):
        super().__init__(nn.Conv2d(2, 4, 3, padding=1, padding_mode="reflect"), nn.GroupNorm(2, 4), nn.Softplus(),
                         nn.InstanceNorm2d(4, affine=True), nn.Upsample(scale_factor=2, mode="bilinear"),
                         nn.Hardtanh(-1.5, 1.5), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 2))


@reference([index(9, 5)], index(3), CROSS_ENTROPY, SGD)
class PaddedBag(nn.Module):
    """An embedding with a padding index, a mask from the indices, a parameter that is no layer's."""

    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 3)
        self.places = nn.Parameter(torch.randn(1, 5, 6) * 0.1)

    def forward(self, tokens):
        counts = (tokens != 0).unsqueeze(-1).float()
        x = self.words(tokens) + self.places  # rows of the padding are read, too
        return self.head(x.sum(1) / counts.sum(1).clamp(min=1))


@reference([normal(6)], index(3), CROSS_ENTROPY, SGD)
class Buffers(nn.Module):
    """Buffers that are read, counted in place, or not stored in the state_dict, and constants."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 5), nn.Linear(5, 3)
        self.register_buffer("scale", torch.rand(5) + 0.5)
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("hidden", torch.randn(5), persistent=False)
        self.constant = torch.full((5,), 0.25)

    def forward(self, x):
        self.seen += 1
        return self.two(torch.tanh(self.one(x)) * self.scale + self.hidden * torch.tensor([0.5]) + self.constant
                        + 0.01 * self.seen)


@reference([normal(6)], index(3), CROSS_ENTROPY, ADAM, frozen=("layers.0.*", "layers.2.bias"))
class Frozen(Layers):
    """Parameters that do not require gradients."""

    def __init__(self):
        super().__init__(nn.Linear(6, 7), nn.CELU(0.5), nn.Linear(7, 7), nn.LogSigmoid(), nn.Linear(7, 3))


@reference([normal(6)], normal(4), MSE, SLOW)
class Views(nn.Module):
    """Parts of parameters, a norm of them, choices, a maximum, a stop of the gradient, numbers of other dtypes."""

    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(6, 16) * 0.3), nn.Parameter(torch.randn(2, 8) * 0.1)
        self.gain, self.last = nn.Parameter(torch.tensor(1.5)), nn.Parameter(torch.randn(4, 8) * 0.3)

    def forward(self, x):
        y, z = x @ self.weight[:, :8] + self.bias[0], x @ self.weight[:, 8:] + self.bias[1]
        y = torch.stack([y.relu(), z.tanh()], 1).reshape(-1, 2, 8)
        largest, _ = y.max(1)
        rows = self.last / self.last.norm(dim=1, keepdim=True)
        picked = torch.where(largest[:, :4] > 0.1, largest[:, 4:], -largest[:, :4].abs()).pow(2)
        return F.linear(largest * self.gain, rows) + picked - picked.detach().mean() * torch.arange(4) / 7


@reference([normal(4, 6)], normal(3), MSE, ADAM)
class Statistics(nn.Module):
    """Variances, deviations, norms, sums of exponentials, products, differences of whole numbers."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 6), nn.Linear(6, 3)

    def forward(self, x):
        x = F.rms_norm(self.one(x), (6,), eps=1e-5)
        y = (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-3) + x.var(1, unbiased=False, keepdim=True)
        y = F.normalize(y, dim=2) * torch.logsumexp(x, 2, keepdim=True) + x.amin(2, keepdim=True)
        y = torch.einsum("bij,bkj->bik", y, x).softmax(2) @ y
        return self.two(F.log_softmax(y.sum(1), dim=1) + y.sum(1).clamp(-0.5, 0.5).exp().sqrt())


@reference([normal(4, 5)], index(3), CROSS_ENTROPY, ADAM, batch=3)
class Recurrent(nn.Module):
    """An LSTM of two layers, a GRU in both directions, and a plain layer with ReLU and without biases."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 4, num_layers=2, batch_first=True)
        self.gru = nn.GRU(4, 3, bidirectional=True, batch_first=True)
        self.rnn, self.head = nn.RNN(6, 4, nonlinearity="relu", bias=False), nn.Linear(4, 3)

    def forward(self, x):
        y, (_, c) = self.lstm(x)
        z, h = self.gru(y)
        out, _ = self.rnn(z.transpose(0, 1))
        return self.head(out[-1] + 0.1 * c[-1]) + h.sum(0)


@reference([normal(5, 6), index(5)], index(3), CROSS_ENTROPY, SGD, batch=4)
class Picked(nn.Module):
    """Places by index, the largest elements, sums so far, classes as ones, a branch without gradients."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        self.table = nn.Parameter(torch.randn(5, 6) * 0.3)

    def forward(self, x, place):
        x = self.one(x)
        with torch.no_grad():
            still = torch.tanh(self.two(x))
        largest, _ = x.topk(2, dim=1)
        picked = x[torch.arange(x.size(0)), place] + F.one_hot(place, 5).to(x.dtype) @ self.table
        return self.three(self.two(picked) + largest.sum(1) + still.cumsum(1)[:, -1] * 0.1)


@reference([normal(2, 4, 4)], index(3), CROSS_ENTROPY, SGD)
class Functional(nn.Module):
    """Writes into parts of tensors, and batch norms, saved without operators in place."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv2d(2, 3, 3, padding=1), nn.BatchNorm2d(3), nn.Linear(48, 3)

    def forward(self, x):
        y = self.norm(self.conv(x)).clone()
        y[:, 0] = 0.5
        y[:, 1:, 1:3] *= 2
        return self.head(y.relu_().flatten(1))


FORMS["Functional"] = "functional"


@reference([normal(2, 4, 4)], index(3), CROSS_ENTROPY, ADAM)
class Core(nn.Module):
    """Norms, attention and pooling as PyTorch's core operators."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.group = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.GroupNorm(2, 4)
        self.instance, self.layer, self.head = nn.InstanceNorm2d(4), nn.LayerNorm(4), nn.Linear(4, 3)

    def forward(self, x):
        y = self.group(F.gelu(self.norm(self.conv(x)))) + self.instance(F.avg_pool2d(x.repeat(1, 2, 1, 1), 3, 1, 1))
        y = F.max_pool2d(y, 2).flatten(2).transpose(1, 2)
        y = y + F.scaled_dot_product_attention(y, y, y, is_causal=True)
        return self.head(self.layer(y).mean(1))


FORMS["Core"] = "core"
