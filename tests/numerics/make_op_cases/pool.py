# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling and resampling. PyTorch has most of it; what windows of unequal padding give is computed on padded images."""
import itertools
import math
import random

import torch
import torch.nn.functional as F

from cases import Input, distinct, given, make, number

# image shape, kernel, strides, low, high, dilations
WINDOWS = (
    ((2, 3, 6, 6), (2, 2), (2, 2), (0, 0), (0, 0), (1, 1)),
    ((1, 1, 1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (1, 1)),
    ((1, 2, 1, 5), (1, 2), (1, 1), (0, 0), (0, 0), (1, 1)),
    ((2, 1, 7, 5), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),
    ((2, 3, 5, 7), (3, 2), (1, 3), (1, 0), (2, 1), (1, 1)),
    ((1, 2, 9, 7), (3, 2), (2, 1), (2, 1), (0, 1), (2, 3)),
    ((3, 2, 5, 5), (2, 2), (2, 2), (0, 0), (0, 0), (1, 1)),  # the last row and column are in no window
    ((2, 2, 6, 4), (4, 3), (3, 2), (0, 0), (0, 0), (1, 1)),  # one window, which does not cover the image
    ((1, 2, 4, 6), (1, 1), (2, 3), (0, 0), (0, 0), (1, 1)),  # elements between windows
    ((1, 1, 3, 3), (3, 3), (1, 1), (2, 2), (2, 2), (1, 1)),  # more padding than PyTorch takes
    ((2, 2, 3, 37), (2, 3), (1, 1), (0, 1), (0, 1), (1, 1)),
    ((1, 3, 19, 20), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    ((0, 2, 4, 4), (2, 2), (2, 2), (0, 0), (0, 0), (1, 1)),
    ((2, 3, 8), (3,), (2,), (1,), (0,), (1,)),
    ((1, 1, 70), (5,), (3,), (0,), (2,), (2,)),
    ((1, 2, 4, 3, 5), (2, 2, 3), (2, 1, 2), (0, 1, 0), (0, 0, 1), (1, 1, 1)),
)


def padded(x, low, high, value):
    amounts = [n for pair in reversed(list(zip(low, high))) for n in pair]
    return F.pad(x, amounts, value=value)


def windows(x, kernel, strides, low, high, dilations, value):
    """The elements of each window in a last dim, and their positions in the plane, -1 in padding."""
    sizes = x.shape[2:]
    plane = torch.arange(math.prod(sizes)).reshape(1, 1, *sizes)
    parts, places = [], []
    for offsets in itertools.product(*map(range, kernel)):
        for source, result, fill in ((x, parts, value), (plane, places, -1)):
            part = padded(source, low, high, fill)
            for i, k in enumerate(offsets):
                count = (sizes[i] + low[i] + high[i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1
                start = k * dilations[i]
                part = part.narrow(2 + i, start, (count - 1) * strides[i] + 1)
                part = part[(slice(None),) * (2 + i) + (slice(None, None, strides[i]),)]
            result.append(part)
    return torch.stack(parts, -1), torch.stack(places, -1).expand(*x.shape[:2], *(-1,) * (len(sizes) + 1))


def sum_pool(x, *window):
    return windows(x, *window, 0.0)[0].sum(-1)


def max_pool(x, kernel, strides, low, high, dilations):
    """Where PyTorch takes the padding, its own result (and gradient); else the first largest of each window."""
    if low == high and all(2 * p <= (k - 1) * d + 1 for p, k, d in zip(low, kernel, dilations)) and x.shape[0]:
        function = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[len(kernel) - 1]
        return function(x, kernel, strides, low, dilations, return_indices=True)
    parts, places = windows(x, kernel, strides, low, high, dilations, -math.inf)
    y, first = parts.max(-1)
    return y, places.gather(-1, first.unsqueeze(-1)).squeeze(-1)


def unpool(y, positions, sizes):
    """Adds numbers of windows at their positions."""
    planes = y.reshape(y.shape[0] * y.shape[1], math.prod(y.shape[2:]))
    x = torch.zeros(planes.shape[0], math.prod(sizes), dtype=y.dtype)
    return x.scatter_add(1, positions.reshape(planes.shape).long(), planes).reshape(*y.shape[:2], *sizes)


def sum_unpool(y, shape, window):
    """The gradient of sum_pool, by PyTorch's reverse mode."""
    x = torch.zeros(shape, dtype=y.dtype, requires_grad=True)
    return torch.autograd.grad(sum_pool(x, *window), x, y, create_graph=True)[0]


def resample(x, axis, taps, positions, weights):
    index = torch.tensor(positions, dtype=torch.int64).reshape(taps, -1)
    weight = torch.tensor(weights, dtype=torch.float64).reshape(taps, -1, *[1] * (x.dim() - axis - 1))
    return sum(x.index_select(axis, index[t]) * weight[t] for t in range(taps))


# shape, axis, taps, positions, weights
TAPS = (((3, 4), 1, 1, [3, 0, 1, 2, 1], [1.0] * 5), ((3, 4), 0, 1, [2, 2], [0.5, -1.25]),
        ((2, 3, 5), 1, 2, [0, 0, 1, 1, 2, 0, 1, 1, 2, 2], [1.0, 0.75, 0.25, 0.5, 0.5, 0.0, 0.25, 0.75, 0.5, 0.5]),
        ((2, 3, 5), 2, 3, [0, 1, 2, 4, 4, 1], [0.5, 0.25, 1.5, -0.5, 0.125, 2.0]),
        ((1, 1), 1, 2, [0, 0], [0.5, 0.5]), ((2, 37), 1, 2, list(range(36)) + list(range(1, 37)), [0.25] * 36 + [0.75] * 36),
        ((37, 3), 0, 2, list(range(36)) + list(range(1, 37)), [0.25] * 36 + [0.75] * 36), ((0, 3), 1, 1, [2, 1], [1.0, 2.0]))


def text(window):
    names = ("kernel", "strides", "low", "high", "dilations")
    return " ".join(f"{name} {list(values)}" for name, values in zip(names, window))


def random_configurations(count):
    """Pooling of 1 to 3 dims as PyTorch's users write it; values have ties. The gradients are PyTorch's own."""
    r = random.Random(8)
    made = 0
    while made < count:
        spatial = r.choice((1, 2, 2, 2, 3))
        is_sum = made % 2 == 1 and spatial > 1  # with 1 as divisor an average is a sum; PyTorch's 1-d one has none
        sizes = [r.randint(1, 4 if spatial == 3 else 9) for _ in range(spatial)]
        kernel = [r.randint(1, 4) for _ in range(spatial)]
        strides = [r.randint(1, 3) for _ in range(spatial)]
        dilations = [1 if is_sum else r.choice((1, 1, 2)) for _ in range(spatial)]
        low = [r.randint(0, k // 2) for k in kernel]
        ceil = r.random() < 0.5
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        if any(n + 2 * p < s or is_sum and n < s for n, p, s in zip(sizes, low, spans)):
            continue  # PyTorch refuses them, and images that are smaller than the windows of an average
        shape = (r.randint(1, 3), r.randint(1, 3), *sizes)
        if is_sum:
            function = (F.avg_pool2d, F.avg_pool3d)[spatial - 2]
            pooled = lambda x: function(x, kernel, strides, low, ceil, True, 1)
        else:
            function = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[spatial - 1]
            pooled = lambda x: function(x, kernel, strides, low, dilations, ceil, return_indices=True)
        image = torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(made)).double()
        y = pooled(image)
        counts = (y if is_sum else y[0]).shape[2:]
        high = [max(0, (o - 1) * s + span - n - p)
                for o, s, span, n, p in zip(counts, strides, spans, sizes, low)]
        # A window that lies wholly in padding, between elements that are far apart, is refused.
        if not all(any(0 <= o * s - p + k * d < n for k in range(size))
                   for count, s, p, d, n, size in zip(counts, strides, low, dilations, sizes, kernel)
                   for o in range(count)):
            continue
        op = "sum_pool" if is_sum else "max_pool"
        yield make(f"random {made}", f"nn.{op} %0 {text((kernel, strides, low, high, dilations))}", [Input(image)],
                   pooled, kink=True)
        made += 1


def cases():
    yield from random_configurations(40)
    for shape, *window in WINDOWS:
        window, sizes = tuple(window), list(shape[2:])
        name = f"{shape} " + " ".join(str(list(values)) for values in window)
        x = distinct(shape, "pool")
        yield make(name, f"nn.sum_pool %0 {text(window)}", [x], lambda v: sum_pool(v, *window), differentiate=[0])
        yield make(name, f"nn.max_pool %0 {text(window)}", [x], lambda v: max_pool(v, *window), differentiate=[0])
        y, positions = max_pool(x.tensor, *window)
        dy = number(y.shape, ("unpool", name))
        yield make(name, f"nn.sum_unpool %0 sizes {sizes} {text(window)}", [dy],
                   lambda v: sum_unpool(v, shape, window), differentiate=[0])
        places = Input(positions, "i32")
        yield make(name, f"nn.max_unpool %0, %1 sizes {sizes} {text(window)}", [dy, places],
                   lambda v, p: unpool(v, p, sizes), differentiate=[0])
    for shape, *taps in TAPS:
        axis, count, positions, weights = taps
        yield make(f"{shape} axis {axis} taps {count}",
                   f"nn.resample %0 axis {axis} taps {count} positions {positions} weights {weights}",
                   [number(shape, "resample")], lambda v: resample(v, *taps), differentiate=[0])
    window = ((2, 2), (2, 2), (0, 0), (1, 1), (1, 1))
    batch = ("batch", None, None, None)
    for op, function in (("sum_pool", sum_pool), ("max_pool", max_pool)):
        yield make("named", f"nn.{op} %0 {text(window)}", [distinct((5, 2, 3, 3), op, batch)],
                   lambda v: function(v, *window), differentiate=[0])
    window = ((3, 3), (2, 2), (1, 1), (1, 1), (1, 1))
    nan, inf = float("nan"), float("inf")
    for name, image in (("ties", [[1, 2, 2, 0], [2, 2, 2, 2], [0, 2, 1, 2], [2, 0, 2, 2]]),
                        ("zeros", [[0.0, -0.0, 0.0, 0.0]] * 4),
                        ("infinite", [[-inf, -inf, -inf, inf], [-inf, -inf, 1, 2], [-inf] * 4, [-inf] * 4]),
                        ("nan", [[nan, 1, 2, nan], [1, 2, nan, 3], [4, 5, 6, 7], [1, 2, 3, nan]])):
        yield make(name, f"nn.max_pool %0 {text(window)}", [given([[[[float(v) for v in row] for row in image]]])],
                   lambda v: max_pool(v, *window), kink=True)
    # Elements that no result was made of have no gradient, whatever the results' are.
    x = given([[1.0, nan, 2.0, 3.0, 4.0], [1.0, 2.0, inf, 3.0, -inf]])
    for taps in ((1, 1, [0, 2, 4], [1.0, 1.0, 1.0]), (1, 2, [0, 2, 2, 4], [0.25, 0.5, 0.75, 0.5])):
        axis, count, positions, weights = taps
        yield make(f"special taps {count}",
                   f"nn.resample %0 axis {axis} taps {count} positions {positions} weights {weights}", [x],
                   lambda v: resample(v, *taps), kink=True)
