#!/usr/bin/env python3
"""Writes the tables of docs/accuracy.md: how far modules, optimizers and learning rates are from PyTorch's.

usage: update_accuracy.py BUILD [--check]      BUILD: the build folder, e.g. build

Runs the tests that compare with PyTorch's stored numbers, and puts their largest differences between the page's markers,
rounded up to one digit. --check measures nothing: it fails where a module, an optimizer or a schedule is missing, or has
another number of cases. (The tests cpp.modules.* compare their differences with the page's.)

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import concurrent.futures
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "accuracy.md"
sys.path.insert(0, str(ROOT / "tests" / "cpp" / "modules"))
import check  # noqa: E402: it lies there


def rounded(number):
    """With one digit, upwards."""
    if number is None:
        return "not measured"
    if number == 0:
        return "0"
    if not math.isfinite(number):
        sys.exit(f"a difference is {number}: run the tests first")
    power = math.floor(math.log10(number))
    digit = math.ceil(number / 10**power * (1 - 1e-9))
    return f"1e{power + 1}" if digit == 10 else f"{digit}e{power}"


def count_modules():
    return collections.Counter(check.name_of(key) for family in check.families()
                               for key in json.loads((check.FOLDER / f"{family}.json").read_text()))


def measure_modules(dlc):
    """{name: differences of result and gradient, interpreted and compiled}"""
    found = collections.defaultdict(lambda: [0.0] * 4)

    def measure(job):
        family, (first, kind) = job
        references = json.loads((check.FOLDER / f"{family}.json").read_text())
        run = kind(dlc, family)
        return [(check.name_of(case["key"]), first + is_gradient, apart) for case in run.cases
                for _, is_gradient, _, _, apart in check.differences_of(case, references[case["key"]], run.gradient, run.least)]

    with concurrent.futures.ThreadPoolExecutor() as pool:
        for differences in pool.map(measure, itertools.product(check.families(), ((0, check.Interpreted), (2, check.Compiled)))):
            for name, column, apart in differences:
                found[name][column] = max(found[name][column], apart)
    return found


def reported(program, test):
    """{name: [cases, difference]} that a test notes in its report (tests/Differences.h)."""
    known = {"name", "file", "line", "status", "result", "timestamp", "time", "classname"}
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        subprocess.run([program, f"--gtest_filter={test}", f"--gtest_output=json:{report}"], check=True,
                       stdout=subprocess.DEVNULL)
        tests = [test for suite in json.loads(report.read_text())["testsuites"] for test in suite["testsuite"]]
    return {name: [float(part) for part in text.split()] for test in tests for name, text in test.items() if name not in known}


def count_optimizers():
    cases = json.loads((ROOT / "tests" / "numerics" / "optimizers.json").read_text())
    return collections.Counter(case["optimizer"] for case in cases)


def count_schedules():
    cases = re.findall(r"^(?:CASE|PLATEAU)\((?:dlc_schedule_)?(\w+)\(", (ROOT / "tests" / "runtime" / "schedules.inc").read_text(),
                       re.MULTILINE)
    return collections.Counter(cases)


def table(names, counts, columns):
    """Rows of a name, its cases and its numbers."""
    return "".join(f"| `{name}` | {counts[name]} | {' | '.join(map(rounded, columns(name)))} |\n" for name in names)


def written(page, marker, rows):
    after, found = re.subn(rf"(<!-- {marker} -->\n\n\|.*\n\|.*\n)(?:\|.*\n)*", lambda match: match[1] + rows, page)
    if found != 1:
        sys.exit(f"{PAGE}: expected the marker <!-- {marker} --> and the head of a table once, found them {found} times")
    return after


def update(build):
    programs = pathlib.Path(build).resolve() / "bin"
    modules = measure_modules(str(programs / "dlc"))
    interpreted = reported(programs / "numerics-tests", "Optimizer.UpdatesAsPyTorchDoes")
    compiled = reported(programs / "numerics-compiled-tests", "CompiledOptimizer.UpdatesAsPyTorchDoes")
    schedules = reported(programs / "runtime-tests", "Schedule.*PyTorch*")
    page = PAGE.read_text()
    page = written(page, "modules", table(sorted(modules), count_modules(), modules.get))
    page = written(page, "optimizers", table(sorted(interpreted), count_optimizers(),
                                             lambda name: (interpreted[name][1], compiled.get(name, [0, None])[1])))
    page = written(page, "schedules", table(sorted(schedules), count_schedules(), lambda name: schedules[name][1:]))
    PAGE.write_text(page)


def problems():
    text = PAGE.read_text()
    for marker, counts in (("modules", count_modules()), ("optimizers", count_optimizers()), ("schedules", count_schedules())):
        part = text.partition(f"<!-- {marker} -->")[2].partition("\n## ")[0]
        rows = {name: int(count) for name, count in re.findall(r"^\| `([\w:]+)` \| (\d+) \|", part, re.MULTILINE)}
        for name in sorted(counts.keys() | rows.keys()):
            if rows.get(name) != counts.get(name):
                yield f"{PAGE}: {marker}: {name} has {counts.get(name, 'no')} cases, the table says {rows.get(name, 'nothing')}"


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2] == "--check":
        found = list(problems())
        sys.exit("\n".join([*found, "run docs/update_accuracy.py BUILD"]) if found else 0)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    update(sys.argv[1])
