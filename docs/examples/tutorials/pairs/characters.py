# A recurrent network learns a text character by character, and writes more of it.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embed = nn.Embedding(letters, 32)
        self.gru = nn.GRU(32, 128, batch_first=True)
        self.head = nn.Linear(128, letters)

    def forward(self, x):
        x, _ = self.gru(self.embed(x))
        return self.head(x).transpose(1, 2)


torch.manual_seed(0)
with open(sys.argv[1]) as file:
    text = file.read()
letters = sorted(set(text))
number = {letter: i for i, letter in enumerate(letters)}
tokens = torch.tensor([number[letter] for letter in text])

net = Net(len(letters))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
total = 0.0
for step in range(1, 301):
    begins = torch.randint(len(tokens) - 32, (32,))
    x = torch.stack([tokens[begin:begin + 32] for begin in begins])
    y = torch.stack([tokens[begin + 1:begin + 33] for begin in begins])
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    optimizer.step()
    total += loss.item()
    if step % 100 == 0:
        print(f"step {step}: loss {total / 100:.4f}")
        total = 0.0

net.eval()
written = [0]
with torch.no_grad():
    while len(written) < 200:
        last = torch.tensor([written[-32:]])
        chances = net(last)[0, :, -1].softmax(0)
        written.append(torch.multinomial(chances, 1).item())
        print(letters[written[-1]], end="")
