# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the references of large nets need not store: models, images and gradients' sketches are made from numbers that
the test makes, too (generated.h).

`python3 generated.py MODEL FILE` writes a model: needs Python's standard library only.
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "docs" / "examples" / "models"))
import write_bert  # noqa: E402
import write_model  # noqa: E402
import write_transformer  # noqa: E402

# Of each test, what makes its model.
MODELS = {"lenet": lambda: write_model.lenet(seed=1),
          "resnet18_narrow": lambda: write_model.resnet18(seed=1, width=16),
          "resnet18": lambda: write_model.resnet18(seed=1),
          "block": lambda: write_transformer.block(1, width=512, heads=8, hidden=2048, window=128),
          "gpt_narrow": lambda: write_transformer.gpt(1, vocabulary=65, layers=2, width=48, heads=3, window=32),
          "gpt": lambda: write_transformer.gpt(1, vocabulary=65, layers=6, width=384, heads=6, window=256),
          **{kind: lambda kind=kind: write_bert.bert(kind, 1, vocabulary=200, layers=2, width=64, heads=2, window=32,
                                                     classes=2) for kind in ("words", "classes")}}
SIGNS = 64  # products of a sketch


def mixed(numbers):
    """splitmix64's finalizer of an array of uint64."""
    import numpy as np

    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def fractions(first, count):
    """Multiples of 2^-20 in [-1, 1) for the numbers from `first` on."""
    import numpy as np

    return (mixed(np.arange(first, first + count, dtype=np.uint64)) >> np.uint64(43)).astype(np.float64) / 2**20 - 1


def images(batches, rows, shape, classes):
    """Images of noise on a pattern of their class, and their labels."""
    import numpy as np

    size = int(np.prod(shape))
    labels = (mixed(np.arange(batches * rows, dtype=np.uint64) + np.uint64(1 << 40)) % np.uint64(classes)).astype(np.int64)
    noise = fractions(0, batches * rows * size).reshape(-1, size)
    patterns = fractions(1 << 50, classes * size).reshape(classes, size)
    pixels = (noise + patterns[labels]).astype(np.float32)  # exact
    return pixels.reshape(batches, rows, *shape), labels.reshape(batches, rows)


def numbers(batches, rows, shape):
    """Inputs and targets of noise."""
    import numpy as np

    count = batches * rows * int(np.prod(shape))
    return [fractions(first, count).astype(np.float32).reshape(batches, rows, *shape) for first in (0, 1 << 50)]


def tokens(batches, rows, window, vocabulary):
    """Random tokens; the target is the sum of a token and the one before it, so that attention has to learn."""
    import numpy as np

    x = (mixed(np.arange(batches * rows * window, dtype=np.uint64)) % np.uint64(vocabulary)).astype(np.int64)
    x = x.reshape(batches, rows, window)
    before = np.concatenate([np.zeros_like(x[..., :1]), x[..., :-1]], -1)
    return x, (x + before) % vocabulary


def sketch(gradient):
    """The products with 64 vectors of 1 and -1. The mean square of the products of a difference estimates the square
    of its norm: the standard error of the norm is 9 %."""
    import numpy as np

    values = gradient.reshape(-1)
    bits = mixed(np.arange(values.size, dtype=np.uint64))
    return np.array([np.where(bits >> np.uint64(j) & np.uint64(1), values, -values).sum() for j in range(SIGNS)])


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(MODELS[sys.argv[1]]())
