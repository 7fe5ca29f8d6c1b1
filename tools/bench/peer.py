#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's side of the benchmark; started by tools/bench/run, one process a side.

usage: peer.py WORKLOAD SIDE PRECISION THREADS BATCHES WEIGHTS    then step counts on standard input
       peer.py --export                                           writes models/circle.onnx

SIDE: eager         fused optimizer, PyTorch's fastest without compilation
      compile       torch.compile of the model, fused optimizer
      compile-step  torch.compile of the model and, apart, of the optimizer
      max-autotune  like compile, in torch.compile's mode of that name
PRECISION: fp32, or bf16: torch.autocast of the model and the loss
WEIGHTS is the safetensors file that `dlc compile` wrote, or "-": PyTorch's own initial parameters.
"""
import json
import logging
import struct
import sys
import time
import warnings
from pathlib import Path

import torch
from torch import nn

from transformer_peers import GPT, Attention, AlongLastAxis, Block, RandomBlocks
from workload import find


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(784, 256), nn.Linear(256, 128), nn.Linear(128, 10)
        self.dropout1, self.dropout2 = nn.Dropout(0.2), nn.Dropout(0.2)

    def forward(self, x):
        x = self.dropout1(torch.relu(self.fc1(x)))
        x = self.dropout2(torch.relu(self.fc2(x)))
        return self.fc3(x)


class Circle(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(2, 16), nn.Linear(16, 8), nn.Linear(8, 1)

    def forward(self, x):
        x = torch.relu(self.fc2(torch.relu(self.fc1(x))))
        return torch.sigmoid(self.fc3(x))


class FFN(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(768, 3072), nn.Linear(3072, 768)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.fc1, self.fc2 = nn.Linear(9216, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.conv2(torch.relu(self.conv1(x)))), 2)
        return self.fc2(torch.relu(self.fc1(torch.flatten(x, 1))))


class BasicBlock(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, filters, 3, stride, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(filters), nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
        self.downsample = None
        if stride != 1 or channels != filters:
            self.downsample = nn.Sequential(nn.Conv2d(channels, filters, 1, stride, bias=False),
                                            nn.BatchNorm2d(filters))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu_(self.bn1(self.conv1(x)))))
        return torch.relu_(y + (self.downsample(x) if self.downsample else x))


class ResNet18(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        channels = width
        for i, filters in enumerate((width, 2 * width, 4 * width, 8 * width), start=1):
            self.add_module(f"layer{i}", nn.Sequential(BasicBlock(channels, filters, 1 if i == 1 else 2),
                                                       BasicBlock(filters, filters, 1)))
            channels = filters
        self.fc = nn.Linear(8 * width, 10)

    def forward(self, x):
        x = torch.relu_(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


def random_net(layers):
    kinds = {"linear": nn.Linear, "batchnorm": nn.BatchNorm2d, "relu": nn.ReLU, "flatten": nn.Flatten,
             "pool": lambda: nn.MaxPool2d(2), "conv": lambda c, f, k, p: nn.Conv2d(c, f, k, padding=p)}
    model = nn.Sequential()
    for i, (kind, *numbers) in enumerate(layers):
        model.add_module(f"layer{i}", kinds[kind](*numbers))
    return model


MODELS = {"mlp": (MLP, nn.CrossEntropyLoss), "circle": (Circle, nn.BCELoss), "ffn": (FFN, nn.MSELoss),
          "lenet": (LeNet, nn.CrossEntropyLoss), "resnet18": (ResNet18, nn.CrossEntropyLoss),
          "block": (lambda: Block(512, 8, 2048), nn.MSELoss), "gpt": (lambda: GPT(65, 6, 384, 6, 256), AlongLastAxis),
          "attention": (lambda: Attention(4, 6, 256, 64), nn.MSELoss)}


def read_safetensors(path):
    """name -> f32 tensor (the format: a length, a JSON header, then the bytes)."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = torch.frombuffer(bytearray(data[begin:end]),
                                             dtype=torch.float32).reshape(entry["shape"])
    return tensors


def read_batches(workload, path):
    def tensor(file, size, whole, shape):
        data = bytearray(size)
        if file.readinto(data) != size:
            raise ValueError(f"{path}: too short")
        dtype = torch.int64 if whole else torch.float32
        return torch.frombuffer(data, dtype=dtype).reshape(workload.batch, *shape)

    x_bytes, y_bytes = (workload.batch * b for b in workload.row_bytes())
    with open(path, "rb") as file:
        for _ in range(workload.batches):
            x = tensor(file, x_bytes, workload.tokens, workload.input)
            if workload.images():
                x = x.contiguous(memory_format=torch.channels_last)
            yield x, tensor(file, y_bytes, workload.classes, workload.target)


def memory_mb(field):
    for line in open("/proc/self/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def optimizer_of(workload):
    """The optimizer's type and its numbers, from the options of `dlc compile`."""
    options = dict(option[2:].split("=", 1) for option in workload.options)
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}[options["optimizer"]]
    numbers = {name.replace("-", "_"): float(options[name]) for name in ("lr", "momentum", "weight-decay")
               if name in options}
    if "betas" in options:
        numbers["betas"] = tuple(map(float, options["betas"].split(",")))
    return kind, numbers


def model_and_loss(workload):
    """What makes them."""
    if workload.model == "random":
        return lambda: random_net(workload.net.layers), nn.CrossEntropyLoss
    if workload.model == "random_transformer":
        return lambda: RandomBlocks(workload.net), AlongLastAxis if workload.classes else nn.MSELoss
    return MODELS[workload.model]


def make_step(workload, side, precision, weights):
    model_type, loss_type = model_and_loss(workload)
    torch.manual_seed(0)
    model, loss_function = model_type().train(), loss_type()
    if weights != "-":
        missing = model.load_state_dict(read_safetensors(weights), strict=False)
        wrong = [name for name in missing.missing_keys if "num_batches_tracked" not in name]
        if wrong or missing.unexpected_keys:
            raise ValueError(f"{weights}: other names than the model's: {wrong} {missing.unexpected_keys}")
    if workload.images():  # what is fastest for convolutions on CPUs
        model = model.to(memory_format=torch.channels_last)
    fused = side != "compile-step"  # Inductor compiles the optimizer's plain form
    kind, numbers = optimizer_of(workload)
    optimizer = kind(model.parameters(), fused=fused, **numbers)
    update = torch.compile(optimizer.step) if side == "compile-step" else optimizer.step
    if side == "max-autotune":
        model = torch.compile(model, mode="max-autotune")
    elif side.startswith("compile"):
        model = torch.compile(model)

    def step(x, y):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            loss = loss_function(model(x), y)
        loss.backward()
        update()
        return loss

    return step


def serve(workload, side, precision, threads, batches, weights):
    torch._logging.set_logs(all=logging.ERROR)
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)  # as dlc does during a step
    data = list(read_batches(workload, batches))
    before = memory_mb("VmRSS")
    start = time.perf_counter()
    step = make_step(workload, side, precision, weights)
    first_loss = step(*data[0]).item()
    print(json.dumps({"first_loss": first_loss, "compile_s": time.perf_counter() - start}), flush=True)
    count = 1
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            x, y = data[count % len(data)]
            begin = time.perf_counter()
            loss = step(x, y)
            times.append(time.perf_counter() - begin)
            count += 1
        times.sort()
        print(json.dumps({"ms": times[len(times) // 2] * 1e3, "loss": loss.item(),
                          "memory_mb": memory_mb("VmHWM") - before}), flush=True)


def export():
    torch.manual_seed(0)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    path = Path(__file__).resolve().parent / "models" / "circle.onnx"
    torch.onnx.export(Circle().train(), (torch.zeros(500, 2),), str(path), input_names=["point"],
                      output_names=["inside"], dynamic_axes={"point": {0: "batch"}, "inside": {0: "batch"}},
                      opset_version=17, training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
                      dynamo=False)


if __name__ == "__main__":
    if sys.argv[1:] == ["--export"]:
        export()
    else:
        serve(find(sys.argv[1]), *sys.argv[2:4], int(sys.argv[4]), *sys.argv[5:7])
