#!/usr/bin/env python3
"""What `dlc train` does in these tutorials, done by PyTorch: the same initial weights, batches and optimizer.

usage: in_pytorch.py MODEL [--data FOLDER] [--epochs N] [--lr X] [--one-batch]

MODEL is digits, fashion, cnn, batchnorm or two_models, with the images of FOLDER, or points, with the points.csv and
more.csv that points.py wrote here. --one-batch trains with the first 64 images alone. Needs dlc's source tree and PyTorch.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import csv
import gzip
import importlib.util
from pathlib import Path

import torch
from torch import nn

HERE = Path(__file__).resolve().parent


def in_order(*layers):
    """Layers by name; they draw their weights in this order."""
    model = nn.Sequential()
    for name, layer in layers:
        model.add_module(name, layer)
    return model


def points():
    return nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())


def digits():
    return in_order(("fc1", nn.Linear(784, 128)), ("relu", nn.ReLU()), ("fc2", nn.Linear(128, 10)))


def fashion():
    return in_order(("fc1", nn.Linear(784, 256)), ("relu1", nn.ReLU()), ("fc2", nn.Linear(256, 128)), ("relu2", nn.ReLU()),
                    ("head", nn.Linear(128, 10)))


def perceptron(hidden):
    """Of two_models.h."""
    return nn.Sequential(nn.Linear(784, hidden), nn.ReLU(), nn.Linear(hidden, 10))


def cnn():
    return in_order(("conv1", nn.Conv2d(1, 16, 3, padding=1)), ("relu1", nn.ReLU()), ("pool1", nn.MaxPool2d(2)),
                    ("conv2", nn.Conv2d(16, 32, 3, padding=1)), ("relu2", nn.ReLU()), ("pool2", nn.MaxPool2d(2)),
                    ("flatten", nn.Flatten()), ("head", nn.Linear(32 * 7 * 7, 10)))


def batchnorm():
    return in_order(("fc1", nn.Linear(784, 256, bias=False)), ("bn1", nn.BatchNorm1d(256)), ("relu1", nn.ReLU()),
                    ("fc2", nn.Linear(256, 128, bias=False)), ("bn2", nn.BatchNorm1d(128)), ("relu2", nn.ReLU()),
                    ("head", nn.Linear(128, 10)))


MODELS = {build.__name__: build for build in (points, digits, fashion, cnn, batchnorm)}


def order_of(epoch, samples):
    """The order in which dlc's loader takes the samples of an epoch, for the seed 0 (runtime/data/Random.cpp)."""
    spec = importlib.util.spec_from_file_location("gpt", HERE.parent / "gpt/pytorch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    random, order = module.Random(0, epoch), [0] * samples
    for i in range(samples):
        other = random.below(i + 1)
        order[i], order[other] = order[other], i
    return torch.tensor(order)


def idx(path):
    """The bytes of an IDX file behind its header, compressed or not."""
    raw = gzip.decompress(Path(f"{path}.gz").read_bytes()) if not path.exists() else path.read_bytes()
    return torch.frombuffer(bytearray(raw[4 + 4 * raw[3]:]), dtype=torch.uint8)


def images(folder, part, shape):
    labels = idx(folder / f"{part}-labels-idx1-ubyte").long()
    return (idx(folder / f"{part}-images-idx3-ubyte").double() / 255).float().reshape(len(labels), *shape), labels


def table(path):
    rows = torch.tensor([[float(cell) for cell in row] for row in list(csv.reader(path.open()))[1:]])
    return rows[:, :2], rows[:, 2:]


def mean_loss(model, loss, x, y):
    """And the accuracy, as evaluation sees them."""
    model.eval()
    with torch.no_grad():
        scores = model(x)
        right = (scores > 0.5) == (y > 0.5) if y.dtype == torch.float32 else scores.argmax(1) == y
        return loss(scores, y).item(), right.double().mean().item()


def two_models(folder, epochs):
    """What two_models.cpp does."""
    (images_, labels), test = images(folder, "train", (784,)), images(folder, "t10k", (784,))
    nets = {"teacher": perceptron(256), "student": perceptron(16)}
    optimizers = {name: torch.optim.Adam(net.parameters(), lr=1e-3) for name, net in nets.items()}
    for epoch in range(epochs):
        sums, batches = dict.fromkeys(nets, 0.0), order_of(epoch, len(labels)).split(64)
        for batch in batches:
            for name, net in nets.items():
                optimizers[name].zero_grad()
                loss = (nn.functional.cross_entropy(net(images_[batch]), labels[batch]) if name == "teacher" else
                        nn.functional.mse_loss(net(images_[batch]), nets["teacher"](images_[batch]).detach()))
                loss.backward()
                optimizers[name].step()
                sums[name] += loss.item()
        text = (f"{name} loss {sums[name] / len(batches):.6g}, accuracy {mean_loss(net, nn.CrossEntropyLoss(), *test)[1]:.4g}"
                for name, net in nets.items())
        print(f"epoch {epoch + 1}: " + "; ".join(text), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=[*MODELS, "two_models"])
    parser.add_argument("--data", type=Path, default=HERE.parent / "data")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float)
    parser.add_argument("--one-batch", action="store_true")
    a = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if a.model == "two_models":
        return two_models(a.data, a.epochs)
    model = MODELS[a.model]()
    if a.model == "points":
        training, test, rows, loss = table(Path("points.csv")), table(Path("more.csv")), 800, nn.BCELoss()
    else:
        shape = (1, 28, 28) if a.model == "cnn" else (784,)
        training, test = images(a.data, "train", shape), images(a.data, "t10k", shape)
        rows, loss = 64, nn.CrossEntropyLoss()
    if a.one_batch:
        training = test = training[0][:64], training[1][:64]
    optimizer = torch.optim.Adam(model.parameters(), lr=a.lr or (1e-2 if a.model == "points" else 1e-3))
    for epoch in range(a.epochs):
        order, total = order_of(epoch, len(training[0])), 0.0
        batches = len(order) // rows  # as dlc, which leaves out an incomplete batch
        model.train()
        for batch in order[:batches * rows].reshape(batches, rows):
            optimizer.zero_grad()
            value = loss(model(training[0][batch]), training[1][batch])
            value.backward()
            optimizer.step()
            total += value.item()
        valid, accuracy = mean_loss(model, loss, *test)
        print(f"epoch {epoch + 1}: loss {total / batches:.4f}, valid loss {valid:.4f}, accuracy {accuracy:.4f}", flush=True)


if __name__ == "__main__":
    main()
