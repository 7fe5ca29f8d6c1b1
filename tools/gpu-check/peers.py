#!/usr/bin/env python3
"""The steps that tools/gpu-check.sh times, in PyTorch on the same GPU: eager with a fused optimizer, and what
torch.cuda.CUDAGraph makes of it. Prints JSON lines with the times of a step that is waited for, and of one that is not.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import statistics
import time

import torch
from torch import nn


def mlp():
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 128), nn.ReLU(),
                          nn.Linear(128, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=True)
    x, labels = torch.randn(64, 784, device="cuda"), torch.randint(10, (64,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step


def captured(step):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def replay():
        graph.replay()
        return loss

    return replay


def microseconds(call, count):
    begin = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - begin) / count


def report(mode, step):
    for _ in range(20):
        step()
    waiting = statistics.median(microseconds(lambda: step().item(), 1) for _ in range(300))
    queued = statistics.median(microseconds(step, 300) for _ in range(10))
    print(json.dumps({"model": "mlp", "section": "peer", "ok": True, "peer": f"PyTorch {torch.__version__} {mode}",
                      "gpu": torch.cuda.get_device_name(), "step_us_median": waiting, "queued_step_us_median": queued}),
          flush=True)


report("eager", mlp())
report("graph", captured(mlp()))
