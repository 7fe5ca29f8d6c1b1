# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small nets whose models are stored beside this file, or which programs of tests/cpp describe: each function makes what
make_references.py trains."""
import torch
from torch import nn

from shipped import STEPS, shipped_images


def mlp():
    """784-256-128-10, softmax cross entropy, Adam, on the shipped images in file order."""
    model = nn.Sequential()
    for name, layer in (("fc1", nn.Linear(784, 256)), ("relu1", nn.ReLU()), ("fc2", nn.Linear(256, 128)),
                        ("relu2", nn.ReLU()), ("fc3", nn.Linear(128, 10))):
        model.add_module(name, layer)
    return dict(
        **shipped_images(STEPS, 64, (784,)), model=model, loss=nn.CrossEntropyLoss(),
        optimizer=lambda p: torch.optim.Adam(p, lr=1e-3),
        options=["--loss=softmax-cross-entropy", "--optimizer=adam", "--lr=1e-3"])


def convolutions():
    """28x28-16-10 with four convolutions (strides, padding, depthwise, 1x1), softmax cross entropy, SGD with momentum."""
    model = nn.Sequential()
    for name, layer in (("conv1", nn.Conv2d(1, 6, 5, stride=2, padding=2)), ("relu1", nn.ReLU()),
                        ("depthwise", nn.Conv2d(6, 6, 3, padding=1, groups=6)), ("relu2", nn.ReLU()),
                        ("pointwise", nn.Conv2d(6, 16, 1)), ("relu3", nn.ReLU()),
                        ("conv2", nn.Conv2d(16, 16, 3, stride=2)), ("relu4", nn.ReLU()), ("flatten", nn.Flatten()),
                        ("fc", nn.Linear(16 * 6 * 6, 10))):
        model.add_module(name, layer)
    return dict(
        **shipped_images(50, 32, (1, 28, 28)), model=model, loss=nn.CrossEntropyLoss(), steps=50,
        runs=8,  # a filter's value on the images' background comes near 0, where a ReLU takes it or not
        optimizer=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
        options=["--loss=softmax-cross-entropy", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"])


def circle():
    """2-16-8-1 with a sigmoid: is a point inside the unit circle? Binary cross entropy, AdamW."""
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1),
                          nn.Sigmoid())
    x = torch.randn(20, 500, 2)
    y = (x.pow(2).sum(2, keepdim=True) < 1).float()
    return dict(
        model=model, inputs=x, targets=y, loss=nn.BCELoss(),
        optimizer=lambda p: torch.optim.AdamW(p, lr=1e-2, weight_decay=0.01),
        options=["--loss=bce", "--optimizer=adamw", "--lr=1e-2", "--weight-decay=0.01"])


def regression():
    """8-32-32-1 with batch normalization and GELU: a smooth function of 8 inputs, mse, SGD with momentum."""
    # No bias before a batch normalization: its gradient is zero but for rounding.
    model = nn.Sequential(nn.Linear(8, 32, bias=False), nn.BatchNorm1d(32), nn.GELU(),
                          nn.Linear(32, 32, bias=False), nn.BatchNorm1d(32), nn.GELU(), nn.Linear(32, 1))
    x = torch.randn(20, 64, 8)
    y = torch.sin(x[..., :4].sum(-1, keepdim=True)) + 0.5 * x[..., 4:5] * x[..., 5:6]
    return dict(
        model=model, inputs=x, targets=y, loss=nn.MSELoss(),
        optimizer=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"])


class MaskedAttention(nn.Module):
    """One head that sees earlier places only, by a mask that is added and by one that is filled in."""

    def __init__(self):
        super().__init__()
        # No bias of the keys: its gradient is zero but for rounding.
        self.query, self.value, self.out = (nn.Linear(8, 8) for _ in range(3))
        self.key = nn.Linear(8, 8, bias=False)
        earlier = torch.ones(4, 4).tril() > 0
        self.register_buffer("mask", torch.zeros(4, 4).masked_fill(~earlier, -torch.inf))
        self.register_buffer("later", ~earlier)

    def forward(self, x):
        for _ in range(2):
            scores = self.query(x) @ self.key(x).transpose(1, 2) / 8**0.5
            added = torch.softmax(scores + self.mask, -1)
            filled = torch.softmax(scores.masked_fill(self.later, -torch.inf) * 2, -1)
            x = x + torch.tanh(self.out((added + filled) @ self.value(x)))
        return x


def masked():
    """Attention of 4 places with masks of -inf: mse, AdamW, whose weight decay must not reach the masks."""
    x = torch.randn(10, 6, 4, 8)
    return dict(
        model=MaskedAttention(), inputs=x, targets=torch.sin(x.cumsum(2)), loss=nn.MSELoss(), steps=50,
        scalars_as_initializers=True,
        optimizer=lambda p: torch.optim.AdamW(p, lr=3e-3, weight_decay=0.1),
        options=["--loss=mse", "--optimizer=adamw", "--lr=3e-3", "--weight-decay=0.1"])


def statistics(rows):
    """8-16-4 with batch normalization on small or large batches: what it keeps for evaluation."""
    model = nn.Sequential(nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
    x = torch.randn(10, rows, 8)
    return dict(
        model=model, inputs=x, targets=torch.tanh(x[..., :4] * 2), loss=nn.MSELoss(), steps=30, evaluated=True,
        optimizer=lambda p: torch.optim.SGD(p, lr=0.02),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.02"])


def statistics3():
    return statistics(3)


def statistics64():
    return statistics(64)


class AlongLastAxis(nn.CrossEntropyLoss):
    """Cross entropy of [rows, places, classes]: PyTorch wants the classes along axis 1."""

    def forward(self, prediction, targets):
        return super().forward(prediction.transpose(1, 2), targets)


def sequence():
    """5-16-7 at each of 6 places, classes along the last axis, some labels ignored, smoothed; RMSprop."""
    model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 7))
    x = torch.randn(20, 16, 6, 5)
    y = (x * torch.tensor([1.0, 2.0, 3.0, 2.0, 1.0])).sum(-1).clamp(-6.9, 6.9).add(7).div(2).long()
    y[torch.rand(y.shape) < 0.1] = -100
    return dict(
        model=model, inputs=x, targets=y, loss=AlongLastAxis(label_smoothing=0.1),
        optimizer=lambda p: torch.optim.RMSprop(p, lr=0.01),
        options=["--loss=softmax-cross-entropy", "--class-axis=-1", "--label-smoothing=0.1",
                 "--optimizer=rmsprop", "--lr=0.01"])


def clipped():
    """6-24-3, the norm of all gradients clipped to 0.5, which the first steps exceed: mse, SGD with momentum."""
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 3))
    x = torch.randn(10, 32, 6)
    return dict(
        model=model, inputs=x, targets=2 * torch.tanh(x[..., :3] + x[..., 3:]), loss=nn.MSELoss(), clip=0.5,
        optimizer=lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.05", "--momentum=0.9", "--clip-grad-norm=0.5"])


class Sampled(nn.Module):
    """An image read at places that a layer finds, in each way; then blocks that overlap, added up."""

    WAYS = (("bilinear", "zeros", False), ("bilinear", "border", True), ("bilinear", "reflection", True),
            ("bilinear", "reflection", False), ("bicubic", "zeros", False), ("bicubic", "border", True),
            ("bicubic", "reflection", False), ("nearest", "zeros", False), ("nearest", "reflection", True))

    def __init__(self):
        super().__init__()
        self.places, self.scores = nn.Linear(12, 6 * len(self.WAYS)), nn.Linear(3 * 5 * 6, 4)
        self.filter = nn.Conv2d(3, 3 * 4, 2)

    def forward(self, x):
        maps = self.places(x[:, :, 1, :4].flatten(1)).view(-1, len(self.WAYS), 2, 3)
        seen = 0
        for i, (mode, padding, aligned) in enumerate(self.WAYS):
            grid = nn.functional.affine_grid(0.8 * torch.eye(2, 3) + maps[:, i], (x.shape[0], 3, 5, 6), aligned)
            seen = seen + nn.functional.grid_sample(x, grid, mode, padding, aligned)
        blocks = torch.tanh(self.filter(seen)).flatten(2)
        return self.scores((seen + nn.functional.fold(blocks, (5, 6), 2)).flatten(1))


def sampled():
    """3x7x9 images read at 5x6 learned places in nine ways, then Fold; mse, SGD with momentum."""
    x = torch.randn(10, 8, 3, 7, 9).cumsum(-1).div(3)
    return dict(
        model=Sampled(), inputs=x, targets=torch.sin(x[..., 2, :4].sum(-2)), loss=nn.MSELoss(), steps=50, opset=20,
        optimizer=lambda p: torch.optim.SGD(p, lr=1e-3, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=1e-3", "--momentum=0.9"])


class Spelling(nn.Module):
    """Scores of a blank and four letters at each of 20 places, from the place and its neighbours; places first."""

    def __init__(self):
        super().__init__()
        self.hear, self.spell = nn.Conv1d(6, 16, 3, padding=1), nn.Linear(16, 5)

    def forward(self, x):
        heard = torch.tanh(self.hear(x.transpose(1, 2))).transpose(1, 2)
        return torch.log_softmax(self.spell(heard), -1).transpose(0, 1)


def spelling():
    """6-16-5 at each of up to 20 places, a convolution of three: words of up to 5 letters without an alignment, ctc; Adam."""
    batches, rows, places, most = 10, 16, 20, 5
    sounds = torch.randn(5, 6)
    x, words = 0.4 * torch.randn(batches, rows, places, 6), torch.zeros(batches, rows, most, dtype=torch.int64)
    lengths = torch.zeros(batches, 2, rows, dtype=torch.int64)
    for batch in range(batches):
        for row in range(rows):
            count, place = int(torch.randint(1, most + 1, ())), int(torch.randint(0, 3, ()))
            words[batch, row, :count] = torch.randint(1, 5, (count,))
            for letter in words[batch, row, :count]:  # a gap, and one to three places that sound so
                width = int(torch.randint(1, 4, ())) if place < 12 else 1
                x[batch, row, place:place + width] += 2 * sounds[letter]
                place += width + 1
            lengths[batch, 0, row], lengths[batch, 1, row] = min(place + 1, places), count
    return dict(
        model=Spelling(), inputs=x, targets=words, lengths=lengths, batch_axis=1, loss=nn.CTCLoss(),
        optimizer=lambda p: torch.optim.Adam(p, lr=0.02),
        options=["--loss=ctc", "--max-labels=5", "--optimizer=adam", "--lr=0.02"])


class Hamiltonian(nn.Module):
    """2-24-1, tanh; the prediction is its symplectic gradient, (dH/dp, -dH/dq) (Greydanus et al. 2019)."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(2, 24), nn.Linear(24, 1, bias=False)

    def forward(self, x):
        x = x.detach().requires_grad_()
        energy = self.fc2(torch.tanh(self.fc1(x))).sum()
        slope, = torch.autograd.grad(energy, x, create_graph=True)
        return torch.cat([slope[:, 1:], -slope[:, :1]], 1)


def hamiltonian():
    """A pendulum's motion as the symplectic gradient of a net: training differentiates a gradient. mse, Adam."""
    model, x = Hamiltonian(), torch.randn(10, 33, 2)
    return dict(
        model=model, described=True, inputs=x, targets=torch.stack([x[..., 1], -torch.sin(x[..., 0])], -1),
        loss=nn.MSELoss(), optimizer=lambda p: torch.optim.Adam(p, lr=1e-2),
        options=["--loss=mse", "--optimizer=adam", "--lr=1e-2"])


class Binary(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return torch.where(x > 0, torch.ones_like(x), -1)

    @staticmethod
    def backward(context, gradient):
        return gradient * (context.saved_tensors[0].abs() <= 1)


class Scaled(torch.autograd.Function):
    """x scaled; the gradient is reversed and reads the result."""

    @staticmethod
    def forward(context, x, scale):
        y = torch.tanh(x * scale)
        context.save_for_backward(y, scale)
        return y

    @staticmethod
    def backward(context, gradient):
        y, scale = context.saved_tensors
        return -0.5 * gradient * (1 - y * y), (gradient * y).sum(0)


class Estimators(nn.Module):
    """6-16-16-3 with binary activations, a reversed gradient, a clamped one and a stopped one."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 3)
        self.scale = nn.Parameter(torch.full((16,), 0.5))

    def forward(self, x):
        a = self.fc1(x)
        h = Binary.apply(a) + 0.3 * a
        h.register_hook(lambda gradient: gradient.clamp(-1e-3, 1e-3))
        y = Scaled.apply(self.fc2(h), self.scale)
        return self.fc3(y + h) + (y.detach() * h).sum(1, keepdim=True) * 0.1


def estimators():
    """Functions with a backward of their own, hooks and detached values in a training step. mse, SGD with momentum."""
    model, x = Estimators(), torch.randn(10, 17, 6)
    return dict(
        model=model, described=True, inputs=x, targets=torch.tanh(x[..., :3] - x[..., 3:]), loss=nn.MSELoss(),
        steps=50, optimizer=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
        options=["--loss=mse", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"])


BUILDS = (mlp, convolutions, circle, regression, masked, statistics3, statistics64, sequence, clipped, sampled, spelling, hamiltonian,
          estimators)
