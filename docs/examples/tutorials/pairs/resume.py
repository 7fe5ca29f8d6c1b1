# Two epochs, and two more in another process, with the state of the optimizer.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(256, 256)
        self.fc3 = nn.Linear(256, 10)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x.flatten(1))))))


torch.manual_seed(0)
train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(*load(sys.argv[1], "t10k")), batch_size=1000)
net = Net()
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
first, last = 1, int(sys.argv[2])
if os.path.exists("run.pth"):
    checkpoint = torch.load("run.pth", weights_only=True)
    net.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    torch.set_rng_state(checkpoint["random"])
    first = checkpoint["epoch"] + 1

for epoch in range(first, last + 1):
    net.train()
    total = 0.0
    for images, labels in train:
        optimizer.zero_grad()
        loss = loss_function(net(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
    net.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in test:
            correct += (net(images).argmax(1) == labels).sum().item()
    print(f"epoch {epoch}: loss {total / len(train):.4f}, accuracy {correct / len(test.dataset):.4f}")
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "random": torch.get_rng_state(),
                "epoch": epoch}, "run.pth")
