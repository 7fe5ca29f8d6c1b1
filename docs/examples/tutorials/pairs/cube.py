# A function with a backward of its own: its gradient, and a network that has it.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.pow(3)

    @staticmethod
    def backward(context, gradient):
        x, = context.saved_tensors
        return 3 * x.pow(2) * gradient


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 8)
        self.outer = nn.Linear(8, 1)

    def forward(self, x):
        return self.outer(Cube.apply(self.inner(x)))


a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
Cube.apply(a).sum().backward()
print(a.grad)

torch.manual_seed(0)
net = Net()
loss_function = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x = torch.arange(64).div(32).sub(1).unsqueeze(1)
y = torch.sin(3 * x)
for step in range(1, 1001):
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    optimizer.step()
    if step % 250 == 0:
        print(f"step {step}: loss {loss.item():.6f}")
