# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a model's training step, or its prediction, is right: `dlc verify` where dlc has it, else the program
first-step of the tests. Both compare compiled code with the interpreter and with finite differences."""
import functools
import re
import subprocess

from .core import Wrong, check_ending, ended


@functools.lru_cache(maxsize=None)
def has_verify(dlc):
    return subprocess.run([dlc, "verify", "--help"], capture_output=True).returncode == 0


def can_prove(build):
    return has_verify(build / "bin/dlc") or (build / "bin/first-step").exists()


def verify(dlc, model, sizes):
    """With the first loss that fits, else the prediction alone. Exit status 2 is a model that is refused."""
    for loss in (["--loss=mse"], ["--loss=softmax-cross-entropy"], []):
        end = ended([dlc, "verify", model, "--steps=3", "--seconds=2", *sizes, *loss])
        check_ending("dlc verify", end, allowed=(0, 1, 2))
        if end.status == 1:
            raise Wrong(f"dlc verify {' '.join([*sizes, *loss])}: {end.output[-1500:]}")
        if end.status == 0:
            return "verified, training" if loss else "verified, prediction"
    return "refused"


def prove(build, model, sizes):
    """What was proved: train, numbers, predict or refused (of first-step). Raises Wrong where the compiled code is.
    `sizes`: options --batch and --dim."""
    dlc, first_step = build / "bin/dlc", build / "bin/first-step"
    if has_verify(dlc):
        return verify(dlc, model, sizes)
    batch = [option for option in sizes if option.startswith("--batch")] or ["--batch=2"]
    end = ended([first_step, model, *batch, *[option for option in sizes if option not in batch]])
    check_ending("first-step", end)
    line = next((line for line in end.output.splitlines() if re.match("train|numbers|predict|refused", line)), "")
    if end.status != 0 and not line.startswith("refused"):
        raise Wrong(f"first-step: {line or end.output[-1500:]}")
    return line.split(" ")[0].rstrip(":") or "refused"
