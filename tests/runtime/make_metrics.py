#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes metrics.inc: what scikit-learn's metrics say of random scores and labels. Needs scikit-learn.

Each line is CLASSES(classes, scores, labels, top-2 accuracy, accuracy, macro precision, recall and F1, the confusion
matrix), AUC(scores, labels, area) or VALUES(predictions, targets, mean absolute error, R2).
"""
import warnings
from pathlib import Path

import numpy as np
from sklearn import metrics

warnings.simplefilter("ignore")


def numbers(values):
    number = lambda v: repr(float(v)) if isinstance(v, (float, np.floating)) else str(int(v))
    return "({" + ", ".join(map(number, values)) + "})"


def class_cases(random):
    for classes, rows in ((2, 9), (3, 40), (5, 12), (10, 200)):
        # Multiples of 1/16 are exact in float32, and some of them are equal.
        scores = random.integers(-40, 40, (rows, classes)) / 16
        scores += random.random((rows, classes)).astype(np.float32) * (classes == 10)
        scores = scores.astype(np.float32).astype(np.float64)
        labels = random.integers(0, max(2, classes - 1), rows)  # the last class may never be
        predicted = scores.argmax(1)
        # scikit-learn's top_k_accuracy_score puts equal scores in an order of its own; the first counts here.
        order = np.argsort(-scores, 1, kind="stable")
        top = np.mean([labels[i] in order[i, :2] for i in range(rows)])
        matrix = metrics.confusion_matrix(labels, predicted, labels=range(classes))
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(labels, predicted, average="macro")
        means = ", ".join(repr(float(v)) for v in (top, metrics.accuracy_score(labels, predicted), precision, recall, f1))
        yield (f"CLASSES({classes}, {numbers(scores.flatten())}, {numbers(labels)}, {means}, "
               f"{numbers(matrix.flatten())})")


def other_cases(random):
    for rows in (2, 7, 50):
        scores, labels = random.integers(-8, 8, rows) / 8, random.integers(0, 2, rows)
        labels[0], labels[1] = 0, 1
        yield f"AUC({numbers(scores)}, {numbers(labels)}, {float(metrics.roc_auc_score(labels, scores))!r})"
    for count in (2, 31):
        a, b = (random.integers(-100, 100, count) / 32 for _ in range(2))
        yield (f"VALUES({numbers(a)}, {numbers(b)}, {float(metrics.mean_absolute_error(b, a))!r}, "
               f"{float(metrics.r2_score(b, a))!r})")


if __name__ == "__main__":
    random = np.random.default_rng(3)
    lines = ["// Made by make_metrics.py with scikit-learn: do not edit.", *class_cases(random), *other_cases(random)]
    (Path(__file__).resolve().parent / "metrics.inc").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} cases")
