# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations."""
import torch
import torch.nn.functional as F

from cases import INF, NAN, Input, given, integer, make, number, truth

SHAPES = ((), (1,), (7,), (3, 5), (0, 4), (2, 3, 4), (3, 37))
BROADCASTS = (((3, 5), (3, 5)), ((3, 5), (5,)), ((5,), (3, 5)), ((3, 1), (1, 5)), ((), (3, 5)), ((3, 5), ()),
              ((), ()), ((1,), (1,)), ((2, 1, 4), (3, 1)), ((0, 3), (3,)), ((1, 1), (4, 1)), ((4, 33), (33,)))
SPECIAL = [NAN, INF, -INF, 0.0, -0.0, 1e-30, -1e-30, 30.0, -30.0, 100.0, -100.0, 1e30, -1e30]

UNARY = {  # mnemonic: (attributes, PyTorch, data)
    "neg": ("", torch.neg, {}),
    "abs": ("", torch.abs, {}),
    "sign": ("", torch.sign, {}),
    "exp": ("", torch.exp, {}),
    "log": ("", torch.log, dict(low=0.25, high=6.0)),
    "expm1": ("", torch.expm1, {}),
    "log1p": ("", torch.log1p, dict(low=-0.75, high=6.0)),
    "sqrt": ("", torch.sqrt, dict(low=0.25, high=6.0)),
    "rsqrt": ("", torch.rsqrt, dict(low=0.25, high=6.0)),
    "reciprocal": ("", torch.reciprocal, dict(away=0.5)),
    "erf": ("", torch.erf, {}),
    "erfc": ("", torch.erfc, {}),
    "erfinv": ("", torch.erfinv, dict(low=-0.96, high=0.96)),
    "sin": ("", torch.sin, {}),
    "cos": ("", torch.cos, {}),
    "atan": ("", torch.atan, {}),
    "floor": ("", torch.floor, {}),
    "ceil": ("", torch.ceil, {}),
    "round": ("", torch.round, {}),
    "tanh": ("", torch.tanh, {}),
    "sigmoid": ("", torch.sigmoid, {}),
    "relu": ("", torch.relu, {}),
    "leaky_relu": ("{alpha = 0.125 : f64}", lambda x: F.leaky_relu(x, 0.125), {}),
    "elu": ("{alpha = 0.75 : f64}", lambda x: F.elu(x, 0.75), {}),
    "gelu": ("", F.gelu, {}),
    "silu": ("", F.silu, {}),
    "softplus": ("", lambda x: F.softplus(x, threshold=1e9).where(x < 700, x), {}),
    "softsign": ("", lambda x: x / (1 + x.abs()), {}),
    "hard_sigmoid": ("{alpha = 0.25 : f64, beta = 0.5 : f64}", lambda x: (0.25 * x + 0.5).clamp(0, 1), {}),
    "hard_swish": ("", F.hardswish, dict(low=-5.0, high=5.0)),
    "clip": ("{low = -1.0 : f64, high = 1.5 : f64}", lambda x: x.clamp(-1.0, 1.5), {}),
}
BYTES = [0, 1, 127, 128, 255]
SPECIAL_FUNCTIONS = {"softplus": F.softplus}  # without the branch that the function above has for large numbers
BINARY = {
    "add": (torch.add, {}),
    "sub": (torch.sub, {}),
    "mul": (torch.mul, {}),
    "div": (torch.div, dict(away=0.5)),
    "pow": (torch.pow, {}),
    "max": (torch.maximum, {}),
    "min": (torch.minimum, {}),
}


def erfinv(x):
    """PyTorch's own has few digits left near 1: erf does not tell numbers there apart."""
    far = -torch.special.ndtri((1 - x.abs()) / 2) / 2**0.5
    return torch.where(x.abs() < 0.5, torch.erfinv(x), far.copysign(x))


def special_numbers(name):
    """Left out: large floats, whose distance is more than a period; infinities at which softsign's result is NaN, and its
    gradient here is 0, in PyTorch NaN."""
    for x in SPECIAL:
        if name in ("sin", "cos") and 1e3 < abs(x) < INF or name == "softsign" and abs(x) == INF:
            continue
        yield x


def unary_cases():
    for name, (attributes, function, data) in UNARY.items():
        text = f"nn.{name} %0 {attributes}".strip()
        for shape in SHAPES:
            yield make(f"{shape}", text, [number(shape, name, **data)], function, differentiate=[0])
        # Some are in whole vectors of compiled code, some in what is left.
        yield make("special", text, [given(3 * list(special_numbers(name)))], SPECIAL_FUNCTIONS.get(name, function), kink=True)
    ends = [1 - 2.0**-15, 2.0**-15 - 1, 1 - 2.0**-12, 2.0**-6 - 1, 0.5, -0.5, 2.0**-20, 1.0, -1.0]
    yield make("ends f32", "nn.erfinv %0", [given(ends)], torch.erfinv)
    ends = [0.9999999, -0.99999999999, 0.999999999999999, 0.984375, 0.5, -0.5, 2.0**-20, 1.0, -1.0]
    yield make("ends f64", "nn.erfinv %0", [given(ends, "f64")], erfinv)
    tanh = lambda x: F.gelu(x, approximate="tanh")
    for shape in SHAPES:
        yield make(f"tanh {shape}", "nn.gelu %0 {tanh}", [number(shape, "gelu tanh")], tanh, differentiate=[0])
    yield make("named", "nn.tanh %0", [number((5, 3), dims=("batch", None))], torch.tanh, differentiate=[0])
    yield make("alpha negative", "nn.leaky_relu %0 {alpha = -0.5 : f64}", [number((7,))],
               lambda x: F.leaky_relu(x, -0.5), differentiate=[0])
    yield make("low only", "nn.clip %0 {low = 0.0 : f64, high = 0x7FF0000000000000 : f64}", [number((7,))],
               lambda x: x.clamp(min=0), differentiate=[0])


def kink_cases():
    """Derivatives where there are two: PyTorch's choice, or the one that the operation's text states."""
    zero = given([0.0, -1.0, 1.0])
    for name in ("abs", "relu", "sign", "leaky_relu", "elu"):
        attributes, function, _ = UNARY[name]
        yield make("kink", f"nn.{name} %0 {attributes}".strip(), [zero], function, kink=True)
    yield make("straight through", "nn.round %0 {straight_through}",
               [given([0.0, 0.5, -0.5, 1.5, 0.75, -0.75, 2.25, 100.5])],
               lambda x: torch.fake_quantize_per_tensor_affine(x, 1.0, 0, -128, 127), kink=True)
    attributes, function, _ = UNARY["clip"]
    yield make("kink", f"nn.clip %0 {attributes}", [given([-1.0, 1.5, 0.0, 2.0, -2.0])], function, kink=True)
    half = "nn.hard_sigmoid %0 {alpha = 0.16666666666666666 : f64, beta = 0.5 : f64}"
    yield make("kink", half, [given([-3.0, 3.0, 0.0, 4.0, -4.0])], F.hardsigmoid, kink=True)
    yield make("kink", "nn.hard_swish %0", [given([-3.0, 3.0, 0.0, 4.0, -4.0])], F.hardswish, kink=True)
    ties = [given([1.0, 2.0, 3.0, -1.0]), given([1.0, 1.0, 4.0, -1.0])]
    yield make("ties", "nn.max %0, %1", ties, torch.maximum, kink=True)
    yield make("ties", "nn.min %0, %1", ties, torch.minimum, kink=True)
    yield make("zero base", "nn.pow %0, %1", [given([0.0, 0.0, 0.0]), given([0.0, 1.0, 2.0])], torch.pow, kink=True)
    # Of a number below 0 there is no slope by the exponent; of 0 there is one, 0, unless the exponent is below 0.
    yield make("no slope", "nn.pow %0, %1", [given([-2.0, -2.0, 0.0, 2.0]), given([2.0, 3.0, -1.0, NAN])], torch.pow,
               kink=True)


def binary_cases():
    for name, (function, data) in BINARY.items():
        for left, right in BROADCASTS:
            a = number(left, (name, "a"), **(dict(low=0.25) if name == "pow" else {}))
            b = number(right, (name, "b"), offset=0.0, **data)
            yield make(f"{left} {right}", f"nn.{name} %0, %1", [a, b], function, differentiate=[0, 1])
        a, b = number((5, 3), "a", low=0.25, dims=("batch", None)), number((3,), "b", low=0.25, offset=0.0)
        yield make("named", f"nn.{name} %0, %1", [a, b], function, differentiate=[0, 1])
        values = given([NAN, 1.0, INF, -INF, 0.0, 2.0]), given([1.0, NAN, 2.0, INF, 0.0, -3.0])
        yield make("special", f"nn.{name} %0, %1", list(values), function, kink=True)
        integers = {"div": lambda a, b: torch.div(a, b, rounding_mode="trunc")}.get(name, function)
        high = 5 if name == "pow" else 40
        b = integer((5,), 1, high, "b")
        for dtype in ("i64", "i32"):
            a = Input(integer((3, 5), -9, 9, "a").tensor, dtype)
            yield make(dtype, f"nn.{name} %0, %1", [a, Input(b.tensor, dtype)], integers)
    negative = given([2.0, 3.0, -3.0, 0.5, -2.0, -0.5])
    squares = "nn.pow %0, %1"
    yield make("negative base", squares, [negative, given([2.0, 3.0, 3.0, -2.0, -1.0, -2.0])], torch.pow,
               differentiate=[0])


def quotient(a, b):
    """Towards zero, 0 where b is 0; the smallest number by -1 is itself."""
    result = torch.div(a, torch.where((b == 0) | (b == -1), 1, b), rounding_mode="trunc")
    return torch.where(b == 0, 0, torch.where(b == -1, -a, result))


def integer_cases():
    for dtype, kind in (("i64", torch.int64), ("i32", torch.int32)):
        a, b = [7, -7, 0, torch.iinfo(kind).min, torch.iinfo(kind).min, 5], [0, 0, 0, -1, 0, -1]
        yield make(f"{dtype} by 0 and -1", "nn.div %0, %1", [given(a, dtype), given(b, dtype)],
                   lambda a, b, kind=kind: quotient(a.to(kind), b.to(kind)))
    for name, function in (("neg", torch.neg), ("abs", torch.abs), ("sign", torch.sign), ("relu", torch.relu)):
        for dtype in ("i64", "i32"):
            yield make(dtype, f"nn.{name} %0", [integer((3, 5), -9, 9, name, dtype)], function)
    yield make("i64", "nn.clip %0 {low = -2.5 : f64, high = 3.0 : f64}", [integer((9,), -9, 9, "clip")],
               lambda x: x.clamp(-2, 3))


def logical_cases():
    operations = (("logical_and", torch.logical_and), ("logical_or", torch.logical_or),
                  ("logical_xor", torch.logical_xor))
    for name, function in operations:
        for left, right in (((3, 5), (5,)), ((), ()), ((1, 4), (3, 1)), ((0,), (1,)), ((2, 19), (2, 19))):
            yield make(f"{left} {right}", f"nn.{name} %0, %1", [truth(left, "a"), truth(right, "b")], function)
    for shape in ((), (7,), (0,), (3, 5)):
        yield make(f"{shape}", "nn.logical_not %0", [truth(shape)], torch.logical_not)
    predicates = dict(eq=torch.eq, ne=torch.ne, lt=torch.lt, le=torch.le, gt=torch.gt, ge=torch.ge)
    for name, function in predicates.items():
        a, b = given([1.0, 2.0, 3.0, NAN, NAN, INF]), given([1.0, 3.0, 2.0, 1.0, NAN, INF])
        yield make(f"{name} special", f"nn.compare {name} %0, %1", [a, b], function)
        for dtype in ("i64", "i32"):
            a, b = (integer(s, 0, 4, s, dtype) for s in ((3, 5), (5,)))
            yield make(f"{name} {dtype}", f"nn.compare {name} %0, %1", [a, b], function)
        a, b = given([[byte] for byte in BYTES], "ui8"), given(BYTES, "ui8")
        yield make(f"{name} ui8", f"nn.compare {name} %0, %1", [a, b], function)
    yield make("rank 0", "nn.compare gt %0, %1", [number((3, 5)), number((), "b")], torch.gt)
    yield make("eq i1", "nn.compare eq %0, %1", [truth((7,), "a"), truth((7,), "b")], torch.eq)


def select_cases():
    for p, a, b in (((3, 5), (3, 5), (3, 5)), ((3, 1), (3, 5), ()), ((5,), (), (3, 1)), ((), (), ()), ((1,), (4,), (4,)),
                    ((0, 2), (2,), (1, 2)), ((4, 1), (33,), (4, 33))):
        yield make(f"{p} {a} {b}", "nn.select %0, %1, %2", [truth(p), number(a, "a"), number(b, "b")], torch.where,
                   differentiate=[1, 2])
    yield make("i64", "nn.select %0, %1, %2", [truth((7,)), integer((7,), 0, 9, "a"), integer((), 0, 9, "b")],
               torch.where)
    yield make("ui8", "nn.select %0, %1, %2", [truth((5,)), given(BYTES, "ui8"), given(128, "ui8")], torch.where)
    spread = given([NAN, 1.0, INF])  # what is not chosen leaves no trace
    yield make("special", "nn.select %0, %1, %2", [given([False, True, False], "i1"), spread, number((3,))],
               torch.where, kink=True)


def fma_cases():
    for a, b in BROADCASTS:
        yield make(f"{a} {b}", "nn.fma %0, %1, %2", [number(a, "a"), number(b, "b"), number(a, "c")],
                   lambda a, b, c: a * b + c, differentiate=[0, 1, 2])


def cast_cases():
    x = given([0.0, 0.75, -0.75, 1.5, -1.5, 100.25, -7.0])
    to = {"i64": torch.int64, "i32": torch.int64, "i1": torch.bool, "f64": torch.float64, "f32": torch.float64}
    for target in ("i64", "i32", "i1"):
        yield make(f"f32 to {target}", f"nn.cast %0 to {target}", [x], lambda v: v.to(to[target]))
    for source, values in (("i64", integer((2, 3), -5, 5)), ("i32", integer((2, 3), -5, 5, dtype="i32")),
                           ("i1", truth((2, 3)))):
        for target in ("f32", "i64", "i32", "i1"):
            if target != source:
                yield make(f"{source} to {target}", f"nn.cast %0 to {target}", [values], lambda v: v.to(to[target]))
    for count in (5, 83):  # whole vectors and what is left of them
        values = given([BYTES[i % 5] for i in range(count)], "ui8")
        for target in ("f32", "f64", "i64", "i32", "i1"):
            yield make(f"ui8 to {target} {count}", f"nn.cast %0 to {target}", [values], lambda v: v.to(to[target]))
        for source, numbers in (("f32", [0.0, 0.99, 1.5, 127.75, 128.0, 255.99, 256.0, 300.5, -1.0, -0.5, 65535.0]),
                                ("i64", [0, 1, 127, 128, 255, 256, 300, -1, -256, 2**40 + 7]),
                                ("i32", [0, 1, 127, 128, 255, 256, 300, -1, -256])):
            values = given([numbers[i % len(numbers)] for i in range(count)], source)
            yield make(f"{source} to ui8 {count}", "nn.cast %0 to ui8", [values], lambda v: v.to(torch.uint8))
    yield make("i1 to ui8", "nn.cast %0 to ui8", [truth((2, 3))], lambda v: v.to(torch.uint8))
    yield make("f32 to f64", "nn.cast %0 to f64", [number((2, 3))], lambda v: v, differentiate=[0])
    yield make("f64 to f32", "nn.cast %0 to f32", [number((), dtype="f64")], lambda v: v, differentiate=[0])


def constant_cases():
    yield make("splat", "nn.constant dense<0.5> : tensor<2x3xf32>", [], lambda: torch.full((2, 3), 0.5).double())
    yield make("list", "nn.constant dense<[1, -2, 3]> : tensor<3xi64>", [], lambda: torch.tensor([1, -2, 3]))
    yield make("i1", "nn.constant dense<[true, false]> : tensor<2xi1>", [], lambda: torch.tensor([True, False]))
    yield make("i1 splat", "nn.constant dense<true> : tensor<2xi1>", [], lambda: torch.tensor([True, True]))
    yield make("ui8", "nn.constant dense<[0, 127, 128, 255]> : tensor<4xui8>", [], lambda: torch.tensor([0, 127, 128, 255]))
    yield make("ui8 splat", "nn.constant dense<200> : tensor<2xui8>", [], lambda: torch.tensor([200, 200]))
    yield make("rank 0", "nn.constant dense<-1.5> : tensor<f32>", [], lambda: torch.tensor(-1.5).double())
    yield make("empty", "nn.constant dense<> : tensor<0x2xf32>", [], lambda: torch.zeros(0, 2).double())


def cases():
    for group in (unary_cases, kink_cases, binary_cases, integer_cases, logical_cases, select_cases, fma_cases,
                  cast_cases, constant_cases):
        yield from group()
