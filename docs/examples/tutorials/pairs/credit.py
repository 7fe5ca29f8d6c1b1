# A table of customers: who will not pay back? With the area under the ROC curve.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def read(path):
    with open(path) as file:
        rows = torch.tensor([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    return rows[:, :-1], rows[:, -1:]


def auc(scores, labels):
    ranks = scores.flatten().argsort().argsort() + 1.0
    positive = labels.sum()
    negative = len(labels) - positive
    return (ranks[labels.flatten() == 1].sum() - positive * (positive + 1) / 2) / (positive * negative)


torch.manual_seed(0)
(x, y), (test_x, test_y) = read("credit.csv"), read("credit_test.csv")
mean, deviation = x.mean(0), x.std(0)
train = DataLoader(TensorDataset((x - mean) / deviation, y), batch_size=50, shuffle=True)
test_x = (test_x - mean) / deviation
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(1, 21):
    net.train()
    for customers, targets in train:
        optimizer.zero_grad()
        loss = loss_function(net(customers), targets)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        scores = net(test_x)
    accuracy = ((scores > 0) == test_y).float().mean()
    print(f"epoch {epoch}: accuracy {accuracy.item():.4f}, auc {auc(scores, test_y).item():.4f}")
