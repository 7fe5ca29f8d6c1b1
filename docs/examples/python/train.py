#!/usr/bin/env python3
"""Trains the perceptron of ../mlp on Fashion-MNIST through its shared library, with Python's standard library only.

usage: train.py libmlp.so [EPOCHS]

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import pathlib
import random
import sys
from ctypes import byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p

BATCH, ROW_BYTES, LABEL_BYTES = 64, 784 * 4, 8  # as mlp.h says: float image[64][784], int64_t labels[64]


class Array(ctypes.Structure):  # dlc_array of dlc/runtime.h
    _fields_ = [("dtype", c_int32), ("rank", c_int32), ("shape", c_int64 * 8), ("bytes", c_size_t), ("data", c_void_p)]


class Metrics(ctypes.Structure):  # dlc_metrics
    _fields_ = [("loss_sum", c_double), ("loss_weight", c_double), ("correct", c_int64), ("count", c_int64)]


mlp = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).resolve()))
mlp.dlc_status_string.restype = mlp.mlp_last_error.restype = c_char_p  # ctypes takes other results for int
model = c_void_p()


def check(status, message=None):  # every function returns a status, which is 0 if it succeeded
    if status:
        sys.exit((message or mlp.mlp_last_error(model) or mlp.dlc_status_string(status)).decode())


def read(name, *scaling):  # scaling: value * scale - mean, divided by the deviation
    path = pathlib.Path(__file__).resolve().parent.parent / "data" / name
    array, error = Array(), ctypes.create_string_buffer(500)
    scale = byref((c_double * 3)(*scaling)) if scaling else None
    status = mlp.dlc_read_idx(str(path).encode(), scale, byref(array), error, c_size_t(500))
    check(status, error.value)
    return array


def batches(images, labels):  # for each batch: how many rows it has, and where its images and labels are
    for row in range(0, images.shape[0], BATCH):
        rows = min(BATCH, images.shape[0] - row)
        yield rows, c_void_p(images.data + row * ROW_BYTES), c_void_p(labels.data + row * LABEL_BYTES)


images, labels = read("train-images-idx3-ubyte.gz", 1 / 255, 0.2860, 0.3530), read("train-labels-idx1-ubyte.gz")
test = read("t10k-images-idx3-ubyte.gz", 1 / 255, 0.2860, 0.3530), read("t10k-labels-idx1-ubyte.gz")
check(mlp.mlp_create(None, byref(model)))  # None: the default options
training, loss, metrics, total = list(batches(images, labels)), c_float(), Metrics(), Metrics()
random.seed(1)
for epoch in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5):
    random.shuffle(training)
    losses = []
    for rows, image, label in training:
        if rows == BATCH:  # a training step takes whole batches
            check(mlp.mlp_train_step(model, image, label, byref(loss)))
            losses.append(loss.value)
    print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
for rows, image, label in batches(*test):
    check(mlp.mlp_eval_step(model, c_int64(rows), image, label, byref(metrics)))
    total.correct, total.count = total.correct + metrics.correct, total.count + metrics.count
print(f"test accuracy {total.correct / total.count:.4f}")
mlp.mlp_destroy(model)
