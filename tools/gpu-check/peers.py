#!/usr/bin/env python3
"""What tools/gpu-check.sh measures, in PyTorch on the same GPU. Prints JSON lines.

usage: peers.py ceilings | products | memory | eager MODEL | compile MODEL

ceilings: the rates of large products, which are taken as the GPU's limits. products: those that prepare.py compiles, in
bfloat16 by cuBLASLt. memory: layer normalization, GELU and AdamW, alone. eager and compile: training steps of a model in
fp32, tf32 and bf16 (autocast), with a fused optimizer, as they are and by torch.compile; the time of a step that is
waited for, and of one that is not.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"
LAYERS = {"qkv": (768, 2304), "proj": (768, 768), "fc": (768, 3072), "out": (3072, 768), "head": (768, 50304)}
TOKENS = 8 * 1024


def report(model, section, **fields):
    print(json.dumps({"model": model, "section": section, "ok": True, "peer": f"PyTorch {torch.__version__}", **fields}),
          flush=True)


def microseconds(call, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - begin) / count


def median_of(call, seconds=0.5):
    """Microseconds of a call in a queue of them."""
    for _ in range(3):
        call()
    count = max(1, min(300, int(0.2e6 * seconds / microseconds(call, 1))))
    return statistics.median(microseconds(call, count) for _ in range(5))


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"


def ceilings():
    for precision, dtype in (("fp32", torch.float32), ("tf32", torch.float32), ("bf16", torch.bfloat16)):
        set_precision(precision)
        a, b = (torch.randn(8192, 8192, device=DEVICE, dtype=dtype) for _ in range(2))
        us = median_of(lambda: a @ b)
        report("", "ceiling", precision=precision, size=8192, us=us, tflops=2 * 8192**3 / us * 1e-6)


def products():
    for precision in ("fp32", "tf32", "bf16"):
        set_precision(precision)
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        a, b = (torch.randn(4096, 4096, device=DEVICE, dtype=dtype) for _ in range(2))
        report(f"square_{precision}", "peer_product", us=median_of(lambda: a @ b))
    for layer, (inputs, outputs) in LAYERS.items():
        x = torch.randn(TOKENS, inputs, device=DEVICE, dtype=torch.bfloat16)
        w = torch.randn(outputs, inputs, device=DEVICE, dtype=torch.bfloat16)
        y = torch.randn(TOKENS, outputs, device=DEVICE, dtype=torch.bfloat16)
        for name, call in (("forward", lambda: x @ w.T), ("data", lambda: y @ w), ("weight", lambda: y.T @ x)):
            report(f"{layer}_{name}", "peer_product", us=median_of(call))


def memory():
    x, wide = torch.randn(TOKENS, 768, device=DEVICE), torch.randn(TOKENS, 3072, device=DEVICE)
    scale, bias = torch.randn(768, device=DEVICE), torch.randn(768, device=DEVICE)
    report("layer_norm", "peer_memory", us=median_of(lambda: F.layer_norm(x, (768,), scale, bias)))
    report("gelu", "peer_memory", us=median_of(lambda: F.gelu(wide)))
    parameter = nn.Parameter(torch.randn(50304, 768, device=DEVICE))
    parameter.grad = torch.randn_like(parameter)
    optimizer = torch.optim.AdamW([parameter], lr=1e-3, weight_decay=0.1, fused=True)
    report("adamw", "peer_memory", us=median_of(optimizer.step))


class Block(nn.Module):
    def __init__(self, width, heads, hidden, causal, bias):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width, bias=bias), nn.Linear(width, width, bias=bias)
        self.fc, self.out = nn.Linear(width, hidden, bias=bias), nn.Linear(hidden, width, bias=bias)

    def attend(self, x):
        rows, positions, width = x.shape
        q, k, v = (part.view(rows, positions, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.proj(y.transpose(1, 2).reshape(rows, positions, width))

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.out(F.gelu(self.fc(self.ln2(x))))


class Gpt(nn.Module):
    """As docs/examples/models/write_transformer.py writes it."""
    def __init__(self, vocabulary, layers, width, heads, window):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(window, width)
        self.blocks = nn.Sequential(*(Block(width, heads, 4 * width, True, False) for _ in range(layers)))
        self.lnf = nn.LayerNorm(width)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, 0, 0.02)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        return F.linear(self.lnf(self.blocks(x)), self.wte.weight)


class Residual(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, filters, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(filters), nn.BatchNorm2d(filters)
        self.shortcut = nn.Sequential() if stride == 1 and channels == filters else nn.Sequential(
            nn.Conv2d(channels, filters, 1, stride, bias=False), nn.BatchNorm2d(filters))

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.shortcut(x))


def resnet18():
    layers, channels = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()], 64
    for filters, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Residual(channels, filters, stride), Residual(filters, filters, 1)]
        channels = filters
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def classes(rows, shape):
    return torch.rand(rows, *shape, device=DEVICE), torch.randint(10, (rows,), device=DEVICE)


def tokens(rows, vocabulary, window):
    return tuple(torch.randint(vocabulary, (rows, window), device=DEVICE) for _ in range(2))


def made(name):
    """Model, loss, inputs and targets."""
    cross_entropy = nn.functional.cross_entropy
    of_tokens = lambda scores, labels: cross_entropy(scores.flatten(0, 1), labels.flatten())
    if name == "mlp":
        model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 128), nn.ReLU(),
                              nn.Dropout(0.2), nn.Linear(128, 10))
        return model, cross_entropy, *classes(64, (784,))
    if name == "lenet":
        model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
                              nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10))
        return model, cross_entropy, *classes(64, (1, 28, 28))
    if name == "resnet18":
        return resnet18(), cross_entropy, *classes(32, (3, 32, 32))
    if name == "block":
        x, y = (torch.randn(8, 128, 512, device=DEVICE) for _ in range(2))
        return Block(512, 8, 2048, False, True), nn.functional.mse_loss, x, y
    if name == "gpt":
        return Gpt(65, 6, 384, 6, 256), of_tokens, *tokens(4, 65, 256)
    return Gpt(50304, 12, 768, 12, 1024), of_tokens, *tokens(8, 50304, 1024)


def optimizer_of(name, parameters):
    if name in ("lenet", "resnet18"):
        return torch.optim.SGD(parameters, lr=0.003, momentum=0.9, fused=True)
    kind = torch.optim.Adam if name == "mlp" else torch.optim.AdamW
    return kind(parameters, lr=1e-3, fused=True)


def steps(mode, name):
    for precision in ("bf16", "tf32", "fp32"):
        set_precision(precision)
        torch.manual_seed(0)
        model, loss_of, x, y = made(name)
        model = model.to(DEVICE)
        optimizer = optimizer_of(name, model.parameters())
        run = torch.compile(model) if mode == "compile" else model

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=precision == "bf16"):
                loss = loss_of(run(x), y)
            loss.backward()
            optimizer.step()
            return loss

        for _ in range(5):
            step()
        one = microseconds(step, 1)
        count = max(3, min(300, int(1e6 / one)))
        waited = statistics.median(microseconds(lambda: step().item(), 1) for _ in range(count))
        queued = statistics.median(microseconds(step, count) for _ in range(3))
        report(f"{name}_{precision}", "peer_step", mode=mode, step_us_median=waited, queued_step_us_median=queued,
               memory_mib=math.ceil(torch.cuda.max_memory_allocated() / 2**20))


def main():
    what = sys.argv[1:]
    if what in (["ceilings"], ["products"], ["memory"]):
        {"ceilings": ceilings, "products": products, "memory": memory}[what[0]]()
    elif len(what) == 2 and what[0] in ("eager", "compile"):
        steps(*what)
    else:
        sys.exit(__doc__)


main()
