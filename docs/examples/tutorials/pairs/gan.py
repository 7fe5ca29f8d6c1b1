# Two networks against each other: points on a ring.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn


def layers(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2),
                         nn.Linear(64, outputs))


torch.manual_seed(0)
angle = torch.linspace(0, 6.2831853, 128)
real = torch.stack([angle.cos(), angle.sin()], dim=1)
yes = torch.ones(128, 1)
no = torch.zeros(128, 1)
critic = layers(2, 1)
generator = layers(4, 2)
loss_function = nn.BCEWithLogitsLoss()
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
for step in range(1, 3001):
    z = torch.randn(128, 4)
    critic_optimizer.zero_grad()
    with torch.no_grad():
        fake = generator(z)
    critic_loss = loss_function(critic(real), yes) + loss_function(critic(fake), no)
    critic_loss.backward()
    critic_optimizer.step()

    generator_optimizer.zero_grad()
    generator_loss = loss_function(critic(generator(z)), yes)
    generator_loss.backward()
    generator_optimizer.step()
    if step % 1000 == 0:
        with torch.no_grad():
            radius = generator(torch.randn(128, 4)).norm(dim=1).mean()
        print(f"step {step}: critic {critic_loss.item():.4f}, generator {generator_loss.item():.4f}, "
              f"mean radius {radius.item():.4f}")
