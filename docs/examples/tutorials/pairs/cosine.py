# Gradient descent with momentum beside Adam, both with a rate that falls as a cosine.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load

train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(*load(sys.argv[1], "t10k")), batch_size=1000)
loss_function = nn.CrossEntropyLoss()
for name in "SGD", "Adam":
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 128),
                        nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10))
    if name == "SGD":
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5 * len(train))
    for epoch in range(1, 6):
        net.train()
        total = 0.0
        for images, labels in train:
            optimizer.zero_grad()
            loss = loss_function(net(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        net.eval()
        correct = 0
        with torch.no_grad():
            for images, labels in test:
                correct += (net(images).argmax(1) == labels).sum().item()
        print(f"{name}, epoch {epoch}: loss {total / len(train):.4f}, accuracy {correct / len(test.dataset):.4f}")
