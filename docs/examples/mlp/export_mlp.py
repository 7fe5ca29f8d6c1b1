#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the example's multilayer perceptron from PyTorch to mlp.onnx (beside this file).

The model is exported in training mode, so that the Dropout nodes stay in the graph; a model exported
for inference, without them, trains as well, only without dropout. The initial parameters are PyTorch's
defaults for seed 0. Building the example does not need this script: mlp.onnx is stored.
"""
import warnings
from pathlib import Path

import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)
        self.dropout1 = nn.Dropout(0.2)
        self.dropout2 = nn.Dropout(0.2)

    def forward(self, image):
        x = self.dropout1(torch.relu(self.fc1(image)))
        x = self.dropout2(torch.relu(self.fc2(x)))
        return self.fc3(x)


def main():
    torch.manual_seed(0)
    # The exporter based on TorchScript: it runs without further packages and writes opset 17, which
    # every ONNX tool of the last years reads. It warns that a newer one exists.
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    torch.onnx.export(
        MLP().train(),
        (torch.zeros(64, 784),),
        str(Path(__file__).resolve().parent / "mlp.onnx"),
        input_names=["image"],
        output_names=["scores"],
        dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}},
        opset_version=17,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
        dynamo=False,
    )


if __name__ == "__main__":
    main()
