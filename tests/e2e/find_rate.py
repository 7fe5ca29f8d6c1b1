#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learning rates that dlc train --find-lr proposes: training with them must end well.

usage: find_rate.py DLC MODEL DATA LEAST_ACCURACY SEEDS

Each optimizer proposes a rate for each seed; with it, the model is trained for 600 steps or one epoch of the data,
whichever is more. Proposals of one optimizer may not be far from each other.
"""
import re
import subprocess
import sys

dlc, model, data, least, seeds = sys.argv[1:]
OPTIMIZERS = {"sgd": ["--optimizer=sgd"], "momentum": ["--optimizer=sgd", "--momentum=0.9"], "adam": ["--optimizer=adam"]}


def train(options, optimizer, seed):
    command = [dlc, "train", model, f"--data={data}", "--batch=64", "--loss=softmax-cross-entropy", "--threads=1",
               f"--seed={seed}", *optimizer, *options]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(command)}:\n{result.stderr}"
    return result.stdout


bad = []
for name, optimizer in OPTIMIZERS.items():
    rates = []
    for seed in range(int(seeds)):
        found = re.search(r"--lr=([0-9.e+-]+)", train(["--find-lr"], optimizer, seed))
        assert found, "no rate was proposed"
        rates.append(float(found[1]))
        samples = int(re.search(r"(\d+) samples", train(["--steps=1"], optimizer, seed))[1])
        epochs = max(1, -(-600 * 64 // samples))
        report = train([f"--epochs={epochs}", f"--lr={rates[-1]}"], optimizer, seed)
        accuracy = float(re.findall(r"accuracy ([0-9.]+)", report)[-1])
        print(f"{name:10} seed {seed}  lr {rates[-1]:<8g} accuracy {accuracy:.4f}", flush=True)
        if accuracy < float(least):
            bad.append(f"{name}, seed {seed}: accuracy {accuracy} at the rate {rates[-1]}, expected {least}")
    if max(rates) > 10 * min(rates):
        bad.append(f"{name}: rates from {min(rates)} to {max(rates)}")
if bad:
    sys.exit("\n".join(bad))
