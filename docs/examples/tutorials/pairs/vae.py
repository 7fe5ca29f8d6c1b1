# A variational autoencoder: reconstruction and divergence as a loss of its own.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from images import load


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(784, 400)
        self.mean = nn.Linear(400, 20)
        self.spread = nn.Linear(400, 20)
        self.widen = nn.Linear(20, 400)
        self.decode = nn.Linear(400, 784)

    def forward(self, x):
        hidden = torch.relu(self.encode(x))
        mu = self.mean(hidden)
        logvar = self.spread(hidden)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar) if self.training else mu
        return self.decode(torch.relu(self.widen(z))), mu, logvar


def loss_function(y, x, mu, logvar):
    reconstruction = 784 * nn.functional.binary_cross_entropy_with_logits(y, x)
    divergence = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return reconstruction + divergence


torch.manual_seed(0)
train = DataLoader(TensorDataset(load(sys.argv[1], "train")[0].flatten(1)), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(load(sys.argv[1], "t10k")[0].flatten(1)), batch_size=1000)
net = Autoencoder()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(1, 4):
    net.train()
    total = 0.0
    for x, in train:
        optimizer.zero_grad()
        y, mu, logvar = net(x)
        loss = loss_function(y, x, mu, logvar)
        loss.backward()
        optimizer.step()
        total += loss.item()
    net.eval()
    valid = 0.0
    with torch.no_grad():
        for x, in test:
            y, mu, logvar = net(x)
            valid += loss_function(y, x, mu, logvar).item() * len(x)
    print(f"epoch {epoch}: loss {total / len(train):.4f}, valid loss {valid / len(test.dataset):.4f}")
