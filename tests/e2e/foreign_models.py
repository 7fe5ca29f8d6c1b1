#!/usr/bin/env python3
"""Feeds other people's models to dlc: it must answer each with success or an error, and never crash or hang.

usage: foreign_models.py DLC FOLDER --malformed | --models

--malformed  broken and hostile files: `dlc compile` must refuse with an error that names the file and leave no
             file behind, or make a whole library. The ones it accepts are listed, to be judged.
--models     models of all kinds: what `dlc check` accepts must compile (for a batch of 1, as `check` assumes), what
             it refuses has reasons.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SECONDS = 120  # far more than any of these models needs


def run(*command, stdout=False):
    """Exit status, stderr and, if asked for, stdout; a negative status is a signal, None a hang."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        answer = result.returncode, result.stderr, result.stdout
    except subprocess.TimeoutExpired:
        answer = None, f"did not end within {SECONDS} s", ""
    return answer if stdout else answer[:2]


def compile_model(dlc, path):
    """(accepted, what is wrong with dlc's answer or None)"""
    with tempfile.TemporaryDirectory() as folder:
        command = [dlc, "compile", str(path), "-o", folder, "--name=model"]
        status, errors = run(*command, "--batch=1")
        if "--batch has no effect" in errors:
            status, errors = run(*command)
        left = sorted(os.listdir(folder))
    if status not in (0, 1) or "Sanitizer" in errors:
        return False, f"exit status {status}: {errors[-500:]}"
    if status == 0:
        return True, None if "libmodel.a" in left and "model.h" in left else f"left only {left}"
    if path.name not in errors or "error:" not in errors:
        return False, f"the error does not name the file: {errors[:500]!r}"
    return False, f"left {left} behind" if left else None


def check_model(dlc, path):
    status, errors = run(dlc, "check", str(path))
    if status == 1 and "error:" in errors:
        return False, None
    if status != 0 or "Sanitizer" in errors:
        return False, f"dlc check: exit status {status}: {errors[-500:]!r}"
    accepted, wrong = compile_model(dlc, path)
    return accepted, wrong or (None if accepted else "dlc check accepts what dlc compile refuses")


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in ("--malformed", "--models"):
        sys.exit(__doc__)
    dlc, folder, mode = sys.argv[1:]
    paths = sorted(pathlib.Path(folder).rglob("*.onnx"))
    if not paths:
        sys.exit(f"no .onnx file in {folder}")
    answer = compile_model if mode == "--malformed" else check_model
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda path: answer(dlc, path), paths))

    failures = 0
    for path, (accepted, wrong) in zip(paths, answers):
        if wrong:
            failures += 1
            print(f"FAIL {path}: {wrong}")
        elif accepted and mode == "--malformed":
            print(f"accepted {path.name}")
    accepted = sum(answer[0] for answer in answers)
    print(f"{len(paths)} files: {accepted} compiled, {len(paths) - accepted} refused, {failures} wrong answers")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
