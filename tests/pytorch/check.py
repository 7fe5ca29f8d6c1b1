#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains what PyTorch exported with dlc, and compares 100 steps with PyTorch's: no silent difference.

usage: check.py DLC [--exporter NAME] [--only TEXT] [--record] [-O N] [--option=OPTION...]

For each file of references/ the verdict is one of

    equal    every loss and the predictions afterwards are PyTorch's, as exact as float32 is (README.md)
    warned   they are not, and dlc's warnings name the nodes
    refused  dlc reports an error with its reason

and it must be the one that is stored, or better. Files that tools/export made must have the parameters of the
state_dict under their names, and train without a warning. --record stores the verdicts that were found.
--option is one more for `dlc compile`, such as --option=--target=nvptx --option=--gpu-code=simt for code for GPUs
that the stand-in driver runs, where the dynamic linker finds it (README.md). Python's standard library is enough.
"""
import argparse
import json
import math
import pathlib
import re
import sys
import tempfile

import compiled
import data

HERE = pathlib.Path(__file__).resolve().parent
RANKS = {"equal": 0, "warned": 1, "refused": 2, "WRONG": 3}


def norm(values):
    return math.sqrt(sum(value * value for value in values))


def compare_gradients(model, case, relative=1e-5, floor=1e-6):
    """Of the first step, in the norm of each parameter; where a gradient cancels to nothing, what is left of the
    others' roundings (`floor` of the largest) is allowed. Moves the running statistics as any step does."""
    model.step("grad_step", data.batch([*case["inputs"], case["target"]], 0, case["batches"]))
    floor *= max(map(norm, case["gradients"].values()))
    trained, ties = model.trained(), {name: tied["names"] for tied in case["parameters"] for name in tied["names"]}
    for name, exact in case["gradients"].items():
        written = next(other for other in ties[name] if other in trained)
        difference = norm([a - b for a, b in zip(model.read("gradient_read", written), exact)])
        if not difference <= 3 * case["gradients_spread"][name] + relative * norm(exact) + floor:
            return f"gradient of '{name}': off by {difference:.3g} of {norm(exact):.3g}"
    return ""


def compare_losses(model, case):
    """Of training steps. Says where it is worst, measured by the bound."""
    worst, sentence = 1, ""
    for step, (exact, spread) in enumerate(zip(case["losses"], case["losses_spread"])):
        loss = model.step("train_step", data.batch([*case["inputs"], case["target"]], step, case["batches"]))
        excess = abs(loss - exact) / (3 * spread + 1e-5 * max(1, abs(exact)))
        if not excess <= worst:  # also NaN
            worst, sentence = excess, f"loss at step {step}: {loss:.7g}, PyTorch {exact:.7g}"
    return sentence


def compare_frozen(before, after):
    """Every bit of a frozen parameter stays."""
    return "".join(f"'{name}' is frozen, but changed; " for name in before if before[name] != after[name])


def compare_predictions(model, case):
    """Of evaluation mode, on data of no training step."""
    found = model.predict(data.batch(case["inputs"], case["predicted_step"], case["predicted_step"] + 1))[0]
    for i, (ours, exact) in enumerate(zip(found, case["predicted"])):
        if not abs(ours - exact) <= 3 * case["predicted_spread"] + 2e-5 * max(1, abs(exact)):
            return f"prediction {i}: {ours:.7g}, PyTorch {exact:.7g}"
    return ""


def compare(folder, case, with_gradients=True):
    """What differs from PyTorch; empty where nothing does. The gradients are looked up by the names of the
    state_dict, which only plain exports are known to keep."""
    if with_gradients and "gradients" in case:
        with compiled.Model(folder) as model:
            if difference := compare_gradients(model, case):
                return difference
    with compiled.Model(folder) as model:
        frozen = lambda: {name: model.read("parameter_read", name) for name in case.get("frozen", ())}
        before = frozen()
        return compare_losses(model, case) or compare_frozen(before, frozen()) or compare_predictions(model, case)


def names_differ(model, case):
    """How the trained parameters differ from the state_dict's."""
    found, missing = model.trained(), []
    for parameter in case["parameters"]:  # tied ones have several names, of which one is in the file
        name = next((name for name in parameter["names"] if found.get(name) == parameter["shape"]), None)
        if name is None:
            missing.append(f"'{parameter['names'][0]}'")
        else:
            del found[name]
    if not missing and not found:
        return ""
    more = ", ".join(f"'{name}'" for name in found)
    return f"parameters: not trained: {', '.join(missing) or 'none'}; trained besides: {more or 'none'}"


def named_nodes(warnings):
    """The names in quotes."""
    return sorted({name for line in warnings for name in re.findall(r"'([^']+)'", line)})


def judge(dlc, case, folder, record, options):
    """(verdict, names or reason, sentence for people); `options` are those of dlc besides the reference's."""
    with tempfile.TemporaryDirectory() as made:
        try:
            values = [f"--parameters={pathlib.Path(folder) / record['values']}"] if "values" in record else []
            printed = compiled.compile_model(dlc, pathlib.Path(folder) / record["file"], made,
                                             [*case["options"], *values, *options])
        except compiled.Refused as refused:
            reason = next(line for line in str(refused).splitlines() if "error: " in line)
            return "refused", reason.split("error: ", 1)[1], reason
        warnings = [line for line in printed.splitlines() if ": warning: " in line]
        try:
            right_way = (record["mode"], record["how"]) == ("train", "plain")
            with compiled.Model(made) as model:
                difference = right_way and names_differ(model, case)
            difference = difference or compare(made, case, right_way)
            if right_way and warnings and not difference:
                return "WRONG", "", f"equal, but warned: {warnings[0]}"
        except RuntimeError as error:
            difference, warnings = str(error), []
    if not difference:
        return "equal", "", ""
    if warnings:
        return "warned", named_nodes(warnings), f"{difference}; {warnings[0].split('warning: ', 1)[1]}"
    return "WRONG", "", f"differs without a warning: {difference}"


def failure(record, verdict, detail):
    """What is wrong with a verdict, given the stored one."""
    expected = record.get("verdict", "equal")
    if verdict == "WRONG" or RANKS[verdict] > RANKS[expected]:
        return f"expected {expected}"
    if verdict == expected == "warned" and not set(record["names"]) <= set(detail):
        return f"the warning should name {', '.join(record['names'])}; it names {', '.join(detail)}"
    if verdict == expected == "refused" and record["reason"] not in detail:
        return f"expected the reason {record['reason']!r}"
    return ""


def write(case, path):
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def cell(record):
    return f"{record['exporter']} {record['mode']} {record['how']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dlc")
    parser.add_argument("--exporter", help="dynamo or torchscript alone")
    parser.add_argument("--references", type=pathlib.Path, default=HERE / "references",
                        help="the folder of the references")
    parser.add_argument("--only", default="", help="files whose names contain this")
    parser.add_argument("--record", action="store_true", help="store the verdicts")
    parser.add_argument("-O", default="0", dest="optimization", help="of dlc compile (default 0: the quickest)")
    parser.add_argument("--option", action="append", default=[], help="one more for dlc compile")
    arguments = parser.parse_args()

    table, failures, count = {}, 0, dict.fromkeys(RANKS, 0)
    for path in sorted(arguments.references.glob("*.json")):
        case, known = json.loads(path.read_text()), {}
        for record in case["files"]:
            if arguments.exporter not in (None, record["exporter"]):
                continue
            if arguments.only not in record.get("file", ""):
                continue
            if "not_exported" in record:
                table.setdefault(path.stem, []).append("-")
                continue
            # Some ways to export write the same file; the first, train plain, is judged most strictly.
            if record["file"] not in known:
                known[record["file"]] = judge(arguments.dlc, case, path.parent, record,
                                              [f"-O{arguments.optimization}", *arguments.option])
            verdict, detail, sentence = known[record["file"]]
            count[verdict] += 1
            table.setdefault(path.stem, []).append(verdict)
            if arguments.record:
                for key in ("verdict", "names", "reason"):
                    record.pop(key, None)
                more = {"warned": {"names": detail}, "refused": {"reason": detail}}
                record.update({"verdict": verdict}, **more.get(verdict, {}))
            wrong = failure(record, verdict, detail)
            failures += bool(wrong)
            print(f"{'FAIL ' if wrong else ''}{path.stem}, {cell(record)}, operator set {record['opset']}: "
                  f"{verdict}{': ' if sentence else ''}{sentence}{f' ({wrong})' if wrong else ''}", flush=True)
        if arguments.record:
            write(case, path)

    print("\nmodule".ljust(24) + "verdicts: train plain, train default, eval plain, eval default")
    for name, verdicts in table.items():
        print(name.ljust(23) + "  ".join(verdict.ljust(7) for verdict in verdicts))
    print(", ".join(f"{number} {verdict}" for verdict, number in count.items()), f"; {failures} failures")
    if not table:
        sys.exit("no such file")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
