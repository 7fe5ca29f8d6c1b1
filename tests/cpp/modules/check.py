# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the modules of the C++ frontend with PyTorch's stored numbers (README.md). Python's standard library:

    check.py build/bin/dlc FAMILY [--compiled]
"""
import argparse
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from numbers_of import REAL, numbers_of, sketch

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]
PAGE = ROOT / "docs" / "accuracy.md"


def families():
    return sorted(path.stem for path in FOLDER.glob("*.cpp"))


def describe(dlc, family, model, *options):
    """Runs dlc compile; the lines of the cases, which the description prints."""
    environment = {**os.environ, "CXXFLAGS": f"-I{ROOT} " + os.environ.get("CXXFLAGS", "")}
    command = [dlc, "compile", str(FOLDER / f"{family}.cpp"), f"--model={model}", *options]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: exit status {result.returncode}\n{result.stderr[-4000:]}")
    lines = (result.stdout + result.stderr).splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"key": ')]


def cases_of(dlc, family):
    with tempfile.TemporaryDirectory() as folder:
        return describe(dlc, family, family, "--emit=import", "-o", folder)


def read_tensors(path):
    """{name: (shape, numbers)} of the floats in a safetensors file."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__" and entry["dtype"] in ("F64", "F32"):
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            size = 8 if entry["dtype"] == "F64" else 4
            tensors[name] = list(struct.unpack(f"<{(end - begin) // size}{'d' if size == 8 else 'f'}", data[begin:end]))
    return tensors


class Interpreted:
    """Gradients in double precision: a step of SGD with the learning rate 1 by the reference interpreter."""

    tolerance, least = 5e-7, 1e-3  # numbers in the text of an operation may have seven digits
    columns, rounding = (2, 3), 1e-11  # of docs/accuracy.md; the stored numbers have twelve digits

    def __init__(self, dlc, family):
        with tempfile.TemporaryDirectory() as folder:
            self.cases = describe(dlc, family, family, "--emit=backward", "-o", folder)
            program, = pathlib.Path(folder).glob("*.mlir")
            interpret = pathlib.Path(dlc).parent / "dlc-interpret"
            subprocess.run([interpret, program, "--function=train_step", "--input=one=zeros",
                            f"--write-state={folder}/after.safetensors"], check=True, stdout=subprocess.DEVNULL)
            self.after = read_tensors(f"{folder}/after.safetensors")

    def gradient(self, name, before):
        return [old - new for old, new in zip(before, self.after[name], strict=True)]


class Compiled:
    """Gradients of compiled code in single precision."""

    tolerance, least = 2e-4, 5e-2
    columns, rounding = (4, 5), 1e-6

    def __init__(self, dlc, family):
        sys.path.insert(0, str(ROOT / "tests" / "pytorch"))
        from compiled import Model
        self.folder = tempfile.TemporaryDirectory()
        self.cases = describe(dlc, family, f"{family}32", "-o", self.folder.name, "--name=model", "--emit=shared",
                              "--embed-weights")
        self.model = Model(self.folder.name)
        self.model.step("grad_step", [[0.0]])

    def gradient(self, name, before):
        return self.model.read("gradient_read", name)


def name_of(key):
    """What a case is of: a module, or a function of torch.nn.functional or of torch."""
    if module := re.match(r"nn\.(\w+)", key):
        return module[1]
    package, function = re.search(r"\b(F|torch)\.(\w+)", key).groups()
    return ("functional::" if package == "F" else "dlc::") + function


def stated(columns):
    """The largest differences of results and of gradients that docs/accuracy.md has, by name_of()."""
    rows = re.findall(r"^\| `([\w:]+)` (\|.*)\|$", PAGE.read_text().partition("\n## Optimizers")[0], re.MULTILINE)
    return {name: [float(row.split("|")[column]) for column in columns] for name, row in rows}


def differences_of(case, reference, gradient, least):
    """What was compared, whether it is a gradient, what was found and what PyTorch has, and how far they are apart in
    parts of the tensor's norm: nearly that of the difference, as the sums are of products with random numbers."""
    key, number = case["key"], case["number"]

    def compared(what, is_gradient, got, expected):
        apart = max(abs(a - b) for a, b in zip(got, expected)) / (expected[2] + least)
        return what, is_gradient, got, expected, apart if math.isfinite(apart) else math.inf

    yield compared("the result", False, gradient(f"sketch{number}", [1, 0]), reference["y"])
    for i, given in enumerate(case["inputs"]):
        if str(i) in reference["gradients"]:
            before = numbers_of(f"{key}|{i}", math.prod(given["shape"]), given["kind"], given["high"])
            yield compared(f"gradient of input {i}", True, sketch(key, gradient(f"x{number}_{i}", before)),
                           reference["gradients"][str(i)])
    for name, shape, _ in case["parameters"]:
        before = [n / 4 for n in numbers_of(f"{key}|{name}", math.prod(shape), REAL)]
        yield compared(f"gradient of '{name}'", True, sketch(key, gradient(f"m{number}.{name}", before)),
                       reference["gradients"][name])


def problems_of(case, reference):
    """Sentences about a shape, a text or initial values that differ from the reference."""
    key = case["key"]
    if case["shape"] != reference["shape"]:
        yield f"the result has the shape {case['shape']}, PyTorch's {reference['shape']}"
    if case["text"] != reference.get("text", ""):
        yield f"prints as\n{case['text']}\nPyTorch's as\n{reference['text']}"
    initial = reference.get("initial", {})
    if {name: shape for name, shape, _ in case["parameters"]} != {name: shape for name, (shape, _) in initial.items()}:
        yield f"has the parameters {case['parameters']}, PyTorch's {initial}"
        return
    for name, _, found in case["parameters"]:
        expected = initial[name][1]
        # Normal numbers are PyTorch's up to the last digits.
        if abs(found - expected) > (1e-6 if "Embedding" in key or "bias_kv" in key else 1e-10) * max(1, abs(expected)):
            yield f"'{name}' starts with other numbers: {found}, PyTorch's {expected}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("dlc")
    arguments.add_argument("family", choices=families())
    arguments.add_argument("--compiled", action="store_true")
    given = arguments.parse_args()
    references = json.loads((FOLDER / f"{given.family}.json").read_text())
    run = (Compiled if given.compiled else Interpreted)(given.dlc, given.family)
    page = stated(run.columns)
    failed = 0
    for case in run.cases:
        reference = references.pop(case["key"], None)
        found = ["has no reference: run make_references.py"] if reference is None else list(problems_of(case, reference))
        if not found:
            known = page.get(name_of(case["key"]), [0, 0])
            for what, is_gradient, got, expected, apart in differences_of(case, reference, run.gradient, run.least):
                if apart > run.tolerance:
                    found.append(f"{what}: {list(got)}, PyTorch has {expected}")
                elif apart > max(4 * known[is_gradient], run.rounding):
                    found.append(f"{what}: differs from PyTorch's by {apart:.1e} of its norm, where docs/accuracy.md says "
                                 f"{known[is_gradient]}: update_accuracy.py there writes the page")
        failed += bool(found)
        for problem in found:
            print(f"{case['key']}: {problem}")
    if references:
        print(f"references without a case: {', '.join(references)}")
    print(f"{len(run.cases)} cases, {failed} differ")
    sys.exit(1 if failed or references or not run.cases else 0)


if __name__ == "__main__":
    main()
