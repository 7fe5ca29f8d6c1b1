# Ends after two epochs without a better validation loss; the best parameters are kept.
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
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)

best, waited = float("inf"), 0
for epoch in range(1, 51):
    net.train()
    for images, labels in train:
        optimizer.zero_grad()
        loss = loss_function(net(images), labels)
        loss.backward()
        optimizer.step()
    net.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for images, labels in test:
            scores = net(images)
            total += loss_function(scores, labels).item() * len(labels)
            correct += (scores.argmax(1) == labels).sum().item()
    valid = total / len(test.dataset)
    print(f"epoch {epoch}: valid loss {valid:.4f}, accuracy {correct / len(test.dataset):.4f}")
    if valid < best:
        best, waited = valid, 0
        torch.save(net.state_dict(), "early.pth")
    else:
        waited += 1
        if waited == 2:
            break
print(f"best valid loss {best:.4f}")
net.load_state_dict(torch.load("early.pth", weights_only=True))
