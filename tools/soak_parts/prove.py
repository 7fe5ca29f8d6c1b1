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


def prove(build, model, sizes):
    """What was proved: train, numbers, predict or refused. Raises Wrong where the compiled code is. `sizes`: options
    --batch and --dim."""
    dlc, first_step = build / "bin/dlc", build / "bin/first-step"
    if has_verify(dlc):
        end = ended([dlc, "verify", model, *sizes])
        check_ending("dlc verify", end)
        if end.status == 0:
            return "verified"
        if re.search(r"(^|: )error: ", end.output, re.M) and not re.search(r"differs?|exceeds?|WRONG", end.output):
            return "refused"
        raise Wrong(f"dlc verify: {end.output[-1500:]}")
    batch = [option for option in sizes if option.startswith("--batch")] or ["--batch=2"]
    end = ended([first_step, model, *batch, *[option for option in sizes if option not in batch]])
    check_ending("first-step", end)
    line = next((line for line in end.output.splitlines() if re.match("train|numbers|predict|refused", line)), "")
    if end.status != 0 and not line.startswith("refused"):
        raise Wrong(f"first-step: {line or end.output[-1500:]}")
    return line.split(" ")[0].rstrip(":") or "refused"
