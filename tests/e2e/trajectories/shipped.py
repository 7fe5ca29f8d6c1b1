# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The images of docs/examples/data for nets that are trained by PyTorch. Only make_references.py needs this."""
import gzip
from pathlib import Path

import numpy as np
import torch

DATA = Path(__file__).resolve().parents[3] / "docs" / "examples" / "data"
STEPS = 100  # of a training, where nothing else is said


def shipped_images(steps, rows, shape, mean=0.2860, deviation=0.3530):
    """Training images and labels in file order."""
    images = gzip.decompress((DATA / "train-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = gzip.decompress((DATA / "train-labels-idx1-ubyte.gz").read_bytes())[8:]
    # Scaled in double, then rounded once: what the IDX reader gives for scale 1/255, mean, deviation.
    x = (np.frombuffer(images, np.uint8)[: steps * rows * 784] / 255.0 - mean) / deviation
    y = np.frombuffer(labels, np.uint8)[: steps * rows].astype(np.int64)
    return dict(
        inputs=torch.from_numpy(x.astype(np.float32).reshape(steps, rows, *shape)),
        targets=torch.from_numpy(y.reshape(steps, rows)),
        data=dict(images="train-images-idx3-ubyte.gz", labels="train-labels-idx1-ubyte.gz", scale=1 / 255,
                  mean=mean, deviation=deviation))
