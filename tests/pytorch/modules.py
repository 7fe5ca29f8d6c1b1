# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference modules: networks as people write them in PyTorch, each with its loss, optimizer and data.

Needs torch; only make_references.py reads it. Layers are tiny, because the exported files are stored.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

REFERENCES = []


def registry(references, folder):
    """The decorator that registers a class with the recipes of its inputs and target (data.py; shapes without the
    batch) in `references`, whose files are in `folder`. Parameters whose names match a glob of `frozen` stay. A
    `plain` one is exported rightly only, as other files cannot say what it is."""

    def reference(inputs, target, loss, optimizer, batch=6, frozen=(), plain=False):
        def register(module):
            described = lambda t: {**t, "shape": [batch, *t["shape"]]}
            references.append(dict(
                name=module.__name__, about=module.__doc__, module=module, batch=batch, loss=loss,
                optimizer=optimizer, inputs=[described(t) for t in inputs], target=described(target), folder=folder,
                frozen=frozen, plain=plain))
            return module

        return register

    return reference


reference = registry(REFERENCES, "references")


def normal(*shape):
    return {"shape": list(shape), "kind": "normal"}


def index(high, *shape):
    return {"shape": list(shape), "kind": "index", "high": high}


def binary(*shape):
    return {"shape": list(shape), "kind": "binary"}


CROSS_ENTROPY, NLL = {"loss": "softmax-cross-entropy"}, {"loss": "nll"}
BCE, BCE_LOGITS = {"loss": "bce"}, {"loss": "bce-with-logits"}
MSE, L1, HUBER = {"loss": "mse"}, {"loss": "l1"}, {"loss": "huber", "delta": 0.5}
SGD = {"optimizer": "sgd", "lr": 0.05, "momentum": 0.9}
NESTEROV = {"optimizer": "sgd", "lr": 0.02, "momentum": 0.9, "nesterov": True, "weight-decay": 0.001}
SLOW = {"optimizer": "sgd", "lr": 0.005, "momentum": 0.5}
ADAM = {"optimizer": "adam", "lr": 0.01}
ADAMW = {"optimizer": "adamw", "lr": 0.01, "weight-decay": 0.05}
RMSPROP = {"optimizer": "rmsprop", "lr": 0.002}
ADAGRAD = {"optimizer": "adagrad", "lr": 0.05}


class Layers(nn.Module):
    """A module whose layers are given in order, as self.layers."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


@reference([normal(7)], index(3), CROSS_ENTROPY, SGD)
class Perceptron(Layers):
    """Linear and ReLU."""

    def __init__(self):
        super().__init__(nn.Linear(7, 9), nn.ReLU(), nn.Linear(9, 5), nn.ReLU(), nn.Linear(5, 3))


@reference([normal(6)], index(4), CROSS_ENTROPY, ADAM)
class TwoLayerNorms(Layers):
    """Two layer norms, whose initial scales and shifts are equal."""

    def __init__(self):
        super().__init__(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 8), nn.LayerNorm(8),
                         nn.ReLU(), nn.Linear(8, 4))


@reference([normal(6)], index(4), CROSS_ENTROPY, ADAM, batch=8)
class TwoBatchNorms(Layers):
    """Two batch norms after Linear, whose initial scales, shifts and statistics are equal."""

    def __init__(self):
        super().__init__(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 8), nn.BatchNorm1d(8),
                         nn.ReLU(), nn.Linear(8, 4))


@reference([normal(6)], normal(2), MSE, ADAM)
class TwoPReLUs(Layers):
    """Two PReLU with one slope each, both 0.25 at first."""

    def __init__(self):
        super().__init__(nn.Linear(6, 7), nn.PReLU(), nn.Linear(7, 7), nn.PReLU(), nn.Linear(7, 2))


@reference([normal(5)], normal(2), HUBER, RMSPROP)
class ChannelPReLU(Layers):
    """A PReLU with a slope for each feature."""

    def __init__(self):
        super().__init__(nn.Linear(5, 6), nn.PReLU(6), nn.Linear(6, 6), nn.PReLU(6), nn.Linear(6, 2))


@reference([normal(4)], normal(1), MSE, SLOW, batch=3)
class BatchNormOfThree(Layers):
    """Running statistics of batches of 3, where the unbiased variance is 1.5 times the population's."""

    def __init__(self):
        super().__init__(nn.Linear(4, 6, bias=False), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 1))


@reference([normal(4)], normal(1), MSE, SGD, batch=64)
class BatchNormOf64(Layers):
    """Running statistics of batches of 64, and a batch norm before the first layer."""

    def __init__(self):
        super().__init__(nn.BatchNorm1d(4, momentum=0.3), nn.Linear(4, 6), nn.BatchNorm1d(6, affine=False),
                         nn.Sigmoid(), nn.Linear(6, 1))


@reference([index(11, 5)], index(3), CROSS_ENTROPY, ADAGRAD)
class BagOfWords(nn.Module):
    """The mean of embeddings."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(11, 6), nn.Linear(6, 3)

    def forward(self, tokens):
        return self.head(self.embedding(tokens).mean(1))


@reference([index(10, 4)], index(10, 4), CROSS_ENTROPY, ADAMW)
class TiedLanguageModel(nn.Module):
    """The head's weight is the embedding's; classes are axis 1 of the scores."""

    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.head = nn.Embedding(10, 6), nn.LayerNorm(6), nn.Linear(6, 10, bias=False)
        self.position = nn.Parameter(0.1 * torch.randn(4, 6))
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.norm(self.embedding(tokens) + self.position)).transpose(1, 2)


@reference([normal(4, 6)], normal(4, 6), MSE, ADAM, batch=4)
class CausalAttention(nn.Module):
    """Attention by hand, with masked_fill of -inf."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(6, 6) for _ in range(4))
        self.register_buffer("mask", torch.triu(torch.ones(4, 4, dtype=torch.bool), 1))

    def forward(self, x):
        split = lambda layer: layer(x).reshape(-1, 4, 2, 3).transpose(1, 2)
        query, key, value = split(self.query), split(self.key), split(self.value)
        scores = query @ key.transpose(-2, -1) / math.sqrt(3)
        scores = scores.masked_fill(self.mask, float("-inf"))
        return self.out((scores.softmax(-1) @ value).transpose(1, 2).reshape(-1, 4, 6))


@reference([normal(4, 5)], index(3), CROSS_ENTROPY, ADAMW, batch=4)
class AdditiveMask(nn.Module):
    """A mask of zeros and -inf that is added before the softmax, as a buffer."""

    def __init__(self):
        super().__init__()
        self.score, self.value, self.head = nn.Linear(5, 4), nn.Linear(5, 5), nn.Linear(5, 3)
        self.register_buffer("mask", torch.full((4, 4), float("-inf")).triu(1))

    def forward(self, x):
        weights = torch.softmax(self.score(x) + self.mask, -1)
        return self.head((weights @ self.value(x)).mean(1))


@reference([normal(3, 8)], normal(3, 8), MSE, ADAM, batch=4)
class MultiheadAttention(nn.Module):
    """nn.MultiheadAttention and a residual."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return x + self.attention(x, x, x, need_weights=False)[0]


@reference([normal(3, 8)], index(3), CROSS_ENTROPY, ADAM, batch=4)
class EncoderLayer(nn.Module):
    """nn.TransformerEncoderLayer: post-norm, ReLU."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, dim_feedforward=10, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


@reference([index(9, 4)], index(9, 4), CROSS_ENTROPY, ADAMW, batch=4)
class SmallGPT(nn.Module):
    """Two pre-norm encoder layers with GELU and a causal mask, positions, and a head of its own."""

    def __init__(self):
        super().__init__()
        self.embedding, self.position = nn.Embedding(9, 8), nn.Embedding(4, 8)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(
            8, 2, dim_feedforward=12, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(2))
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 9, bias=False)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(4))
        self.register_buffer("places", torch.arange(4))

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position(self.places)
        for block in self.blocks:
            x = block(x, src_mask=self.mask)
        return self.head(self.norm(x)).transpose(1, 2)


@reference([normal(6)], normal(2), MSE, RMSPROP)
class SmoothActivations(Layers):
    """GELU, SiLU, Softplus, Mish, Softsign."""

    def __init__(self):
        super().__init__(nn.Linear(6, 6), nn.GELU(), nn.Linear(6, 6), nn.SiLU(), nn.Linear(6, 6), nn.Softplus(),
                         nn.Linear(6, 6), nn.Mish(), nn.Linear(6, 6), nn.Softsign(), nn.Linear(6, 2))


@reference([normal(6)], normal(2), L1, ADAM)
class PiecewiseActivations(Layers):
    """LeakyReLU, ELU, SELU, CELU, Hardswish, Hardsigmoid, ReLU6, GELU with tanh, LogSigmoid."""

    def __init__(self):
        layers = [nn.LeakyReLU(0.1), nn.ELU(0.7), nn.SELU(), nn.CELU(1.3), nn.Hardswish(), nn.Hardsigmoid(),
                  nn.ReLU6(), nn.GELU("tanh"), nn.LogSigmoid()]
        super().__init__(*(layer for act in layers for layer in (nn.Linear(6, 6), act)), nn.Linear(6, 2))


@reference([normal(5), normal(5)], index(6), CROSS_ENTROPY, ADAM)
class Contrastive(nn.Module):
    """Two inputs, normalized, and a trained scalar logit_scale, as in CLIP; the batch's rows are the classes."""

    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(5, 4, bias=False), nn.Linear(5, 4, bias=False)
        self.bank = nn.Parameter(torch.randn(6, 4))
        self.logit_scale = nn.Parameter(torch.tensor(1.5))

    def forward(self, image, text):
        image, text = F.normalize(self.image(image), dim=-1), F.normalize(self.text(text), dim=-1)
        return self.logit_scale.exp() * (image + text) @ F.normalize(self.bank, dim=-1).T


class RMSNorm(nn.Module):
    """As language models write it."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


@reference([normal(6)], normal(3), MSE, ADAMW)
class RMSNorms(Layers):
    """Two norms by hand, whose initial scales are equal."""

    def __init__(self):
        super().__init__(nn.Linear(6, 6), RMSNorm(6), nn.SiLU(), nn.Linear(6, 6), RMSNorm(6), nn.SiLU(),
                         nn.Linear(6, 3))


@reference([normal(6)], binary(3), BCE_LOGITS, ADAM)
class GatedUnits(nn.Module):
    """nn.GLU, and SwiGLU with a residual."""

    def __init__(self):
        super().__init__()
        self.first, self.glu = nn.Linear(6, 12), nn.GLU()
        self.gate, self.up, self.down = (nn.Linear(6, 6, bias=False) for _ in range(3))
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        x = self.glu(self.first(x))
        return self.head(x + self.down(F.silu(self.gate(x)) * self.up(x)))


@reference([normal(6)], binary(1), BCE, ADAM)
class SigmoidHead(Layers):
    """A sigmoid at the end, and Dropout(0)."""

    def __init__(self):
        super().__init__(nn.Linear(6, 8), nn.Tanh(), nn.Dropout(0.0), nn.Linear(8, 1), nn.Sigmoid())


@reference([normal(6)], index(4), NLL, NESTEROV)
class LogSoftmaxHead(nn.Module):
    """log_softmax at the end, and a residual."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        x = x + torch.relu(self.first(x))
        x = x + torch.relu(self.second(x))
        return F.log_softmax(self.head(x), dim=-1)


@reference([normal(4), index(5), index(3)], binary(1), BCE_LOGITS, ADAGRAD)
class WideAndDeep(nn.Module):
    """Three inputs: numbers and two categories; a wide and a deep part."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Embedding(5, 3), nn.Embedding(3, 2)
        self.deep = nn.Sequential(nn.Linear(9, 6), nn.ReLU(), nn.Linear(6, 1))
        self.wide = nn.Linear(4, 1, bias=False)

    def forward(self, numbers, colour, size):
        x = torch.cat([numbers, self.first(colour), self.second(size)], dim=1)
        return self.deep(x) + self.wide(numbers)


@reference([normal(2, 3)], normal(2), MSE, SGD)
class FlattenRegression(Layers):
    """Flatten, and Linear layers without bias."""

    def __init__(self):
        super().__init__(nn.Flatten(), nn.Linear(6, 7, bias=False), nn.ReLU(), nn.Linear(7, 2, bias=False))


@reference([normal(3, 4)], normal(5), MSE, ADAM)
class Recurrent(nn.Module):
    """A recurrent cell by hand: the same layers applied to three steps."""

    def __init__(self):
        super().__init__()
        self.input, self.hidden, self.head = nn.Linear(4, 5), nn.Linear(5, 5, bias=False), nn.Linear(5, 5)

    def forward(self, x):
        state = torch.zeros_like(x[:, 0, :1]) + torch.zeros(5)
        for step in range(3):
            state = torch.tanh(self.input(x[:, step]) + self.hidden(state))
        return self.head(state)


@reference([normal(5)], normal(2), MSE, ADAM)
class ScaleAndShift(nn.Module):
    """Parameters used by themselves: scales, shifts, scalars of shape [] and [1]; clamp, pow, sqrt."""

    def __init__(self):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(5)), nn.Parameter(torch.zeros(5))
        self.gain, self.offset = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.ones(1))
        self.linear = nn.Linear(5, 2)

    def forward(self, x):
        x = torch.clamp(x * self.scale + self.shift, -2.0, 2.0)
        x = self.gain * torch.sqrt(x.pow(2) + 1) + self.offset
        return self.linear(x)


@reference([normal(6)], index(3), CROSS_ENTROPY, SGD)
class WeightNorm(Layers):
    """torch.nn.utils.parametrizations.weight_norm."""

    def __init__(self):
        norm = torch.nn.utils.parametrizations.weight_norm
        super().__init__(norm(nn.Linear(6, 7)), nn.Tanh(), norm(nn.Linear(7, 3)))


@reference([normal(6)], index(3), CROSS_ENTROPY, ADAM)
class Mixture(nn.Module):
    """A softmax gate over three experts, which are slices of one parameter."""

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(6, 3), nn.Parameter(0.4 * torch.randn(3, 6, 5))
        self.head = nn.Linear(5, 3)

    def forward(self, x):
        weights = torch.softmax(self.gate(x), -1)
        outputs = torch.stack([torch.relu(x @ self.experts[i]) for i in range(3)], 1)
        return self.head((weights.unsqueeze(-1) * outputs).sum(1))


@reference([normal(4, 5)], index(3), CROSS_ENTROPY, ADAM)
class Mixer(nn.Module):
    """An MLP-Mixer block: layers along both axes, layer norms, max pooling."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 4))
        self.channels = nn.Sequential(nn.Linear(5, 6), nn.GELU(), nn.Linear(6, 5))
        self.norms = nn.ModuleList(nn.LayerNorm(5) for _ in range(2))
        self.head = nn.Linear(5, 3)

    def forward(self, x):
        x = x + self.tokens(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        x = x + self.channels(self.norms[1](x))
        return self.head(x.amax(1))


@reference([normal(6)], normal(6), MSE, ADAMW)
class Autoencoder(nn.Module):
    """The decoder's weights are the encoder's, transposed; the latent is standardized by hand."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(0.4 * torch.randn(4, 6))
        self.hidden, self.visible = nn.Parameter(torch.zeros(4)), nn.Parameter(torch.zeros(6))

    def forward(self, x):
        latent = F.linear(x, self.weight, self.hidden)
        latent = (latent - latent.mean(-1, keepdim=True)) / (latent.std(-1, keepdim=True) + 0.1)
        return F.linear(latent, self.weight.T, self.visible)


@reference([normal(8)], normal(2), MSE, ADAM)
class GroupNorms(nn.Module):
    """nn.GroupNorm and InstanceNorm1d on features in channels."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(8, 12), nn.Linear(12, 2)
        self.group, self.instance = nn.GroupNorm(2, 4), nn.InstanceNorm1d(4, affine=True)

    def forward(self, x):
        x = self.first(x).reshape(-1, 4, 3)
        return self.head(torch.relu(self.instance(self.group(x))).flatten(1))


@reference([normal(2, 9, 8)], index(3), CROSS_ENTROPY, SLOW, batch=12)
class ConvolutionsAndBatchNorms(Layers):
    """Convolutions with and without bias (strided, padded, depthwise, one channel), batch normalization, ReLU."""

    def __init__(self):
        super().__init__(nn.Conv2d(2, 4, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
                         nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 1, 1),
                         nn.Flatten(), nn.Linear(20, 3))


@reference([normal(3, 12)], normal(3, 12), MSE, ADAM)
class UpAndDown(nn.Module):
    """One-dimensional convolutions down (dilated, "same") and transposed ones up again, with a skip connection."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(3, 4, 3, padding="same", dilation=2)
        self.down = nn.Conv1d(4, 6, 4, stride=3, padding=1)
        self.up = nn.ConvTranspose1d(6, 4, 3, stride=3, padding=1, output_padding=2)
        self.last = nn.ConvTranspose1d(4, 3, 1, groups=1)

    def forward(self, x):
        x = F.gelu(self.first(x))
        return self.last(torch.tanh(self.up(F.gelu(self.down(x)))) + x)
