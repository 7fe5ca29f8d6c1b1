#!/usr/bin/env python3
"""Compares the first training step of other people's models, compiled, with the interpreter's.

usage: foreign_steps.py DLC FIRST_STEP FOLDER [--list FILE]

What `dlc check` accepts is trained with a loss that first-step (tests/numerics) chooses (of the numbers of formulas
where there is nothing else to train), or compiled for prediction where there is nothing to train, and `dlc verify` must
find its numbers equal: to the interpreter's, and gradients to finite differences, over STEPS steps. What it refuses must have reasons: an error that names the file for each, none of them twice. --list
writes a line for each model: its path, what it was compiled for ("refused" with all reasons), what came out.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import os
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from foreign_models import run

# Sizes that models leave open: the batch, and the others, unless a message says what fits.
BATCH, SIZE = 4, 3
# Of a training that is followed, and after which nothing new is begun.
STEPS, SECONDS = 10, 20


def missing_dims(errors):
    return re.findall(r"give its size with --dim '(.*)=N'", errors)


def fitting_sizes(errors, names):
    """What an error about a product says of a dim: `equal inner dims, got input_0_dim1 of a and 784 of b`."""
    sizes = {}
    for a, b in re.findall(r"equal inner dims, got (\S+) of a and (\S+) of b", errors):
        for name in names:
            identifier = re.sub(r"\W", "_", name)
            if a == identifier and b.isdigit():
                sizes[name] = int(b)
            elif b == identifier and a.isdigit():
                sizes[name] = int(a)
    return sizes


def sums(sizes):
    """Exporters call a dim after those it is the sum of: `past_length + length`, `total_length`."""
    parts = {name: [part.strip() for part in name.split("+")] for name in sizes if "+" in name}
    for name in sizes:
        if name.startswith("total_") and "past_" + name[6:] in sizes:
            parts[name] = ["past_" + name[6:], name[6:]]
    return {name: sum(sizes.get(part, SIZE) for part in names) for name, names in parts.items()}


def check(dlc, path, size=SIZE):
    """(exit status, stderr, options that give sizes to symbolic dims)"""
    status, errors = run(dlc, "check", str(path))
    names = missing_dims(errors)
    if status != 1 or not names:
        return status, errors, []
    sizes = {**dict.fromkeys(names, size), **fitting_sizes(errors, names)}
    sizes.update(sums(sizes))
    options = [f"--dim={name}={size}" for name, size in sizes.items()]
    status, errors = run(dlc, "check", str(path), *options)
    return status, errors, options


def reasons_of(path, errors):
    """(reasons, what is wrong with them or None)"""
    lines = [line for line in errors.splitlines() if not re.match(r".*?: (remark|warning): ", line)]
    reasons = [line.split("error: ", 1)[1] for line in lines if "error: " in line]
    if not reasons or any("error: " in line and path.name not in line for line in lines):
        return reasons, f"an error does not name the file: {errors[-500:]!r}"
    twice = [reason for reason, count in collections.Counter(reasons).items() if count > 1]
    return reasons, f"a reason is told twice: {twice[0]}" if twice else None


def rows_of_table(text):
    """Of a table that places 0, 1, 2 ... are looked up in: a sequence cannot be longer."""
    found = re.search(r"index (?:\d+ is not in|in) \[-(\d+), ", text or "")
    return int(found[1]) if found and 0 < int(found[1]) < SIZE else None


def answer(dlc, first_step, path):
    """(train, numbers, predict or refused; what came out; what is wrong or None)"""
    kind, line, wrong = answer_for(dlc, first_step, path, SIZE)
    rows = rows_of_table(wrong or line if wrong or kind == "refused" else None)
    return answer_for(dlc, first_step, path, rows) if rows else (kind, line, wrong)


def answer_for(dlc, first_step, path, size):
    status, errors, options = check(dlc, path, size)
    if status == 1 and "Sanitizer" not in errors:
        reasons, wrong = reasons_of(path, errors)
        return "refused", "; ".join(reasons), wrong
    if status != 0:
        return "refused", "", f"dlc check: exit status {status}: {errors[-500:]!r}"
    status, errors, output = run(first_step, str(path), f"--batch={BATCH}", *options, "--choose", stdout=True)
    lines = output.splitlines()
    line = next((line for line in lines if re.match("train|numbers|predict|refused", line)), "")
    kind = line.split(" ")[0].rstrip(":") or "crashed"
    if status != 0:
        return kind, line, f"first-step: exit status {status}: {line or (errors or output)[-500:]}"
    chosen = lines[lines.index(line) + 1:]
    def verify():
        return run(dlc, "verify", str(path), *options, *chosen, f"--steps={STEPS}", f"--seconds={SECONDS}", "--quiet",
                   "--json", stdout=True)

    status, errors, output = verify()
    # Numbers of formulas that are none of a parameter, or that the loss does not depend on, are not asked for again.
    while unreached := [f"--train={name}" for name in unreached_numbers(errors) if f"--train={name}" in chosen]:
        chosen = [option for option in chosen if option not in unreached]
        status, errors, output = verify()
    said = summary(output)
    wrong = f"dlc verify {' '.join(options + chosen)}: exit status {status}: {said} {errors[-500:]}"
    return kind, f"{line} {' '.join(chosen)}: {said}", None if status == 0 else wrong


def unreached_numbers(errors):
    return re.findall(r"\(--freeze=(\S+?)\)", errors) + re.findall(r"train '(\S+?)' matches none", errors)


def summary(output):
    """What a report of dlc verify says, in a line."""
    try:
        report = json.loads(output)
    except ValueError:
        return "no report"
    checks = report["checks"]
    worst = max((check["error"] / check["bound"] for check in checks if check["error"] and check["bound"]), default=0)
    reasons = collections.Counter(check["because_of"] for check in checks)
    kinks = f", {reasons['kink']} at a kink" if reasons["kink"] else ""
    left = f"; left out: {'; '.join(report['left_out'])}" if report["left_out"] else ""
    return (f"{report['result']}, {len(checks)} comparisons of {report['trained_tensors']} tensors over {report['steps']} steps, "
            f"at most {worst:.0%} of a bound{kinks}{left}")


def main():
    arguments = sys.argv[1:]
    list_file = arguments.pop() if len(arguments) == 5 and arguments.pop(3) == "--list" else None
    if len(arguments) != 3:
        sys.exit(__doc__)
    dlc, first_step, folder = arguments
    paths = sorted(pathlib.Path(folder).rglob("*.onnx"))
    if not paths:
        sys.exit(f"no .onnx file in {folder}")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        answers = list(pool.map(lambda path: answer(dlc, first_step, path), paths))

    count, equal, failures = collections.Counter(), collections.Counter(), 0
    for path, (kind, line, wrong) in zip(paths, answers):
        count[kind] += 1
        equal[kind] += wrong is None
        if wrong:
            failures += 1
            print(f"FAIL {path}: {wrong}")
    if list_file:
        with open(list_file, "w") as lines:
            for path, (kind, line, wrong) in zip(paths, answers):
                print(path.relative_to(folder), kind, "wrong" if wrong else "right", line, sep="\t", file=lines)
    print(f"{len(paths)} files: {count['train']} compiled as training steps, {equal['train']} equal to"
          f" the interpreter's; {count['numbers']} where only numbers of formulas can be trained,"
          f" {equal['numbers']} equal to the interpreter's; {count['predict']} for prediction alone, {equal['predict']} equal to"
          f" the interpreter's; {count['refused']} refused, {failures} wrong answers")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
