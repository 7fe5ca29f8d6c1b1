#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random modules of tests/pytorch/random_modules.py through dlc.compile, with losses and optimizers as objects of PyTorch.

usage: random_torch.py [--seed S] [--count N] [--first I] [--more] [--check]

The losses of the first steps, the gradients of the first one and predictions afterwards must be PyTorch's in float64, as far as
PyTorch's own float32 is, or dlc.compile must refuse with a sentence. Modules are compiled without dlc.compile's own comparison,
which runs the interpreter; --check leaves it in. What differs is compiled and compared once more in float64, a thousand times as
closely: what is equal there is "rounding". The rest is compiled as users do, with the comparison, which has to refuse it: an
exporter of PyTorch has lost something. So are modules that PyTorch does not compute in float64. One line a module, and a summary. The environment is that of common.py; needs torch,
onnx and onnxscript.
"""
import argparse
import collections
import copy
import sys
import warnings

from common import SOURCES, dlc, np

sys.path.insert(0, str(SOURCES / "tests" / "pytorch"))
import torch  # noqa: E402
from torch import nn  # noqa: E402

import make_references as references  # noqa: E402
import random_layers  # noqa: E402
import random_modules  # noqa: E402

LOSSES = {"softmax-cross-entropy": nn.CrossEntropyLoss, "nll": nn.NLLLoss, "bce": nn.BCELoss, "mse": nn.MSELoss,
          "bce-with-logits": nn.BCEWithLogitsLoss, "l1": nn.L1Loss, "huber": nn.HuberLoss}


def compiled(case, module, check, dtype=torch.float32):
    settings = {name.replace("-", "_"): value for name, value in case["loss"].items() if name != "loss"}
    examples = tuple(references.tensors(case["inputs"], 0, dtype))
    return dlc.compile(module, examples, loss=LOSSES[case["loss"]["loss"]](**settings), check=check, batch=case["batch"],
                       optimizer=references.optimizer_of(case, module.parameters()))


def difference(case, step, expected):
    """What differs, "" where nothing does."""
    batches = [references.tensors([*case["inputs"], case["target"]], number, torch.float32)
               for number in range(len(expected["losses"]))]
    largest = max(np.linalg.norm(values) for values in expected["gradients"].values())
    probe = step.copy()
    probe.grad(*batches[0])
    for name, exact in expected["gradients"].items():
        other = next(known for known in [name, *step.origin.same[name]] if known in probe.gradients())
        off = np.linalg.norm(probe.gradient(other).ravel().astype(np.float64) - exact)
        if not off <= 3 * expected["gradients_spread"][name] + 1e-5 * np.linalg.norm(exact) + 1e-6 * largest:
            return f"the gradient of '{name}' is off by {off:.3g} of {np.linalg.norm(exact):.3g}"
    for number, (batch, exact, spread) in enumerate(zip(batches, expected["losses"], expected["losses_spread"])):
        loss = step(*batch)
        if not abs(loss - exact) <= 3 * spread + 3e-5 * max(1, abs(exact)):
            return f"the loss of step {number} is {loss:.7g}, PyTorch's {exact:.7g}"
    inputs = references.tensors(case["inputs"], references.LATER, torch.float32, references.LATER + 1)
    off = np.abs(step.predict(*inputs).ravel() - np.array(expected["predicted"])).max()
    if not off <= 3 * expected["predicted_spread"] + 6e-5 * max(1, np.abs(expected["predicted"]).max()):
        return f"predictions are off by {off:.3g}"
    return ""


def is_rounding(case, module, expected):
    """Whether the gradients of the same module in float64 are PyTorch's. Numbers in ONNX's attributes are float32. Where PyTorch's
    exporter writes a file with numbers of both kinds, which is refused, nothing is known."""
    try:
        step = compiled(case, copy.deepcopy(module).double(), False, torch.float64)
    except dlc.CompileError:
        return False
    step.grad(*references.tensors([*case["inputs"], case["target"]], 0, torch.float64))
    largest = max(np.linalg.norm(values) for values in expected["gradients"].values())
    for name, exact in expected["gradients"].items():
        other = next(known for known in [name, *step.origin.same[name]] if known in step.gradients())
        if not np.linalg.norm(step.gradient(other).ravel() - exact) <= 1e-6 * np.linalg.norm(exact) + 1e-9 * largest:
            return False
    return True


def without_reference(case, module):
    """Of a module that PyTorch does not compute in float64: it is compiled as users do, with the comparison in float32. Where
    PyTorch's own backward pass fails, dlc.compile has to say so."""
    trained, error = copy.deepcopy(module), None
    *inputs, target = references.tensors([*case["inputs"], case["target"]], 0, torch.float32)
    try:
        LOSSES[case["loss"]["loss"]]()(trained(*inputs), target).backward()
    except RuntimeError as failure:
        error = references.first_line(failure)
    try:
        compiled(case, module, check=True)
    except dlc.CompileError as refusal:
        return "not trained by PyTorch, refused" if error else "refused", str(refusal).splitlines()[0]
    return ("NOT REFUSED, not trained by PyTorch", error) if error else ("equal in float32", "")


def judge(case, module, check):
    try:
        expected = references.numbers(case, module, random_modules.STEPS, gradients=True)
    except RuntimeError:
        return without_reference(case, module)
    if not random_modules.finite(expected):
        return "not finite in PyTorch", ""
    try:
        step = compiled(case, module, check)
    except dlc.CompileError as error:
        return "refused", str(error).splitlines()[0]
    text = difference(case, step, expected)
    if not text:
        return "equal", ""
    if is_rounding(case, module, expected):
        return "rounding", text
    try:
        compiled(case, module, check=True)
    except dlc.CompileError as error:
        return "refused when compared", str(error).splitlines()[0]
    return "DIFFERENT", text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    chain = random_modules.more if arguments.more else random_layers.chain
    counts = collections.Counter()
    for number in range(arguments.first, arguments.first + arguments.count):
        case, module = random_modules.make_case(arguments.seed, number, chain)
        verdict, text = judge(case, module, arguments.check)
        counts[verdict] += 1
        print(f"{number}: {verdict}" + (f": {text} [{case['about']}]" if text else ""), flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    sys.exit(1 if any(verdict.isupper() or verdict.startswith("NOT ") for verdict in counts) else 0)


if __name__ == "__main__":
    main()
