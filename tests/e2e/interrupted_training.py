"""dlc train is interrupted, goes on, and ends with the same bits as a training that was not.

    python3 interrupted_training.py DLC MODEL DATA

Once it is killed (SIGKILL) at some moment after a checkpoint within an epoch, once again and again while it writes a
checkpoint after every step, once it is asked to end (SIGINT), after which the command that it prints goes on. The moments
are drawn anew in each run of the test.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

EPOCHS, STEPS_PER_EPOCH = 4, 156


def position(folder):
    """The step of the last checkpoint and the batch within its epoch."""
    try:
        with open(f"{folder}/progress.json") as file:
            last = json.load(file)["checkpoints"][0]
            return last["step"], last["batch"]
    except (OSError, ValueError):
        return 0, 0


def command_for(dlc, model, data, folder, *more):
    return [dlc, "train", model, f"--data={data}", "--loss=softmax-cross-entropy", "--optimizer=adam", "--batch=64",
            f"--epochs={EPOCHS}", "--schedule=one-cycle", "--warmup=10", "--seed=3", "-o", folder,
            f"--log={folder}.csv", *more]


def run_until(command, folder, step, number):
    """Starts the command and sends the signal where a checkpoint within an epoch is at `step` or later."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + 240
    while process.poll() is None and time.monotonic() < end:
        done, batch = position(folder)
        if done >= step and batch > 0:
            time.sleep(random.uniform(0, 0.02))
            process.send_signal(number)
            break
        time.sleep(0.001)
    output = process.communicate(timeout=60)[0]
    print(output, end="")
    return process.returncode, output


def check(condition, text):
    if not condition:
        sys.exit(f"interrupted_training.py: {text}")


def table(folder):
    """The rows of the log, without the time that an epoch took."""
    with open(f"{folder}.csv") as file:
        return [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def compare(folder):
    for name in ("last.safetensors", "best.safetensors", "weights.safetensors"):
        with open(f"whole/{name}", "rb") as one, open(f"{folder}/{name}", "rb") as other:
            check(one.read() == other.read(), f"{folder}/{name} differs from that of the training without a pause")
    check(table(folder) == table("whole"), f"{folder}.csv differs from that of the training without a pause")


def main():
    dlc, model, data = sys.argv[1:]
    for folder in ("whole", "killed", "often", "asked"):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["rm", "-f", f"{folder}.csv"], check=True)
    subprocess.run(command_for(dlc, model, data, "whole", "--threads=1"), check=True)
    check(len(table("whole")) == EPOCHS, "the log has other rows than epochs")

    killed = command_for(dlc, model, data, "killed", "--save-every=7")
    step = random.randrange(20, (EPOCHS - 2) * STEPS_PER_EPOCH)
    print(f"killed from step {step} on")
    status, _ = run_until(killed, "killed", step, signal.SIGKILL)
    check(status == -signal.SIGKILL, f"expected to be killed, ended with {status}")
    # As if it had been killed when an epoch's row was written, and its checkpoint not yet.
    with open("whole.csv") as rows, open("killed.csv", "a") as log:
        log.write(rows.readlines()[-1])
    subprocess.run(killed + ["--resume", "--threads=2"], check=True)
    compare("killed")

    often = command_for(dlc, model, data, "often", "--save-every=1", "--resume", "--threads=1")
    for _ in range(3):
        step = position("often")[0] + random.randrange(1, 40)
        print(f"killed again from step {step} on")
        status, _ = run_until(often, "often", step, signal.SIGKILL)
        check(status == -signal.SIGKILL, f"expected to be killed, ended with {status}")
    subprocess.run(command_for(dlc, model, data, "often", "--resume", "--threads=1"), check=True)
    compare("often")
    left = [name for name in os.listdir("often") if name.startswith(".")]
    check(not left, f"files that were not finished are still there: {left}")

    asked = command_for(dlc, model, data, "asked", "--save-every=5", "--threads=2")
    step = random.randrange(10, 2 * STEPS_PER_EPOCH)
    print(f"asked to end from step {step} on")
    for number in (signal.SIGINT, signal.SIGTERM):
        status, output = run_until(asked, "asked", step, number)
        check(status == 128 + number, f"expected the exit status {128 + number}, found {status}")
        marker = "go on with: "
        check(marker in output, "the command to go on with is not printed")
        asked = ["/bin/sh", "-c", "exec " + output[output.index(marker) + len(marker):].splitlines()[0]]
        step = position("asked")[0] + 30
    subprocess.run(asked, check=True)
    compare("asked")


main()
