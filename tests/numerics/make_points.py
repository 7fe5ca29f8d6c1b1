# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes points.json: ONNX operators where their derivative is difficult, with what PyTorch gives.

Zeros under a norm, infinities in a softmax, ties, kinks, arguments at which exponentials overflow, operators that
are written as many (composed_points.py): results and gradients in float32, for a gradient dy of the result. Run as `python3 tests/numerics/make_points.py` (needs
torch); the test needs only the file. A point is {name, nodes, inputs, shape, y, dy}: the nodes read the inputs
in0, in1 ... and each other, the last one's result is y. An input has shape, data and `kind`: float (then `dx` is
its gradient), or constant, int, bool (floats, integers, truth values that are known when the model is read).
"""
import json
import math
import struct
from pathlib import Path

import torch
import torch.nn.functional as F

INF, NAN = math.inf, math.nan
FAR = [0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 15.0, -15.0, 50.0, -50.0, 100.0, -100.0, 1e4, -1e4, 1e30, -1e30]
points = []


def numbers(tensor):
    def short(x):
        if not math.isfinite(x):
            return str(x)
        text = f"{x:.9g}"  # enough for every float32
        return float(text)
    return [short(x) for x in tensor.detach().double().flatten().tolist()]


class Constant:
    def __init__(self, values, dtype="float"):
        self.values, self.dtype = values, dtype


def node(op, inputs, output, **attributes):
    fields = {int: "i", float: "f", str: "s", list: "ints"}  # as in ONNX's messages
    return dict(op=op, inputs=inputs.split(), output=output,
                attributes={name: {fields[type(value)]: value} for name, value in attributes.items()})


def point(name, op, inputs, function, nodes=None, **attributes):
    """`inputs`: lists of numbers, which are differentiated, and Constants."""
    nodes = nodes or [node(op, " ".join(f"in{i}" for i in range(len(inputs))), "y", **attributes)]
    tensors, described = [], []
    for x in inputs:
        if isinstance(x, Constant):
            t = torch.tensor(x.values, dtype=dict(int=torch.int64, bool=torch.bool, float=torch.float32)[x.dtype])
        else:
            t = torch.tensor(x, dtype=torch.float32, requires_grad=True)
        tensors.append(t)
    y = function(*tensors)
    steps = torch.arange(y.numel(), dtype=torch.float32).reshape(y.shape)
    dy = 0.5 + 0.25 * (steps % 5)  # no zeros: 0 * inf would hide what an infinite derivative does
    leaves = [t for t in tensors if t.requires_grad]
    gradients = iter(torch.autograd.grad(y, leaves, dy, allow_unused=True))
    for x, t in zip(inputs, tensors):
        entry = dict(shape=list(t.shape), data=numbers(t))
        if isinstance(x, Constant):
            entry["kind"] = "constant" if x.dtype == "float" else x.dtype
            if x.dtype != "float":
                entry["data"] = [int(n) for n in t.flatten().tolist()]
        else:
            dx = next(gradients)
            entry.update(kind="float", dx=numbers(torch.zeros_like(t) if dx is None else dx))
        described.append(entry)
    points.append(dict(name=f"{op} {name}", nodes=nodes, inputs=described,
                       shape=list(y.shape), y=numbers(y), dy=numbers(dy)))


def swish(alpha):
    return lambda x: x * torch.sigmoid(alpha * x)


def activations():
    rules = {
        "Abs": (torch.abs, {}), "Sign": (torch.sign, {}), "Exp": (torch.exp, {}), "Erf": (torch.erf, {}),
        "Tanh": (torch.tanh, {}), "Sigmoid": (torch.sigmoid, {}), "Relu": (torch.relu, {}),
        "Softplus": (F.softplus, {}), "HardSwish": (F.hardswish, {}), "Softsign": (F.softsign, {}),
        "LeakyRelu": (lambda x: F.leaky_relu(x, 0.25), dict(alpha=0.25)),
        "Elu": (lambda x: F.elu(x, 0.5), dict(alpha=0.5)), "Selu": (F.selu, {}),
        "Celu": (lambda x: F.celu(x, 0.5), dict(alpha=0.5)), "Mish": (F.mish, {}),
        "Gelu": (F.gelu, {}), "Swish": (swish(0.5), dict(alpha=0.5)),
        "HardSigmoid": (F.hardsigmoid, dict(alpha=1 / 6)),
        "ThresholdedRelu": (lambda x: F.threshold(x, 0.5, 0.0), dict(alpha=0.5)),
    }
    for op, (function, attributes) in rules.items():
        point("far", op, [FAR], function, **attributes)
    point("far tanh", "Gelu", [FAR], lambda x: F.gelu(x, approximate="tanh"), approximate="tanh")
    point("alpha 1", "Swish", [FAR], F.silu)
    for op, function in (("Log", torch.log), ("Sqrt", torch.sqrt), ("Reciprocal", torch.reciprocal)):
        point("edge", op, [[0.0, 1e-30, 1e30, 1.0, -1.0]], function)
    point("at the threshold", "ThresholdedRelu", [[0.5, 0.25, 0.75]], lambda x: F.threshold(x, 0.5, 0.0), alpha=0.5)
    point("at the edges", "HardSigmoid", [[-3.0, 3.0, 0.0]], F.hardsigmoid, alpha=1 / 6)
    point("at the edges", "HardSwish", [[-3.0, 3.0, 0.0]], F.hardswish)
    point("soft, at the edges", "Shrink", [[0.5, -0.5, 0.0, 1.0, -1.0]], F.softshrink, bias=0.5, lambd=0.5)
    point("hard, at the edges", "Shrink", [[0.5, -0.5, 0.0, 1.0, -1.0]], F.hardshrink, lambd=0.5)
    kink = [[0.0, -1.0, 2.0], [-0.0, 0.0, 1e-30]]
    point("kink", "PRelu", [kink, [0.25, -0.5, 2.0]], F.prelu)
    slopes = [[0.25, -0.5, 2.0]]
    point("a slope each", "PRelu", [kink, slopes], lambda x, s: torch.where(x > 0, x, s * x))


def arithmetic():
    # By the exponent of a negative base PyTorch has NaN, dlc 0: not here.
    point("both trained", "Pow", [[0.0, 0.0, 0.0, 0.0, 3.0, 1.0, 2.0], [0.0, 1.0, 2.0, 0.5, -2.0, 100.0, 0.0]], torch.pow)
    for power in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, -2.0):
        point(f"to {power}", "Pow", [[0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e-20], Constant([power])],
              lambda x, p, power=power: torch.pow(x, power))
    for base in (0.0, 2.0):
        point(f"of {base}", "Pow", [Constant([base]), [0.0, 1.0, 2.0, 3.0]], torch.pow)
    point("by zero", "Div", [[0.0, 1.0, -1.0, 2.0], [0.0, 0.0, 0.0, 4.0]], torch.div)
    for op, function in (("Max", torch.maximum), ("Min", torch.minimum)):
        point("ties", op, [[1.0, 2.0, -INF, 0.0, INF], [1.0, 3.0, -INF, -0.0, 2.0]], function)
    limits = [-1.0, 1.5, 0.0, 2.0, -2.0, INF, -INF, NAN]
    point("limits", "Clip", [limits, Constant(-1.0), Constant(1.5)], lambda x, a, b: x.clamp(-1.0, 1.5))
    point("only below", "Clip", [limits, Constant(-1.0)], lambda x, a: x.clamp(min=-1.0))
    choose = Constant([True, False, True, False], "bool")
    point("not chosen", "Where", [choose, [1.0, INF, 2.0, NAN], [NAN, 3.0, INF, 4.0]],
          lambda c, a, b: torch.where(c, a, b))
    point("ties of three", "Max", [[1.0, 2.0], [1.0, 1.0], [1.0, 2.0]],
          lambda a, b, c: torch.maximum(torch.maximum(a, b), c))


def reductions():
    rows = [[0.0, 0.0, 0.0], [3.0, 0.0, -4.0], [-0.0, 0.0, 0.0], [1e-30, 0.0, 0.0], [1e-5, 2e-5, -1e-5]]
    along = Constant([1], "int")
    point("zero rows", "ReduceL2", [rows, along], lambda x, a: torch.linalg.vector_norm(x, 2, 1, True))
    point("zero rows, dropped", "ReduceL2", [rows, along], lambda x, a: torch.linalg.vector_norm(x, 2, 1), keepdims=0)
    point("of all zeros", "ReduceL2", [[[0.0, 0.0], [0.0, 0.0]]], lambda x: torch.linalg.vector_norm(x, 2, (0, 1), True))
    point("infinite", "ReduceL2", [[[INF, 1.0, 0.0], [1.0, 2.0, 3.0]], along],
          lambda x, a: torch.linalg.vector_norm(x, 2, 1, True))
    point("zero rows", "ReduceL1", [rows, along], lambda x, a: torch.linalg.vector_norm(x, 1, 1, True))
    point("zero rows", "ReduceSumSquare", [rows, along], lambda x, a: (x * x).sum(1, True))
    point("zero rows", "ReduceLogSum", [[[0.0, 0.0], [1.0, 0.0]], along], lambda x, a: x.sum(1, True).log())
    masked = [[-INF, 1.0, 2.0], [-INF, -INF, -INF], [INF, 1.0, 0.0], [95.0, 95.0, -95.0], [-1e4, -1e4, 0.0],
              [INF, INF, 1.0], [NAN, 1.0, 2.0]]
    point("masked", "ReduceLogSumExp", [masked, along], lambda x, a: torch.logsumexp(x, 1, True))
    point("masked, dropped", "ReduceLogSumExp", [masked, along], lambda x, a: torch.logsumexp(x, 1), keepdims=0)
    ties = [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [5.0, 0.0, 0.0], [-INF, -INF, 1.0], [-INF, -INF, -INF]]
    point("ties", "ReduceMax", [ties, along], lambda x, a: torch.amax(x, 1, True))
    point("ties", "ReduceMin", [ties, along], lambda x, a: torch.amin(x, 1, True))
    zeros = [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [-0.0, 1e-30, 1e30]]
    point("zeros", "ReduceProd", [zeros, along], lambda x, a: torch.prod(x, 1, True))


def lp_norm(p):
    """ONNX's text: 0 where the norm is 0; there the gradient is 0 too, as that of the norm."""
    def function(x):
        norm = torch.linalg.vector_norm(x, p, 1, True)
        zero = norm == 0
        return torch.where(zero, 0.0, x / torch.where(zero, 1.0, norm))
    return function


def mean_variance(x):
    """As torch.std has it: the derivative of the deviation is 0 where it is 0."""
    centered = x - x.mean(1, True)
    return centered / (centered.std(1, keepdim=True, unbiased=False) + 1e-9)


def normalizations():
    masked = [[-INF, 1.0, 2.0], [0.0, -INF, -INF], [-INF, -INF, -INF], [INF, 1.0, 0.0], [1e4, 0.0, -1e4],
              [NAN, 1.0, 2.0]]
    point("masked", "Softmax", [masked], lambda x: F.softmax(x, 1), axis=1)
    point("masked", "LogSoftmax", [masked], lambda x: F.log_softmax(x, 1), axis=1)
    rows = [[0.0, 0.0, 0.0], [3.0, 0.0, -4.0], [-0.0, 0.0, 0.0], [2.0, 2.0, 2.0]]
    point("2, zero rows", "LpNormalization", [rows], lp_norm(2), axis=1, p=2)
    point("1, zero rows", "LpNormalization", [rows], lp_norm(1), axis=1, p=1)
    equal = [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    point("equal elements", "LayerNormalization", [equal, [1.0, 2.0, 0.5], [0.0, 1.0, 2.0]],
          lambda x, s, b: F.layer_norm(x, (3,), s, b, 1e-5), axis=-1, epsilon=1e-5)
    point("zero rows", "RMSNormalization", [rows, [1.0, 2.0, 0.5]], lambda x, s: F.rms_norm(x, (3,), s, 1e-5),
          axis=-1, epsilon=1e-5)
    point("equal elements", "MeanVarianceNormalization", [[[4.0, 4.0, 4.0, 4.0], [1.0, 2.0, 3.0, 6.0]]],
          mean_variance, axes=[1])


def losses():
    scores = [[-INF, 1.0, 2.0], [0.0, 1.0, -INF], [1e4, -1e4, 0.0], [200.0, 0.0, 0.0]]
    labels = Constant([1, 0, 0, 1], "int")
    for reduction in ("mean", "sum", "none"):
        point(f"{reduction}, a class masked out", "SoftmaxCrossEntropyLoss", [scores, labels],
              lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r), reduction=reduction)
        point(f"{reduction}, impossible classes", "NegativeLogLikelihoodLoss", [scores, labels],
              lambda x, t, r=reduction: F.nll_loss(x, t, reduction=r), reduction=reduction)
    weights = Constant([1.0, 0.5, 2.0])
    point("weighted, a class masked out", "SoftmaxCrossEntropyLoss", [scores, labels, weights],
          lambda x, t, w: F.cross_entropy(x, t, w, reduction="none"), reduction="none")


def cosine_similarity(x, along, epsilon, z):
    """As the older exporter writes it, with the derivative 0 where the root is 0: the function's is finite there."""
    squared = (x * x).sum(1, True) * (z * z).sum(1, True)
    zero = squared == 0
    norms = torch.where(zero, 0.0, torch.where(zero, 1.0, squared).sqrt())
    return (x * z).sum(1, True) / torch.maximum(norms, epsilon)


def compositions():
    """As PyTorch's exporters write functions that ONNX has no operator for."""
    rows = [[0.0, 0.0, 0.0], [3.0, 0.0, -4.0], [-0.0, 0.0, 0.0], [2.0, 2.0, 2.0]]
    along = Constant([1], "int")
    point("normalize", "F", [rows, along, Constant(1e-12), Constant([4, 3], "int")],
          lambda x, *_: F.normalize(x, dim=1),
          [node("ReduceL2", "in0 in1", "norm", keepdims=1), node("Clip", "norm in2", "clipped"),
           node("Expand", "clipped in3", "expanded"), node("Div", "in0 expanded", "y")])
    point("cosine_similarity", "F", [rows, along, Constant(1e-8), rows[::-1]],
          lambda x, a, e, z: F.normalize(x, dim=1, eps=1e-8).mul(F.normalize(z, dim=1, eps=1e-8)).sum(1, True),
          [node("ReduceL2", "in0 in1", "n0"), node("Clip", "n0 in2", "c0"), node("Div", "in0 c0", "x"),
           node("ReduceL2", "in3 in1", "n1"), node("Clip", "n1 in2", "c1"), node("Div", "in3 c1", "z"),
           node("Mul", "x z", "products"), node("ReduceSum", "products in1", "y")])
    point("masked attention", "F", [[[1.0, 2.0], [3.0, 4.0]], Constant([[0.0, -INF], [0.0, 0.0]]), [[1.0], [2.0]]],
          lambda x, m, v: F.softmax(x + m, -1) @ v,
          [node("Add", "in0 in1", "scores"), node("Softmax", "scores", "weights", axis=-1),
           node("MatMul", "weights in2", "y")])
    far = [[-200.0, -100.0, -1.0, 0.0, 30.0, 100.0]]
    point("logsigmoid", "F", far, F.logsigmoid, [node("Sigmoid", "in0", "s"), node("Log", "s", "y")])
    point("cosine_similarity, in one", "F", [rows, along, Constant(1e-8), rows[::-1]],
          cosine_similarity,
          [node("Mul", "in0 in3", "xz"), node("ReduceSum", "xz in1", "dot"), node("Mul", "in0 in0", "xx"),
           node("ReduceSum", "xx in1", "x2"), node("Mul", "in3 in3", "zz"), node("ReduceSum", "zz in1", "z2"),
           node("Mul", "x2 z2", "product"), node("Sqrt", "product", "norms"), node("Max", "norms in2", "limited"),
           node("Div", "dot limited", "y")])
    point("norm of p 3", "torch", [rows, along, Constant(3.0), Constant(1 / 3)],
          lambda x, a, p, q: torch.linalg.vector_norm(x, 3, 1, True),
          [node("Abs", "in0", "size"), node("Pow", "size in2", "powers"), node("ReduceSum", "powers in1", "sum"),
           node("Pow", "sum in3", "y")])
    for unbiased in (False, True):
        scaled = [node("Mul", "mean_square in2", "variance")] if unbiased else [node("Identity", "mean_square", "variance")]
        point(f"std{', unbiased' if unbiased else ''}", "torch", [rows, along, Constant(1.5)],
              lambda x, a, f, u=unbiased: torch.std(x, 1, keepdim=True, unbiased=u),
              [node("ReduceMean", "in0 in1", "mean"), node("Sub", "in0 mean", "d"), node("Mul", "d d", "square"),
               node("ReduceMean", "square in1", "mean_square"), *scaled, node("Sqrt", "variance", "y")])


def main():
    import composed_points  # which reads this file

    torch.set_num_threads(1)
    for group in (activations, arithmetic, reductions, normalizations, losses, compositions, *composed_points.GROUPS):
        group()
    names = [p["name"] for p in points]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    lines = ",\n".join(json.dumps(p) for p in points)
    (Path(__file__).resolve().parent / "points.json").write_text(f"[\n{lines}\n]\n")
    print(f"{len(points)} points, torch {torch.__version__}")


if __name__ == "__main__":
    import make_points  # not this script, but the module whose points composed_points.py adds to

    make_points.main()
