#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the package dlc have in common.

The environment says where things are: PYTHONPATH has frontends/python, DLC_LIBRARY is libdlc.so, DLC_SOURCES the project's
folder, DLC the program dlc.
"""
import importlib.util
import os
import sys
import unittest
from pathlib import Path

if importlib.util.find_spec("numpy") is None:
    print("skipped: needs NumPy (Debian's python3-numpy)")
    sys.exit(0)

import numpy as np  # noqa: E402

import dlc  # noqa: E402, F401

SOURCES = Path(os.environ["DLC_SOURCES"])
PROGRAM = os.environ.get("DLC", "dlc")
TWO_LAYERS = SOURCES / "docs" / "architecture" / "two_layers.onnx"
MLP = SOURCES / "docs" / "examples" / "mlp" / "mlp.onnx"


def batch(rows=8, seed=0, features=16, classes=10):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(rows, features)).astype(np.float32), generator.integers(0, classes, rows)


def sgd(**options):
    """two_layers.onnx, trained in batches of up to eight rows."""
    return dlc.from_onnx(TWO_LAYERS, **{"loss": "cross_entropy", "optimizer": dlc.SGD(lr=0.5), "batch": (1, 8), **options})


class Perceptron:
    """two_layers.onnx in double precision, by hand: 16-32-10 with a ReLU, the mean softmax cross entropy and SGD."""

    def __init__(self, values):
        self.values = {name: array.astype(np.float64) for name, array in values.items()}

    def scores(self, x):
        v = self.values
        hidden = np.maximum(x @ v["fc1.weight"].T + v["fc1.bias"], 0)
        return hidden, hidden @ v["fc2.weight"].T + v["fc2.bias"]

    def loss_and_gradients(self, x, y):
        v, x = self.values, x.astype(np.float64)
        hidden, scores = self.scores(x)
        shifted = scores - scores.max(1, keepdims=True)
        probabilities = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
        loss = -np.log(probabilities[np.arange(len(y)), y]).mean()
        back = probabilities.copy()
        back[np.arange(len(y)), y] -= 1
        back /= len(y)
        to_hidden = (back @ v["fc2.weight"]) * (hidden > 0)
        return loss, {"fc2.weight": back.T @ hidden, "fc2.bias": back.sum(0), "fc1.weight": to_hidden.T @ x,
                      "fc1.bias": to_hidden.sum(0)}

    def step(self, x, y, rate):
        loss, gradients = self.loss_and_gradients(x, y)
        for name, gradient in gradients.items():
            self.values[name] -= rate * gradient
        return loss


class Case(unittest.TestCase):
    def refused(self, kind, text, work):
        """`work` raises the exception, whose sentence has the text."""
        with self.assertRaises(kind) as caught:
            work()
        self.assertIn(text, str(caught.exception))
        return caught.exception

    def near(self, found, expected, relative=1e-5):
        found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        self.assertEqual(found.shape, expected.shape)
        largest = np.abs(expected).max() if expected.size else 0
        self.assertLessEqual(np.abs(found - expected).max(), relative * largest)
