#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores PyTorch's names and predictions for check.py, or goes the whole way once with PyTorch and safetensors.

usage: make_references.py            writes the .json files; needs torch and safetensors
       make_references.py PROGRAM    the modules' state_dicts, saved by safetensors, go through sessions (program.cpp) and
                                     back into the modules; prints "skipped: ..." where Python lacks the packages
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import torch
    from safetensors.torch import load_file, save_file
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import check
import weights

WIDTH, WINDOW, VOCABULARY = 48, 16, 65
DTYPES = {torch.float32: "F32", torch.int64: "I64"}


class BasicBlock(nn.Module):
    def __init__(self, size, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(size, out, 3, stride, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(out), nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        if size != out or stride != 1:
            self.downsample = nn.Sequential(nn.Conv2d(size, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (self.downsample(x) if hasattr(self, "downsample") else x))


class ResNet18(nn.Module):
    """With torchvision's names, for images of 32 x 32."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
        size = 64
        for i in range(4):
            out = 64 << i
            blocks = nn.Sequential(BasicBlock(size, out, 2 if i else 1), BasicBlock(out, out, 1))
            setattr(self, f"layer{i + 1}", blocks)
            size = out
        self.fc = nn.Linear(512, 10)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        for i in range(4):
            x = getattr(self, f"layer{i + 1}")(x)
        return self.fc(x.mean((2, 3)))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(WINDOW, WIDTH)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 3, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
            for _ in range(2))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        mask = torch.triu(torch.ones(WINDOW, WINDOW, dtype=torch.bool), 1)
        x = self.wte(tokens) + self.wpe(torch.arange(WINDOW))
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.head(x)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 10, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(20, 4)

    def forward(self, x):
        return self.head(self.lstm(x)[0])


MODULES = {"resnet18": (ResNet18, {"input": [2, 3, 32, 32]}),
           "gpt": (Gpt, {"input": [2, WINDOW], "below": VOCABULARY}),
           "lstm": (Lstm, {"input": [2, 7, 6]})}


def predicted(module, case):
    """In double precision, for the made weights."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "weights.safetensors"
        weights.write(path, weights.state_dict(case["tensors"]))
        module.load_state_dict(load_file(path))
    raw = bytearray(weights.input_of(case))
    x = torch.frombuffer(raw, dtype=torch.int64 if "below" in case else torch.float32).reshape(case["input"])
    with torch.no_grad():
        scores = module.double().eval()(x if "below" in case else x.double())
    return [round(score, 9) for score in scores.flatten().tolist()]


def store(name, module, case):
    case = {"torch": torch.__version__, **case,
            "tensors": [[key, DTYPES[value.dtype], list(value.shape)] for key, value in module.state_dict().items()]}
    case["predictions"] = predicted(module, case)
    (check.HERE / f"{name}.json").write_text(json.dumps(case, separators=(",", ":")).replace("],[\"", "],\n[\"") + "\n")
    print(f"{name}: {len(case['tensors'])} tensors")


def round_trip(name, module, case, program):
    """Weights as PyTorch draws them, running statistics after a batch; safetensors writes and reads the files."""
    x = torch.randint(0, VOCABULARY, case["input"]) if "below" in case else torch.randn(case["input"])
    module(x)
    module.eval()
    given = {key: value.clone() for key, value in module.state_dict().items()}
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / each for each in ("weights.safetensors", "input", "output", "saved.safetensors")]
        save_file(given, files[0])
        files[1].write_bytes(x.numpy().tobytes())
        subprocess.run([program, name, *files], check=True)
        expected = module(x)
        found = torch.frombuffer(bytearray(files[2].read_bytes()), dtype=torch.float32).reshape(expected.shape)
        saved = load_file(files[3])
    error = ((found - expected).abs().max() / expected.abs().max().clamp(min=1)).item()
    torch.manual_seed(1)
    fresh = MODULES[name][0]()
    rest = fresh.load_state_dict(saved, strict=False)
    assert not rest.unexpected_keys and all(map(check.is_counter, rest.missing_keys)), rest
    for key, value in fresh.state_dict().items():
        assert check.is_counter(key) or torch.equal(value, given[key]), key
    print(f"{name}: {len(saved)} tensors as PyTorch has them, largest difference of predictions {error:.1e}")
    assert error <= 1e-5, error


for name, (build, case) in MODULES.items():
    torch.manual_seed(0)
    if len(sys.argv) > 1:
        round_trip(name, build(), case, sys.argv[1])
    else:
        store(name, build(), case)
