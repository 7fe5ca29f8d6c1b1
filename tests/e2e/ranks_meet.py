#!/usr/bin/env python3
"""Trains models whose samples meet before the loss in several processes, beside one process with the same batches.

usage: ranks_meet.py {normalized,nets,losses,recurrent,accumulated} DLC MODELS_FOLDER

normalized: batch normalization of 64 rows on 2 ranks, and of 37 and 3 rows, some ranks having none, on 4.
nets: LeNet with batch normalization and dropout, and a narrow ResNet-18.
losses: those of several terms, of means over the batch, of products of samples, and of probabilities as labels.
recurrent: a net whose samples all begin with the same state.
accumulated: updates with the gradients of several batches, of which some ranks have no rows.

Only Python's standard library is needed. Says "skipped: " where there is no mpirun or no libdlc-mpi.so.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import math
import pathlib
import random
import re

import ranks
from ranks import CLASSES, FEATURES, H, HIDDEN, SGD, perceptron, train, write_data, write_npy

here = pathlib.Path()

# ---- models ----


def with_states(path, states, **options):
    program = perceptron(path, **options)
    program.write_text(program.read_text().replace("train.state rng", f"{states}\n  train.state rng", 1))
    return program


V = f"tensor<{HIDDEN}xf32>"
NORMALIZED = f"""%t = nn.tanh %z : {H}
    %g = train.read @g : {V}
    %s = train.read @s : {V}
    %h = train.batch_norm %t, %g, %s running @mean, @variance momentum 0.9 epsilon 1.0e-2 : {H}, {V}, {V}"""
STATISTICS = f"""train.state parameter @g : {V} = dense<1.0>
  train.state parameter @s : {V} = dense<0.0>
  train.state buffer @mean : {V} = dense<0.0>
  train.state buffer @variance : {V} = dense<1.0>"""


def lenet_with_norms():
    """LeNet with normalized convolutions, and dropout in front of its last layer."""
    from write_model import Network
    net = Network("lenet", 1)
    x = net.relu(net.batch_norm(net.conv("image", "conv1", 1, 8, 3), "bn1", 8), "relu1")
    x = net.relu(net.batch_norm(net.conv(x, "conv2", 8, 16, 3), "bn2", 16), "relu2")
    x = net.node("MaxPool", "pool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", "flatten", [x], axis=1)
    x = net.relu(net.linear(x, "fc1", 2304, 32), "relu3")
    ratio = net.initializer("ratio", [], array.array("f", [0.25]))
    training = net.initializer("training", [], array.array("b", [1]), 9)
    x = net.node("Dropout", "dropout", [x, ratio, training])
    net.linear(x, "fc2", 32, 10, "scores")
    return net.model(["batch", 1, 28, 28], ["batch", 10])


def perceptron_with_loss(kind):
    """Two layers, and a loss of its own: means of squares and what else there is."""
    from write_model import Network
    net = Network("own", 1)
    hidden = net.relu(net.linear("x", "fc1", FEATURES, HIDDEN), "relu")
    difference = net.node("Sub", "difference", [net.linear(hidden, "fc2", HIDDEN, CLASSES), "t"])
    squares = net.node("Mul", "squares", [difference, difference])

    def mean(x, name, axes, result=None):
        return net.node("ReduceMean", name, [x], [result] if result else None, axes=axes, keepdims=0)

    def of_squares(x, name):
        return net.node("Mul", name, [x, x])

    if kind == "terms":  # a penalty of mean activations, and one of a weight
        active = mean(of_squares(mean(hidden, "active", [0]), "active2"), "activity", [0])
        weight = mean(of_squares("fc1.weight", "weight2"), "penalty", [0, 1])
        net.node("Add", "sum", [net.node("Add", "two", [mean(squares, "error", [0, 1]), active]), weight], ["loss"])
    elif kind == "products":  # of all samples with each other, by feature
        product = net.node("MatMul", "product", [net.node("Transpose", "turned", [hidden], perm=[1, 0]), hidden])
        scale = net.initializer("scale", [], array.array("f", [1e-3]))
        net.node("Add", "sum", [mean(squares, "error", [0, 1]),
                                net.node("Mul", "small", [mean(of_squares(product, "product2"), "of", [0, 1]), scale])],
                 ["loss"])
    elif kind == "counted":  # divided by what the graph says is the number of samples
        first = net.initializer("first", [], array.array("q", [0]), 7)
        count = net.node("Cast", "count", [net.node("Gather", "size", [net.node("Shape", "shape", ["x"]), first], axis=0)],
                         to=1)
        net.node("Div", "divided", [net.node("ReduceSum", "all", [squares], keepdims=0), count], ["loss"])
    else:
        net.node("Sqrt", "root", [mean(squares, "error", [0, 1])], ["loss"])
    return net.file({"x": ["batch", FEATURES], "t": ["batch", CLASSES]}, {"loss": []}, 13)


def recurrent_net():
    """An LSTM, without a state to begin with, and a linear layer."""
    from write_model import Network
    net = Network("recurrent", 1)
    turned = net.node("Transpose", "turned", ["x"], perm=[1, 0, 2])
    inputs = [turned, net.uniform("w", [1, 24, 5], 5), net.uniform("r", [1, 24, 6], 6), net.uniform("b", [1, 48], 6)]
    net.node("LSTM", "lstm", inputs, ["all", "last"], hidden_size=6)
    x = net.node("Flatten", "flatten", [net.node("Transpose", "back", ["last"], perm=[1, 0, 2])], axis=1)
    net.linear(x, "fc", 6, CLASSES, "scores")
    return net.file({"x": ["batch", 4, 5]}, {"scores": ["batch", CLASSES]}, 17)


# ---- what is tested ----


def distance(what, found, expected, tolerance):
    """All that is trained, as one vector; and each running statistic by itself."""
    away = size = 0.0
    for name, (dtype, content) in expected.items():
        if dtype != "F32" or "momentum" in name:
            continue
        ours, theirs = array.array("f", found[name][1]), array.array("f", content)
        of_this, of_all = math.dist(ours, theirs), math.hypot(*theirs)
        away, size = math.hypot(away, of_this), math.hypot(size, of_all)
        if "running" in name and not of_this <= 20 * tolerance * of_all:  # means are near 0
            ranks.fail(f"{what}: '{name}' is {of_this / of_all:.2e} away")
    if not away <= tolerance * size:
        ranks.fail(f"{what}: what is trained is {away / size:.2e} away, expected {tolerance:.0e}")
    print(f"{what}: {away / size:.1e}")


def normalized():
    for rows, several, steps in ((64, 2, 50), (37, 4, 50), (3, 4, 12)):
        data = write_data(here / f"data{rows}", samples=3 * rows + 2, ignored=0.4 if rows > 3 else 0)
        program = with_states(here / f"rows{rows}.mlir", STATISTICS, rows=rows, is_open=True, layer=NORMALIZED)
        settings = [*SGD, *data, f"--steps={steps}", "--seed=4", "--valid=0.2"]
        expected, told = train(1, program, here / "one", *settings)
        found, also = train(several, program, here / "ranks", *settings)
        ranks.close(f"{rows} rows", found, expected)
        if told.count("accuracy") != also.count("accuracy"):
            ranks.fail(f"{rows} rows: other lines are printed:\n{also}")


def nets():
    from write_model import resnet18
    draw = random.Random(3)
    for name, content, shape, steps, settings, tolerance in (
            ("lenet", lenet_with_norms(), (1, 28, 28), 50, ["--batch=1..22", "--lr=1e-3"], 1e-5),
            ("resnet18", resnet18(1, width=8), (3, 32, 32), 50, ["--batch=16", "--lr=1e-4"], 1e-4)):
        model = here / f"{name}.onnx"
        model.write_bytes(content)
        write_npy(here / "images.npy", "f", [draw.gauss(0, 1) for _ in range(64 * math.prod(shape))], (64, *shape))
        write_npy(here / "labels.npy", "q", [draw.randrange(10) for _ in range(64)], (64,))
        settings = [*settings, "--data=image=images.npy", "--data=labels=labels.npy", "--loss=softmax-cross-entropy",
                    "--optimizer=sgd", f"--steps={steps}"]
        expected, _ = train(1, model, here / "one", *settings)
        for several in (2, 4):
            found, _ = train(several, model, here / "ranks", *settings)
            # Roundings grow in a net of normalized layers, and where a ReLU is at its kink: on another kind of CPU as
            # much as here.
            distance(f"{name} on {several} ranks", found, expected, tolerance)


def beside_one(what, content, *settings):
    model = here / f"{what}.onnx"
    model.write_bytes(content)
    for rows, several in (("1..48", 2), ("1..37", 4), ("1..3", 4)):
        options = [*SGD, *settings, f"--batch={rows}", "--steps=50", "--seed=4"]
        expected, told = train(1, model, here / "one", *options)
        found, also = train(several, model, here / "ranks", *options)
        ranks.close(f"{what}, {rows} rows", found, expected)
        losses = [re.findall(r"loss ([0-9.]+)", text) for text in (told, also)]
        if len(losses[0]) != len(losses[1]) or any(abs(float(a) - float(b)) > 2e-4 for a, b in zip(*losses)):
            ranks.fail(f"{what}, {rows} rows: losses {losses[1]}, expected {losses[0]}")


def write_own_targets(samples=150):
    draw = random.Random(9)
    write_npy(here / "x.npy", "f", [draw.uniform(-1, 1) for _ in range(samples * FEATURES)], (samples, FEATURES))
    write_npy(here / "t.npy", "f", [draw.uniform(-1, 1) for _ in range(samples * CLASSES)], (samples, CLASSES))


def losses(samples=150):
    write_own_targets(samples)
    draw = random.Random(7)
    for kind in ("terms", "products", "counted", "root"):
        beside_one(kind, perceptron_with_loss(kind), "--data=x=x.npy", "--data=t=t.npy", "--loss=output")
    rows = [[draw.random() for _ in range(CLASSES)] for _ in range(samples)]
    write_npy(here / "p.npy", "f", [value / sum(row) for row in rows for value in row], (samples, CLASSES))
    from write_model import Network
    net = Network("soft", 1)
    net.linear(net.relu(net.linear("x", "fc1", FEATURES, HIDDEN), "relu"), "fc2", HIDDEN, CLASSES, "scores")
    beside_one("probabilities", net.file({"x": ["batch", FEATURES]}, {"scores": ["batch", CLASSES]}, 17), "--data=x=x.npy",
               "--data=labels=p.npy", "--loss=softmax-cross-entropy", "--label-type=f32")


def accumulated():
    normalized_layer = {"layer": NORMALIZED}
    for name, rows, several, options, settings in (
            ("mean", 16, 2, normalized_layer, ["--batches-per-step=3"]), ("uneven", 13, 4, {"layer": ranks.DROPOUT}, ["--batches-per-step=2"]),
            ("none", 4, 4, {}, ["--batches-per-step=2"]),
            ("sum", 16, 2, {"reduction": "sum"}, ["--batches-per-step=2", "--accumulate=sum"])):
        # With 7 samples the second batch has 3: the rank without one of these has gradients of the first.
        data = write_data(here / name, samples=7 if name == "none" else 7 * rows + 2, ignored=0.5 if rows > 4 else 0.1)
        program = with_states(here / f"{name}.mlir", STATISTICS if options == normalized_layer else "", rows=rows, is_open=True,
                              **options)
        rate = ["--lr=0.01" if name == "sum" and option.startswith("--lr") else option for option in SGD]
        settings = [*rate, *data, *settings, "--steps=20", "--seed=4",
                    *(["--valid=0.1"] if name != "none" else [])]
        expected, told = train(1, program, here / "one", *settings)
        found, also = train(several, program, here / "ranks", *settings)
        ranks.close(name, found, expected)
        if re.findall(r"loss [0-9.]{5}", told) != re.findall(r"loss [0-9.]{5}", also):
            ranks.fail(f"{name}: other losses are printed:\n{also}expected:\n{told}")
    write_own_targets()
    beside_one("terms", perceptron_with_loss("terms"), "--data=x=x.npy", "--data=t=t.npy", "--loss=output",
               "--batches-per-step=2", "--accumulate=sum")
    beside_one("counted", perceptron_with_loss("counted"), "--data=x=x.npy", "--data=t=t.npy", "--loss=output",
               "--batches-per-step=2")


def recurrent():
    draw = random.Random(8)
    write_npy(here / "x.npy", "f", [draw.uniform(-1, 1) for _ in range(150 * 20)], (150, 4, 5))
    write_npy(here / "labels.npy", "q", [draw.randrange(CLASSES) for _ in range(150)], (150,))
    beside_one("recurrent", recurrent_net(), "--data=x=x.npy", "--data=labels=labels.npy", "--loss=softmax-cross-entropy")


if __name__ == "__main__":
    ranks.main({"normalized": normalized, "nets": nets, "losses": losses, "recurrent": recurrent,
                "accumulated": accumulated})
