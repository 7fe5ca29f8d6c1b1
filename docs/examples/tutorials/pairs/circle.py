# Which points lie inside of the circle? Trained, saved, and loaded by another network.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn


def make():
    return nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())


torch.manual_seed(0)
x = torch.randn(500, 2)
y = (x.pow(2).sum(1) < 1).float().unsqueeze(1)

net = make()
loss_function = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(1, 501):
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    optimizer.step()
    if epoch % 100 == 0:
        print(f"epoch {epoch}: loss {loss.item():.6f}")
net.eval()
with torch.no_grad():
    accuracy = ((net(x) > 0.5) == y).float().mean()
print(f"accuracy {accuracy.item():.4f}")

torch.save(net.state_dict(), "circle.pth")
copy = make()
copy.load_state_dict(torch.load("circle.pth", weights_only=True))
copy.eval()
with torch.no_grad():
    same = torch.equal(copy(x), net(x))
print("the copy predicts the same" if same else "the copy predicts something else")
