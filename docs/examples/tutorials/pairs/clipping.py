# Gradients clipped to the norm 1, and what their norms were.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load

torch.manual_seed(0)
train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64, shuffle=True)
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(1, 4):
    total, norms = 0.0, []
    for images, labels in train:
        optimizer.zero_grad()
        loss = loss_function(net(images), labels)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
        optimizer.step()
        total += loss.item()
        norms.append(norm.item())
    clipped = sum(norm > 1 for norm in norms)
    print(f"epoch {epoch}: loss {total / len(train):.4f}, norm {sum(norms) / len(norms):.4f}, "
          f"{clipped} of {len(train)} clipped")
