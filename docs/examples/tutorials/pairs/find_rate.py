# The learning rate of the digits: the rate rises from step to step.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load

torch.manual_seed(0)
train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64, shuffle=True)
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 128),
                    nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-7)

rates, losses, smooth, batches = [], [], 0.0, iter(train)
for step in range(100):
    optimizer.param_groups[0]["lr"] = rate = 1e-7 * 1e7 ** (step / 99)
    images, labels = next(batches)
    optimizer.zero_grad()
    loss = loss_function(net(images), labels)
    loss.backward()
    optimizer.step()
    smooth = 0.9 * smooth + 0.1 * loss.item()
    rates.append(rate)
    losses.append(smooth / (1 - 0.9 ** (step + 1)))
    if losses[-1] > 4 * min(losses):
        break
falls = [(losses[i + 1] - losses[i], rates[i]) for i in range(len(losses) - 1) if losses[i + 1] < min(losses[:i + 1])]
lowest = rates[losses.index(min(losses))]
print(f"a rate to begin with: {min(min(falls)[1], lowest / 10):.2g} (the loss is lowest at {lowest:.2g})")
with open("rates.csv", "w") as table:
    print("learning_rate,smoothed_loss", file=table)
    for rate, loss in zip(rates, losses):
        print(f"{rate},{loss}", file=table)
