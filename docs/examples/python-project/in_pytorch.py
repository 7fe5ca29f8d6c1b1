# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project in PyTorch: needs torch, tensorboard and torchmetrics."""
import math
import sys

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.tensorboard import SummaryWriter
from torchmetrics.classification import MulticlassF1Score

import parts

torch.manual_seed(0)
net = parts.Net()
x, y = parts.data(sys.argv[1], "train")
optimizer = torch.optim.AdamW(parts.groups_of(net), lr=parts.RATE)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / parts.WARM_UP)
                                             * (1 + math.cos(math.pi * step / parts.STEPS)) / 2)
loss_function = nn.CrossEntropyLoss(label_smoothing=0.1)
average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))

with SummaryWriter(sys.argv[2]) as writer:
    for number, (images, labels) in enumerate(parts.batches(x, y)):
        optimizer.zero_grad()
        loss = loss_function(net(images), labels)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        average.update_parameters(net)
        writer.add_scalar("loss/train", loss.item(), number)
        writer.add_scalar("gradient/norm", norm.item(), number)
        schedule.step()
        print(f"{number} {loss.item():.6f}")

test_x, test_y = parts.data(sys.argv[1], "t10k")
average.eval()
with torch.no_grad():
    scores = torch.cat([average(torch.from_numpy(part)) for part in test_x.reshape(-1, 100, 1, 28, 28)])
f1 = MulticlassF1Score(10)
f1.update(scores, torch.from_numpy(test_y))
accuracy = (scores.argmax(1).numpy() == test_y).mean()
print(f"accuracy {accuracy:.4f}, F1 {f1.compute():.4f}")
torch.save(net.state_dict(), "project.pt")
