# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project with dlc: needs dlc, torch, onnx and onnxscript."""
import math
import sys

import torch
from torch import nn

import dlc
import parts

torch.manual_seed(0)
net = parts.Net()
x, y = parts.data(sys.argv[1], "train")
optimizer = torch.optim.AdamW(parts.groups_of(net), lr=parts.RATE)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / parts.WARM_UP)
                                             * (1 + math.cos(math.pi * step / parts.STEPS)) / 2)
loss_function = nn.CrossEntropyLoss(label_smoothing=0.1)
step = dlc.compile(net, torch.from_numpy(x[:parts.BATCH]), loss=loss_function, optimizer=optimizer, clip_grad_norm=1.0,
                   ema_decay=0.9, threads=1)

with dlc.logs.SummaryWriter(sys.argv[2]) as writer:
    for number, (images, labels) in enumerate(dlc.data.prefetch(parts.batches(x, y))):
        loss = step(images, labels)
        writer.add_scalar("loss/train", loss, number)
        writer.add_scalar("gradient/norm", step.grad_norm(), number)
        schedule.step()
        print(f"{number} {loss:.6f}")

test_x, test_y = parts.data(sys.argv[1], "t10k")
with step.averages():
    scores, accuracy = step.predict(test_x), step.evaluate(test_x, test_y).accuracy
f1 = dlc.metrics.F1Score(10)
f1.update(scores, test_y)
print(f"accuracy {accuracy:.4f}, F1 {f1.compute():.4f}")
torch.save(step.state_dict(), "project.pt")
