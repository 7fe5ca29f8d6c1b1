#!/usr/bin/env python3
"""The training of main.c, done by PyTorch: the same initial parameters, windows, optimizer and learning rates.

usage: pytorch.py WEIGHTS TOKENS --layers N --width N --heads N --window N --batch N [--steps N] [--every N] [--threads N]

WEIGHTS are the initial parameters, which `dlc compile gpt.onnx` without --embed-weights writes beside the library;
TOKENS is what the example wrote. Needs dlc's source tree and PyTorch.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import math
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools/bench"))
from peer import read_safetensors  # noqa: E402
from transformer_peers import GPT  # noqa: E402

VOCABULARY, RATE, WARMUP, SEED = 65, 3e-3, 50, 1  # as main.c has them without options
WORD = (1 << 64) - 1


class Random:
    """Numbers of dlc_tokens_*: xoshiro256**, its state filled by splitmix64 (runtime/data/Random.cpp)."""

    def __init__(self, seed, stream):
        self.mixed = seed
        stream += self.splitmix()
        seed, self.mixed = self.mixed, stream & WORD
        self.state = [self.splitmix() ^ seed for _ in range(4)]

    def splitmix(self):
        self.mixed = z = (self.mixed + 0x9E3779B97F4A7C15) & WORD
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        return z ^ z >> 31

    @staticmethod
    def rotate_left(x, bits):
        return (x << bits | x >> 64 - bits) & WORD

    def next(self):
        s = self.state
        result, shifted = self.rotate_left(s[1] * 5 & WORD, 7) * 9 & WORD, s[1] << 17 & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = self.rotate_left(s[3], 45)
        return result

    def below(self, bound):
        while True:
            product = self.next() * bound
            low = product & WORD
            if low >= bound or low >= (1 << 64) % bound:
                return product >> 64


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=Path)
    parser.add_argument("tokens", type=Path)
    for name in ("layers", "width", "heads", "window", "batch"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name, default in (("steps", 1000), ("every", 100), ("threads", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def rows(tokens, starts, window):
    """The windows that begin there, and the tokens after each of theirs."""
    whole = torch.stack([tokens[start:start + window + 1] for start in starts])
    return whole[:, :-1], whole[:, 1:]


def loss_of(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


def rate_of(step, steps):
    if step < WARMUP:
        return RATE * (step + 1) / WARMUP
    return RATE * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * (step - WARMUP) / (steps - WARMUP))))


def main():
    a = arguments()
    torch.set_num_threads(a.threads)
    model = GPT(VOCABULARY, a.layers, a.width, a.heads, a.window)
    parameters = dict(model.named_parameters())
    given = {name: value for name, value in read_safetensors(a.weights).items() if name in parameters}
    assert given.keys() == parameters.keys(), sorted(given.keys() ^ parameters.keys())
    model.load_state_dict(given)
    matrices = [p for p in parameters.values() if p.dim() > 1]
    norms = [p for p in parameters.values() if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": matrices}, {"params": norms, "weight_decay": 0.0}], betas=(0.9, 0.99),
                                  weight_decay=0.1)

    tokens = torch.frombuffer(bytearray(a.tokens.read_bytes()), dtype=torch.int16).long()
    training, test = tokens[:len(tokens) * 9 // 10], tokens[len(tokens) * 9 // 10:]
    windows = (len(test) - 1) // a.window

    def test_loss():
        # As main.c: as many whole batches as have every window; the last batch begins anew.
        total, batches = 0.0, (windows - 1) // a.batch + 1
        with torch.no_grad():
            for batch in range(batches):
                starts = [(batch * a.batch + row) % windows * a.window for row in range(a.batch)]
                total += loss_of(model, *rows(test, starts, a.window)).item()
        return total / batches

    begin, total = time.perf_counter(), 0.0
    for step in range(a.steps):
        starts = [Random(SEED, step * a.batch + row).below(len(training) - a.window) for row in range(a.batch)]
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step, a.steps)
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, *rows(training, starts, a.window))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimizer.step()
        total += loss.item()
        if (step + 1) % a.every == 0:
            print(f"step {step + 1}: loss {total / a.every:.4f}, test loss {test_loss():.4f}, "
                  f"{time.perf_counter() - begin:.2f} s", flush=True)
            total = 0.0


if __name__ == "__main__":
    main()
