#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the character GPT of docs/examples/gpt on a text, in dlc and in PyTorch: same parameters, same windows.

usage: train_gpt.py {dlc,torch} TEXT FOLDER [--dlc DLC] [--layers N] [--width N] [--heads N] [--window N] [--batch N]
                    [--steps N] [--every N] [--lr X] [--sample N]

The model is written by docs/examples/models/write_transformer.py and compiled by DLC to FOLDER, whose
gpt.safetensors both start from. The first nine tenths of the text are learned; the loss of the rest, in windows that
follow each other, is printed every N steps, with the time that training has taken. --sample writes text at the end.
AdamW (0.9, 0.99) with decay 0.1 of all parameters but norms, gradients clipped to 1, a learning rate that rises for a
tenth of the steps and falls to a tenth along half a cosine. Without dropout, so that the two can be compared.
"""
import argparse
import array
import ctypes
import json
import math
import pathlib
import random
import subprocess
import sys
import time

MODELS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "models"


def read_tensors(path):
    """Float tensors of a safetensors file: {name: (shape, values)}."""
    content = pathlib.Path(path).read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, tensor in json.loads(content[8:begin]).items():
        if name != "__metadata__" and tensor["dtype"] == "F32":
            first, end = tensor["data_offsets"]
            tensors[name] = tensor["shape"], array.array("f", content[begin + first:begin + end])
    return tensors


class Options(ctypes.Structure):  # dlc_create_options of dlc/runtime.h
    _fields_ = [("struct_size", ctypes.c_size_t), ("weights_path", ctypes.c_char_p), ("seed", ctypes.c_uint64),
                ("use_seed", ctypes.c_int32), ("threads", ctypes.c_int32), ("arena", ctypes.c_void_p),
                ("arena_bytes", ctypes.c_size_t), ("check_finite", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("error", ctypes.c_char_p), ("error_bytes", ctypes.c_size_t)]


class Dlc:
    """The compiled model, through its shared library."""

    def __init__(self, folder, a):
        self.library = ctypes.CDLL(str((folder / "libgpt.so").resolve()))
        self.library.gpt_last_error.restype = ctypes.c_char_p
        self.model, self.a = ctypes.c_void_p(), a
        weights = str(folder / "gpt.safetensors").encode()
        options = Options(struct_size=ctypes.sizeof(Options), weights_path=weights, threads=a.threads)
        self.check(self.library.gpt_create(ctypes.byref(options), ctypes.byref(self.model)))

    def check(self, status):
        if status:
            sys.exit(f"status {status}: {self.library.gpt_last_error(self.model)}")

    def step(self, tokens, targets, rate):
        self.check(self.library.gpt_set_learning_rate(self.model, ctypes.c_double(rate)))
        loss = ctypes.c_float()
        self.check(self.library.gpt_train_step(self.model, *self.arrays(tokens, targets), ctypes.byref(loss)))
        return loss.value

    @staticmethod
    def arrays(*rows):
        values = [array.array("q", [x for row in part for x in row]) for part in rows]
        Dlc.kept = values
        return [ctypes.c_void_p(part.buffer_info()[0]) for part in values]

    def loss(self, tokens, targets):
        class Metrics(ctypes.Structure):
            _fields_ = [("sum", ctypes.c_double), ("weight", ctypes.c_double), ("correct", ctypes.c_int64),
                        ("count", ctypes.c_int64)]
        metrics = Metrics()
        self.check(self.library.gpt_eval_step(self.model, ctypes.c_int64(len(tokens)), *self.arrays(tokens, targets),
                                              ctypes.byref(metrics)))
        return metrics.sum

    def scores(self, tokens, vocabulary):
        out = (ctypes.c_float * (len(tokens) * vocabulary))()
        self.check(self.library.gpt_predict(self.model, ctypes.c_int64(1), *self.arrays([tokens]), out))
        return out


class Torch:
    """The same model in PyTorch's eager mode, with its fused attention and its fused AdamW."""

    def __init__(self, folder, a):
        import torch
        self.torch, self.a = torch, a
        torch.set_num_threads(a.threads)
        self.p = {name: torch.tensor(values).reshape(shape).requires_grad_()
                  for name, (shape, values) in read_tensors(folder / "gpt.safetensors").items()}
        norms = [p for name, p in self.p.items() if ".ln" in name or name.startswith("lnf")]
        others = [p for name, p in self.p.items() if not (".ln" in name or name.startswith("lnf"))]
        self.optimizer = torch.optim.AdamW([{"params": others, "weight_decay": 0.1}, {"params": norms, "weight_decay": 0}],
                                           lr=1e-3, betas=(0.9, 0.99), eps=1e-8, fused=True)

    def forward(self, tokens):
        torch, F, p, a = self.torch, self.torch.nn.functional, self.p, self.a
        width = a.width
        x = p["wte.weight"][tokens] + p["wpe.weight"][:tokens.shape[1]]
        norm = lambda x, name: F.layer_norm(x, (width,), p[f"{name}.weight"], p[f"{name}.bias"], 1e-5)
        heads = lambda x: x.reshape(*x.shape[:2], a.heads, width // a.heads).transpose(1, 2)
        for layer in range(a.layers):
            b = f"blocks.{layer}"
            q, k, v = (norm(x, f"{b}.ln1") @ p[f"{b}.attn.qkv.weight"].T).split(width, dim=2)
            y = F.scaled_dot_product_attention(heads(q), heads(k), heads(v), is_causal=True)
            x = x + y.transpose(1, 2).reshape(x.shape) @ p[f"{b}.attn.proj.weight"].T
            x = x + F.gelu(norm(x, f"{b}.ln2") @ p[f"{b}.fc.weight"].T) @ p[f"{b}.out.weight"].T
        return norm(x, "lnf") @ p["wte.weight"].T

    def cross_entropy(self, tokens, targets, reduction):
        F, tensor = self.torch.nn.functional, self.torch.tensor
        return F.cross_entropy(self.forward(tensor(tokens)).flatten(0, 1), tensor(targets).flatten(), reduction=reduction)

    def step(self, tokens, targets, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad()
        loss = self.cross_entropy(tokens, targets, "mean")
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.p.values(), 1)
        self.optimizer.step()
        return loss.item()

    def loss(self, tokens, targets):
        with self.torch.no_grad():
            return self.cross_entropy(tokens, targets, "sum").item()


def compile_model(a):
    folder = pathlib.Path(a.folder)
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [f"--{name}={getattr(a, name)}" for name in ("layers", "width", "heads", "window")]
    subprocess.run([sys.executable, MODELS / "write_transformer.py", "gpt", folder / "gpt.onnx",
                    f"--vocabulary={a.vocabulary}", *sizes], check=True)
    subprocess.run([a.dlc, "compile", folder / "gpt.onnx", "-o", folder, "--emit=shared", f"--batch={a.batch}",
                    "--loss=softmax-cross-entropy", "--class-axis=-1", "--optimizer=adamw", "--betas=0.9,0.99",
                    "--weight-decay=0.1", "--no-decay=*.ln?.*", "--no-decay=lnf.*", "--clip-grad-norm=1"], check=True)


def rate(step, a):
    warmup = max(1, a.steps // 10)
    if step < warmup:
        return a.lr * (step + 1) / warmup
    return a.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * (step - warmup) / (a.steps - warmup))))


def windows(tokens, starts, size):
    return [tokens[s:s + size] for s in starts], [tokens[s + 1:s + size + 1] for s in starts]


def validate(model, tokens, a):
    starts = range(0, len(tokens) - a.window, a.window)
    total = sum(model.loss(*windows(tokens, starts[i:i + a.batch], a.window)) for i in range(0, len(starts), a.batch))
    return total / (len(starts) * a.window)


def sample(model, letters, a):
    draw, text = random.Random(a.seed), [letters.index("\n")]
    while len(text) <= a.sample:
        seen = text[-a.window:]
        scores = model.scores(seen + [0] * (a.window - len(seen)), a.vocabulary)
        last = scores[(len(seen) - 1) * a.vocabulary:len(seen) * a.vocabulary]
        best = sorted(range(a.vocabulary), key=lambda token: -last[token])[:10]
        text += draw.choices(best, [math.exp((last[token] - last[best[0]]) / 0.8) for token in best])
    print("".join(letters[token] for token in text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["dlc", "torch"])
    parser.add_argument("text")
    parser.add_argument("folder")
    parser.add_argument("--dlc")
    for name, default in (("layers", 4), ("width", 128), ("heads", 4), ("window", 128), ("batch", 32), ("steps", 1000),
                          ("every", 250), ("seed", 1), ("threads", 1), ("sample", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--lr", type=float, default=3e-3)
    a = parser.parse_args()
    text = pathlib.Path(a.text).read_text()
    letters = sorted(set(text))
    a.vocabulary = len(letters)
    number = {letter: i for i, letter in enumerate(letters)}
    tokens = [number[letter] for letter in text]
    learned = len(tokens) * 9 // 10
    if a.dlc:
        compile_model(a)
    model = (Dlc if a.what == "dlc" else Torch)(pathlib.Path(a.folder), a)
    seconds = 0.0
    for step in range(a.steps):
        draw = random.Random(a.seed * 1000003 + step)
        part = windows(tokens, [draw.randrange(learned - a.window) for _ in range(a.batch)], a.window)
        begin = time.perf_counter()
        loss = model.step(*part, rate(step, a))
        seconds += time.perf_counter() - begin
        if (step + 1) % a.every == 0:
            print(f"{a.what} step {step + 1}: loss {loss:.4f}, validation {validate(model, tokens[learned:], a):.4f}, "
                  f"{seconds:.1f} s", flush=True)
    if a.sample and a.what == "dlc":
        sample(model, letters, a)


if __name__ == "__main__":
    main()
