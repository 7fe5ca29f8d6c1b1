#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project of docs/examples/python-project, without PyTorch: its net as a file, groups, clipping, averages, warm-up and cosine; the
losses and norms of all steps are PyTorch's in double precision."""
import gzip
import json
import unittest

from common import SOURCES, Case, dlc, np

PROJECT, DATA = SOURCES / "docs" / "examples" / "python-project", SOURCES / "docs" / "examples" / "data"
STORED = json.loads((PROJECT / "losses.json").read_text(encoding="utf-8"))


def read(part, kind, offset):
    with gzip.open(DATA / f"{part}-{kind}-ubyte.gz") as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


def data(part):
    pixels = read(part, "images-idx3", 16).reshape(-1, 1, 28, 28).astype(np.float32)
    return (pixels / np.float32(255) - np.float32(0.2860)) / np.float32(0.3530), read(part, "labels-idx1", 8).astype(np.int64)


class Project(Case):
    def test_losses_norms_and_averages(self):
        rows, rate = STORED["batch"], STORED["rate"]
        step = dlc.from_onnx(PROJECT / "project.onnx", loss="cross_entropy", label_smoothing=0.1, batch=rows, clip_grad_norm=1.0,
                             ema_decay=0.9, optimizer=dlc.AdamW(lr=rate, groups=[{"params": STORED["decayed"], "weight_decay": 0.1}],
                                                                weight_decay=0.0))
        step.follow(dlc.schedules.cosine(rate, steps=STORED["steps"], warm_up=STORED["warm_up"]))
        x, y = data("train")
        order = np.random.default_rng(0).permutation(len(x))[:STORED["steps"] * rows].reshape(-1, rows)
        losses, norms = [], []
        for images, labels in dlc.data.prefetch((x[each], y[each]) for each in order):
            losses.append(step(images, labels))
            norms.append(step.grad_norm())
        self.assertEqual(len(losses), 50)
        self.assertLess(np.abs(np.array(losses) - STORED["float64"]).max(), 1e-5)
        self.assertLess(losses[-1], losses[0] - 0.8, "it has learned something")
        self.near(norms, STORED["norms"], 1e-4)
        x, y = data("t10k")
        with step.averages():
            averaged = step.evaluate(x[:100], y[:100]).loss
        self.assertLess(abs(averaged - STORED["loss_of_averages"]), 1e-5)
        self.assertGreater(abs(step.evaluate(x[:100], y[:100]).loss - averaged), 1e-3, "averages are something else")


if __name__ == "__main__":
    unittest.main()
