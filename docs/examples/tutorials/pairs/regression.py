# A straight line by hand: gradients of two tensors, and an update that is written out.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 50)
y = 2 * x + 1 + 0.1 * torch.randn(50)
w = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
for step in range(200):
    loss = (w * x + b - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
print(f"w {w.item():.6f}, b {b.item():.6f}")
