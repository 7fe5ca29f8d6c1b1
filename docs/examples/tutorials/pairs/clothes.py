# Clothes by a wider perceptron, of normalized pixels.
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
(train_images, train_labels), (test_images, test_labels) = load(sys.argv[1], "train"), load(sys.argv[1], "t10k")
mean, deviation = train_images.mean(), train_images.std()
train_images, test_images = (train_images - mean) / deviation, (test_images - mean) / deviation
train = DataLoader(TensorDataset(train_images, train_labels), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(test_images, test_labels), batch_size=1000)
net = Net()
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

for epoch in range(1, 11):
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
