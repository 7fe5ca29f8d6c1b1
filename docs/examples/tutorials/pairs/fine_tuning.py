# The convolutions of digits, kept as they are, under a new last layer for clothes.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(32 * 7 * 7, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.head(x.flatten(1))


def fit(net, folder, epochs):
    train = DataLoader(TensorDataset(*load(folder, "train")), batch_size=64, shuffle=True)
    test = DataLoader(TensorDataset(*load(folder, "t10k")), batch_size=1000)
    loss_function = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-3)
    for epoch in range(1, epochs + 1):
        net.train()
        for images, labels in train:
            optimizer.zero_grad()
            loss = loss_function(net(images), labels)
            loss.backward()
            optimizer.step()
        net.eval()
        correct = 0
        with torch.no_grad():
            for images, labels in test:
                correct += (net(images).argmax(1) == labels).sum().item()
        print(f"epoch {epoch}: accuracy {correct / len(test.dataset):.4f}")


torch.manual_seed(0)
net = Net()
fit(net, sys.argv[2], epochs=1)
for layer in net.conv1, net.conv2:
    layer.requires_grad_(False)
net.head = nn.Linear(32 * 7 * 7, 10)
fit(net, sys.argv[1], epochs=2)
