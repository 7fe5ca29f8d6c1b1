# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmark trains: models, batches, options. Only the standard library is needed."""
import array
import random
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCHES = 16  # different batches, taken in turn


@dataclass(frozen=True)
class Workload:
    name: str        # as on the command line and in the JSON rows
    model: str       # the model's C prefix, and its key in peer.py
    onnx: Path
    batch: int
    widths: tuple    # of the layers, the input's first
    options: tuple   # of `dlc compile`
    labels: bool     # targets are i64 class labels; else floats, one a row

    def flops(self):
        """Of a step, a multiply-add as two: forward, backward, no gradient of the input."""
        products = [2 * self.batch * a * b for a, b in zip(self.widths, self.widths[1:])]
        return 3 * sum(products) - products[0]

    def row_bytes(self):
        """Of an input row and of a target row."""
        return 4 * self.widths[0], 8 if self.labels else 4

    def write_batches(self, path):
        """BATCHES times the inputs of a batch, then its targets; the same file serves every side."""
        numbers = random.Random(1)
        with open(path, "wb") as file:
            for _ in range(BATCHES):
                if self.labels:  # random images, random labels
                    x = array.array("f", (numbers.random() for _ in range(self.batch * self.widths[0])))
                    y = array.array("q", (numbers.randrange(self.widths[-1]) for _ in range(self.batch)))
                else:            # is a point inside the unit circle?
                    x = array.array("f", (numbers.gauss(0, 1) for _ in range(self.batch * self.widths[0])))
                    y = array.array("f", (a * a + b * b < 1 for a, b in zip(x[::2], x[1::2])))
                x.tofile(file)
                y.tofile(file)


def _mlp(batch):
    # The example's model: dropout 0.2 after both hidden layers.
    return Workload(f"mlp-b{batch}", "mlp", ROOT / "docs/examples/mlp/mlp.onnx", batch, (784, 256, 128, 10),
                    ("--loss=softmax-cross-entropy", "--optimizer=adam", "--lr=1e-3"), labels=True)


WORKLOADS = {w.name: w for w in (
    Workload("circle", "circle", ROOT / "tools/bench/models/circle.onnx", 500, (2, 16, 8, 1),
             ("--loss=bce", "--optimizer=adam", "--lr=1e-3"), labels=False),
    _mlp(64),
    _mlp(256),
)}
