"""binary-metrics.py make: tables of points with three decisions p, q, r, of which many scores are equal. check CASE: what
the log's last line says of the trained weights, by the definitions: every pair of rows is compared. Part of dlc, under the
Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import csv
import json
import random
import struct
import sys


def make(path, rows, seed, last=None):
    random.seed(seed)
    with open(path, "w") as file:
        print("a,b,c,d,p,q,r", file=file)
        for row in range(rows):
            point = [random.choice((-1, 0, 1)) for _ in range(4)]
            noise = lambda: random.random() < 0.2
            labels = [int((sum(point) > 0) != noise()), int((point[0] < point[1]) != noise()), int(random.random() < 0.2)]
            if last is not None and row == 2:
                labels[0] = last
            print(*point, *labels, sep=",", file=file)


def tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    result = {}
    for name, tensor in header.items():
        if name != "__metadata__":
            begin, end = tensor["data_offsets"]
            result[name] = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    return result


def metrics(scores, labels):
    """AUC, precision, recall, F1, of one decision; scores above 0 decide for 1."""
    ones = [score for score, label in zip(scores, labels) if label]
    zeros = [score for score, label in zip(scores, labels) if not label]
    wins = sum((one > zero) + (one == zero) / 2 for one in ones for zero in zeros)
    right = sum(score > 0 for score in ones)
    positive = sum(score > 0 for score in scores)
    ratio = lambda part, whole: part / whole if whole else 0
    return [wins / len(ones) / len(zeros), ratio(right, positive), right / len(ones), ratio(2 * right, positive + len(ones))]


def check(folder, log, decisions):
    weights = tensors(f"{folder}/weights.safetensors")
    bias = weights.get("bias", (0,) * decisions)
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(open("few.csv"))]
    expected = [0] * 4
    for k in range(decisions):
        weight = weights["weight"][4 * k:4 * k + 4]
        scores = [sum(w * row[name] for w, name in zip(weight, "abcd")) + bias[k] for row in rows]
        expected = [sum(pair) for pair in zip(expected, metrics(scores, [row["pqr"[k]] for row in rows]))]
    last = list(csv.DictReader(open(log)))[-1]
    found = [float(last[f"valid_{name}"]) for name in ("auc", "precision", "recall", "f1")]
    expected = [value / decisions for value in expected]
    assert all(abs(a - b) < 1e-9 for a, b in zip(found, expected)), (found, expected)
    assert len(set(scores)) < len(scores) / 2, "there are to be equal scores"


if sys.argv[1] == "make":
    make("many.csv", 160, 1)
    make("few.csv", 200, 2)
    make("soft.csv", 16, 3, last=0.25)
elif sys.argv[2] == "0":
    check("out", "log.csv", 3)
else:
    check("one", "one.csv", 1)
