# XOR: a loop with the gradients and the update as steps of its own.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn

torch.manual_seed(0)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range(1, 1001):
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    optimizer.step()
    if step % 250 == 0:
        print(f"step {step}: loss {loss.item():.6f}")
with torch.no_grad():
    for score in net(x):
        print(int(score > 0), end=" ")
