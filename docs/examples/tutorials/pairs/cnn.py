# Two convolutions, with a rate that falls as a cosine.
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


torch.manual_seed(0)
train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(*load(sys.argv[1], "t10k")), batch_size=1000)
net = Net()
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8 * len(train))

for epoch in range(1, 9):
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
    print(f"epoch {epoch}: loss {total / len(train):.4f}, accuracy {correct / len(test.dataset):.4f}")
