# A small model learns from the scores of a large one, which learns from the labels.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load


def accuracy(net):
    net.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in test:
            correct += (net(images).argmax(1) == labels).sum().item()
    return correct / len(test.dataset)


torch.manual_seed(0)
train = DataLoader(TensorDataset(*load(sys.argv[1], "train")), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(*load(sys.argv[1], "t10k")), batch_size=1000)
teacher = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
student = nn.Sequential(nn.Flatten(), nn.Linear(784, 16), nn.ReLU(), nn.Linear(16, 10))
teacher_loss = nn.CrossEntropyLoss()
student_loss = nn.MSELoss()
teacher_optimizer = torch.optim.Adam(teacher.parameters(), lr=1e-3)
student_optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for epoch in range(1, 4):
    teacher.train()
    student.train()
    for images, labels in train:
        teacher_optimizer.zero_grad()
        loss = teacher_loss(teacher(images), labels)
        loss.backward()
        teacher_optimizer.step()
        with torch.no_grad():
            scores = teacher(images)
        student_optimizer.zero_grad()
        loss = student_loss(student(images), scores)
        loss.backward()
        student_optimizer.step()
    print(f"epoch {epoch}: teacher {accuracy(teacher):.4f}, student {accuracy(student):.4f}")
