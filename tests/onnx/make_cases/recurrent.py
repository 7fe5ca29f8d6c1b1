# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RNN, GRU and LSTM: versions and attributes that no node test has, from the formulas of the specification."""
import numpy as np

from cases import floats, one


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def hard_sigmoid(alpha, beta):
    return lambda x: np.clip(alpha * x + beta, 0, 1)


def clipped(limit):
    return lambda f: lambda x: f(np.clip(x, -limit, limit))


def rnn(x, h, c, w, r, wb, rb, p, f):
    return f[0](x @ w.T + h @ r.T + wb + rb), None


def gru(linear_before):
    def step(x, h, c, w, r, wb, rb, p, f):
        wz, wr, wh = np.split(x @ w.T + wb, 3, -1)
        (rz, rr, rh), (bz, br, bh) = np.split(r, 3), np.split(rb, 3)
        z, reset = f[0](wz + h @ rz.T + bz), f[0](wr + h @ rr.T + br)
        new = f[1](wh + (reset * (h @ rh.T + bh) if linear_before else (reset * h) @ rh.T + bh))
        return (1 - z) * new + z * h, None

    return step


def lstm(coupled):
    def step(x, h, c, w, r, wb, rb, p, f):
        i, o, forget, new = np.split(x @ w.T + h @ r.T + wb + rb, 4, -1)
        pi, po, pf = np.split(p, 3)
        i = f[0](i + pi * c)
        forget = 1 - i if coupled else f[0](forget + pf * c)
        c = forget * c + i * f[1](new)
        return f[0](o + po * c) * f[2](c), c

    return step


def run(step, x, w, r, b, lengths, h, c, p, functions, reverse):
    """One direction; outputs [places, batch, hidden]."""
    outputs = np.zeros((x.shape[0], *h.shape))
    half = len(b) // 2
    for place in reversed(range(x.shape[0])) if reverse else range(x.shape[0]):
        new_h, new_c = step(x[place], h, c, w, r, b[:half], b[half:], p, functions)
        inside = (lengths > place)[:, None]
        outputs[place] = np.where(inside, new_h, 0)
        h = np.where(inside, new_h, h)
        c = np.where(inside, new_c, c) if new_c is not None else c
    return outputs, h, c


def case(name, opset, op, step, gates, functions, full=True, direction="forward", layout=0, **attributes):
    places, batch, features, hidden = 4, 2, 3, 2
    directions = 2 if direction == "bidirectional" else 1
    x = floats(places, batch, features, low=-1, high=1)
    w, r = (floats(directions, gates * hidden, n, low=-1, high=1) for n in (features, hidden))
    b, p = floats(directions, 2 * gates * hidden, low=-1, high=1), floats(directions, 3 * hidden, low=-1, high=1)
    h, c = floats(directions, batch, hidden, low=-1, high=1), floats(directions, batch, hidden, low=-1, high=1)
    lengths = np.array([3, 4], np.int32)
    if not full:
        b, p, h, c, lengths = b * 0, p * 0, h * 0, c * 0, lengths * 0 + places
    results = [run(step, x, w[d], r[d], b[d], lengths, h[d], c[d], p[d], functions,
                   direction == "reverse" or d == 1) for d in range(directions)]
    outputs = [np.stack([result[0] for result in results], 1), *(np.stack([result[i] for result in results], 0)
                                                                 for i in (1, 2))]
    inputs = [x, w, r, b, lengths, h, c, p][:8 if op == "LSTM" else 6] if full else [x, w, r]
    if layout:  # the batch first
        inputs = [np.swapaxes(value, 0, 1).copy() if i in (0, 5, 6) else value for i, value in enumerate(inputs)]
        outputs = [outputs[0].transpose(2, 0, 1, 3), *(np.swapaxes(y, 0, 1) for y in outputs[1:])]
        attributes["layout"] = layout
    outputs = [np.ascontiguousarray(y, np.float32) for y in outputs[:3 if op == "LSTM" else 2]]
    one(f"{op.lower()}_{name}", opset, op, inputs, outputs, hidden_size=hidden, direction=direction, **attributes)


CELLS = {"RNN": (rnn, 1, [np.tanh], (6, 7, 14)), "GRU": (gru(False), 3, [sigmoid, np.tanh], (6, 7, 14)),
         "LSTM": (lstm(False), 4, [sigmoid, np.tanh, np.tanh], (6, 7, 14))}


def make():
    special = [hard_sigmoid(0.25, 0.5), lambda x: 0.5 * np.tanh(2 * x), np.tanh]
    names = ["HardSigmoid", "ScaledTanh", "Tanh"]
    for op, (step, gates, functions, opsets) in CELLS.items():
        for opset in opsets:
            case(f"plain_{opset}", opset, op, step, gates, functions, full=False)
            count = len(functions)
            alpha, beta = ([0.25], [0.5]) if op == "RNN" else ([0.25, 0.5], [0.5, 2.0])
            extra = {"GRU": dict(linear_before_reset=1), "LSTM": dict(input_forget=1), "RNN": {}}[op]
            other = {"GRU": gru(True), "LSTM": lstm(True), "RNN": rnn}[op]
            if opset < 7:
                extra["output_sequence"] = 1
            case(f"all_{opset}", opset, op, other, gates, [clipped(0.75)(f) for f in special[:count]],
                 direction="reverse", layout=int(opset >= 14), clip=0.75, activations=names[:count],
                 activation_alpha=alpha, activation_beta=beta, **extra)
        case("bidirectional", 22, op, step, gates, functions, direction="bidirectional")
    for name, f in {"Relu": lambda x: np.maximum(x, 0), "Sigmoid": sigmoid, "Affine": lambda x: 0.5 * x + 0.25,
                    "LeakyRelu": lambda x: np.where(x > 0, x, 0.5 * x), "Softsign": lambda x: x / (1 + abs(x)),
                    "ThresholdedRelu": lambda x: np.where(x > 0.5, x, 0), "Softplus": lambda x: np.log1p(np.exp(x)),
                    "Elu": lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))}.items():
        numbers = dict(activation_alpha=[0.5], activation_beta=[0.25])
        case(name.lower(), 14, "RNN", rnn, 1, [f], activations=[name], **numbers)
