# What torchvision.datasets has for the MNIST family, where it is not installed: images and labels of a folder.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import gzip

import torch


def read(path, header):
    return torch.frombuffer(bytearray(gzip.open(path).read()[header:]), dtype=torch.uint8)


def load(folder, part):
    """The "train" or the "t10k" images, float32 [N, 1, 28, 28] from 0 to 1, and their labels."""
    labels = read(f"{folder}/{part}-labels-idx1-ubyte.gz", 8).long()
    return read(f"{folder}/{part}-images-idx3-ubyte.gz", 16).float().div(255).reshape(len(labels), 1, 28, 28), labels
