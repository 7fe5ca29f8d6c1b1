"""docs/vocabulary.md names all optimizers, schedules and metrics, as the headers and the command line have them.

    python3 vocabulary_test.py ROOT DLC

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import subprocess
import sys

ROOT, DLC = pathlib.Path(sys.argv[1]), sys.argv[2]


def section(title):
    """Of each row of the section's table, the names in its first and in its second column."""
    text = (ROOT / "docs/vocabulary.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")][2:]
    columns = zip(*((re.findall(r"`([^`]+)`", row[0]), re.findall(r"`([^`]+)`", row[1])) for row in rows))
    return [{name for names in column for name in names} for column in columns]


def header(path, pattern):
    return set(re.findall(pattern, (ROOT / path).read_text(), re.MULTILINE))


def refusal(*arguments):
    """What dlc says of a name that it does not have: the names that it has."""
    run = subprocess.run([DLC, "train", *arguments], capture_output=True, text=True)
    assert run.returncode != 0, arguments
    return run.stderr


def compare(what, documented, found):
    if documented != found:
        sys.exit(f"docs/vocabulary.md: {what}: only there: {sorted(documented - found)}; missing: {sorted(found - documented)}")
    print(f"{what}: {len(found)} names")


described, options = section("Optimizers")
compare("optimizers of C++", {name.removeprefix("optim::") for name in described},
        header("frontends/cpp/include/dlc/optim.h", r"^struct DLC_API (\w+) : Optimizer"))
said = refusal("none.onnx", "--data=none", "--optimizer=no-such")
compare("--optimizer", options, set(re.search(r"expected (.*), lbfgs; got", said)[1].split(", ")))

functions, options = section("Learning rates")
compare("schedules of C", functions,
        header("runtime/include/dlc/schedules.h", r"^double (dlc_(?:schedule_\w+|plateau_step))\("))
source = (ROOT / "tools/dlc/train/SchedulePart.cpp").read_text()
compare("--schedule", options,
        set(re.findall(r'\{"([a-z-]+)", "', source.split("kinds[] =")[1].split("};")[0])))

functions, options = section("Metrics")
compare("metrics of C", functions - {"<model>_eval_step"},
        header("runtime/include/dlc/metrics.h", r"^\w+ (dlc_(?!early_stop|rate_finder)\w+)\("))
source = (ROOT / "tools/dlc/train/MetricNames.h").read_text()
lists = re.findall(r"metric\w+ = \{(.*?)\}", source, re.DOTALL)
compare("--metrics", options, set(re.findall(r'"([a-z0-9]+)"', " ".join(lists))))
