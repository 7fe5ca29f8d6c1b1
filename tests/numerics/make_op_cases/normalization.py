# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and the normalizations."""
import torch
import torch.nn.functional as F

from cases import INF, NAN, given, make, number


def layer_norm(x, scale, bias, axis, epsilon):
    dims = list(range(axis, x.dim()))
    mean = x.mean(dims, keepdim=True)
    rstd = 1 / (x.var(dims, unbiased=False, keepdim=True) + epsilon).sqrt()
    return F.layer_norm(x, x.shape[axis:], scale, bias, epsilon), mean, rstd


def batch_norm(x, scale, bias, epsilon):
    dims = [d for d in range(x.dim()) if d != 1]
    mean, variance = x.mean(dims), x.var(dims, unbiased=False)
    view = [1, -1] + [1] * (x.dim() - 2)  # F.batch_norm refuses one value per channel
    y = (x - mean.view(view)) / (variance + epsilon).sqrt().view(view) * scale.view(view) + bias.view(view)
    return y, mean, variance


def cases():
    for name, function in (("softmax", F.softmax), ("log_softmax", F.log_softmax)):
        for shape, axis in (((3, 5), 1), ((3, 5), 0), ((2, 3, 4), 1), ((7,), 0), ((4, 1), 1), ((1,), 0), ((0, 3), 1),
                            ((5, 37), 1), ((9, 4), 0)):
            yield make(f"{shape} {axis}", f"nn.{name} %0 axis {axis}", [number(shape, name)],
                       lambda x: function(x, axis), differentiate=[0])
        yield make("named", f"nn.{name} %0 axis 1", [number((5, 3), name, dims=("batch", None))],
                   lambda x: function(x, 1), differentiate=[0])
        extreme = given([[1e4, -1e4, 0.0], [88.0, 89.0, 90.0], [-200.0, -200.0, -200.0]])
        yield make("extreme", f"nn.{name} %0 axis 1", [extreme], lambda x: function(x, 1))
        masked = given([[-INF, 1.0, 2.0], [0.0, -INF, -INF], [NAN, 1.0, 2.0], [INF, 1.0, 2.0], [-INF, -INF, -INF]])
        yield make("masked", f"nn.{name} %0 axis 1", [masked], lambda x: function(x, 1), kink=True)

    rows = given([[1.0, NAN, 2.0], [0.5, 1.0, -1.0], [INF, 1.0, 2.0]])
    parameters = [number((3,), "scale", 0.25, 2.0), number((3,), "bias")]
    yield make("special", "nn.layer_norm %0, %1, %2 axis 1 epsilon 1.0e-03", [rows, *parameters],
               lambda x, s, b: layer_norm(x, s, b, 1, 1e-3), kink=True)

    low, lowest = -INF, torch.finfo(torch.float32).min
    hidden = torch.tensor([[low, low, low], [0.0, low, 1.0], [lowest, lowest, lowest], [low, lowest, low]])
    for shape, axis in (((3, 5), 1), ((2, 3, 4), 1), ((1,), 0), ((5, 37), 1)):
        yield make(f"{shape} {axis} empty to zero", f"nn.softmax %0 axis {axis} {{empty_to_zero}}", [number(shape, "softmax")],
                   lambda x: F.softmax(x, axis), differentiate=[0])
    for axis in (0, 1):
        for name, rows in (("hidden", hidden), ("hidden one", torch.full((4, 1), low)),
                           ("hidden long", torch.full((3, 37), low).index_fill(axis, torch.tensor([1]), 2.0))):
            x = rows.T if axis == 0 else rows
            yield make(f"{name} {axis}", f"nn.softmax %0 axis {axis} {{empty_to_zero}}", [given(x.tolist())],
                       lambda x: F.softmax(x, axis).masked_fill((x == low).all(axis, keepdim=True), 0))

    for shape, axis in (((3, 5), 1), ((2, 3, 4), 2), ((2, 3, 4), 1), ((7,), 0), ((4, 1), 1), ((0, 3), 1), ((3, 37), 1),
                        ((3, 4), 0)):
        inner = shape[axis:]
        inputs = [number(shape, "ln"), number(inner, "scale", 0.5, 2), number(inner, "bias")]
        for epsilon in (1e-5, 0.1):
            yield make(f"{shape} {axis} {epsilon}", f"nn.layer_norm %0, %1, %2 axis {axis} epsilon {epsilon:e}", inputs,
                       lambda *v: layer_norm(*v, axis, epsilon), differentiate=[0, 1, 2])
    # Groups of channels, as GroupNorm has them: their number, their channels, positions.
    for shape, axis in (((2, 3, 4, 5), 2), ((1, 2, 1, 3, 4), 2), ((2, 1, 5, 7), 2), ((2, 4, 2, 3, 17), 2),
                        ((2, 2, 3, 2, 3), 3), ((0, 2, 3, 4), 2)):
        inner = shape[axis:]
        inputs = [number(shape, "ln"), number(inner, "scale", 0.5, 2), number(inner, "bias")]
        yield make(f"groups {shape} {axis}", f"nn.layer_norm %0, %1, %2 axis {axis} epsilon 1.0e-02", inputs,
                   lambda *v: layer_norm(*v, axis, 1e-2), differentiate=[0, 1, 2])
    inputs = [number((5, 2, 3, 4), "ln", dims=("batch", None, None, None)), number((3, 4), "scale", 0.5, 2),
              number((3, 4), "bias")]
    yield make("named groups", "nn.layer_norm %0, %1, %2 axis 2 epsilon 1.0e-02", inputs,
               lambda *v: layer_norm(*v, 2, 1e-2), differentiate=[0, 1, 2])
    named = [number((5, 4), "ln", dims=("batch", None)), number((4,), "scale", 0.5, 2), number((4,), "bias")]
    yield make("named", "nn.layer_norm %0, %1, %2 axis 1 epsilon 1.0e-05", named, lambda *v: layer_norm(*v, 1, 1e-5),
               differentiate=[0, 1, 2])
    equal = [given([[2.0, 2.0, 2.0], [1e4, 1e4 + 1, 1e4 + 2]]), number((3,), "scale", 0.5, 2), number((3,), "bias")]
    yield make("equal elements", "nn.layer_norm %0, %1, %2 axis 1 epsilon 1.0e-05", equal,
               lambda *v: layer_norm(*v, 1, 1e-5))

    for shape in ((6, 3), (2, 3, 4), (2, 1, 3, 2), (1, 2, 5), (9, 33), (3, 4, 5, 1), (2, 3, 2, 3, 2), (3, 2, 7, 7)):
        channels = (shape[1],)
        inputs = [number(shape, "bn"), number(channels, "scale", 0.5, 2), number(channels, "bias")]
        yield make(f"{shape}", "nn.batch_norm %0, %1, %2 epsilon 1.0e-03", inputs,
                   lambda *v: batch_norm(*v, 1e-3), differentiate=[0, 1, 2])
        inputs += [number(channels, "mean"), number(channels, "variance", 0.25, 2)]
        yield make(f"{shape}", "nn.batch_norm_inference %0, %1, %2, %3, %4 epsilon 1.0e-03", inputs,
                   lambda x, s, b, m, v: F.batch_norm(x, m, v, s, b, False, 0, 1e-3), differentiate=[0, 1, 2])
    named = [number((5, 4), "bn", dims=("batch", None)), number((4,), "scale", 0.5, 2), number((4,), "bias")]
    yield make("named", "nn.batch_norm %0, %1, %2 epsilon 1.0e-03", named, lambda *v: batch_norm(*v, 1e-3),
               differentiate=[0, 1, 2])
    named += [number((4,), "mean"), number((4,), "variance", 0.25, 2)]
    yield make("named", "nn.batch_norm_inference %0, %1, %2, %3, %4 epsilon 1.0e-03", named,
               lambda x, s, b, m, v: F.batch_norm(x, m, v, s, b, False, 0, 1e-3), differentiate=[0, 1, 2])
    one = [number((1, 3), "bn"), number((3,), "scale", 0.5, 2), number((3,), "bias")]
    yield make("one element a channel", "nn.batch_norm %0, %1, %2 epsilon 1.0e-03", one,
               lambda *v: batch_norm(*v, 1e-3), differentiate=[0, 1, 2])
