# A sine by L-BFGS: each step computes loss and gradient several times.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn

torch.manual_seed(0)
x = torch.arange(64).div(32).sub(1).unsqueeze(1)
y = torch.sin(3 * x)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
loss_function = nn.MSELoss()
optimizer = torch.optim.LBFGS(net.parameters(), max_iter=20, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    return loss


for step in range(1, 6):
    loss = optimizer.step(closure)
    print(f"loss {loss.item():.6g}")
