# One batch by heart: a network that cannot learn 64 images cannot learn 60,000.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load

torch.manual_seed(0)
train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64)
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
images, labels = next(iter(train))
for step in range(1, 101):
    optimizer.zero_grad()
    loss = loss_function(net(images), labels)
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step}: loss {loss.item():.6f}")
