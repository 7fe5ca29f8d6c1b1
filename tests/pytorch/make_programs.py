#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saves modules as exported programs (.pt2), trains them in PyTorch, and stores both.

usage: make_programs.py [MODULE ...]
       make_programs.py --references OUT [MODULE ...]

Writes programs/MODULE.json and programs/MODULE.train.plain.pt2 of the modules of program_modules.py. Files are
stored without sample inputs and without this machine's folders, but for the first, which stays as PyTorch wrote it.
--references saves the modules of references/ in OUT instead, three times each: as they are, without operators in
place (run_decompositions({})), and of PyTorch's core operators alone (run_decompositions()); their numbers are those
that are stored. check.py --references OUT then compares all. Needs torch 2.8 or later; the test needs Python alone.
"""
import json
import pathlib
import re
import sys
import warnings
import zipfile

import torch

import check
import make_references
import modules
import program_modules

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 50


def save(case, module, path, form="plain"):
    """The module as an exported program with an open batch."""
    examples = tuple(make_references.tensors(case["inputs"], 0, torch.float32))
    batch = torch.export.Dim("batch", min=1, max=1024)
    module = make_references.in_training(module)
    try:
        program = torch.export.export(module, examples, dynamic_shapes=tuple({0: batch} for _ in examples))
    except Exception:  # PyTorch tells a batch of one from others in some modules
        batch = torch.export.Dim("batch", min=2, max=1024)
        program = torch.export.export(module, examples, dynamic_shapes=tuple({0: batch} for _ in examples))
    if form != "plain":
        program = program.run_decompositions({}) if form == "functional" else program.run_decompositions()
    torch.export.save(program, str(path))


def shorten(path):
    """Leaves out what no test reads."""
    with zipfile.ZipFile(path) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries:
            if "/sample_inputs/" in name or "/.data/" in name:
                continue
            if name.endswith(".json"):
                content = json.dumps(shortened(json.loads(content)), separators=(",", ":")).encode()
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


def shortened(value):
    """Traces name files without folders; the classes of modules are left out."""
    if isinstance(value, list):
        return [shortened(each) for each in value]
    if not isinstance(value, dict):
        return value
    result = {key: shortened(each) for key, each in value.items() if key not in ("nn_module_stack", "torch_fn")}
    if isinstance(result.get("stack_trace"), str):
        result["stack_trace"] = re.sub(r'File "[^"]*/((?:torch/nn/modules/)?[^"/]*)"', r'File "\1"', result["stack_trace"])
    return result


def described(case, module, files, numbers):
    options = [option for option in make_references.dlc_options(case) if not option.startswith("--freeze")]
    frozen = [name for name, parameter in module.named_parameters() if not parameter.requires_grad]
    return {"about": case["about"], "torch": torch.__version__, "options": options, "inputs": case["inputs"],
            "target": case["target"], "batches": make_references.BATCHES, "predicted_step": make_references.LATER,
            "parameters": make_references.parameters(module), "files": files,
            **({"frozen": frozen} if frozen else {}), **numbers}


def record(name, form):
    return {"file": f"{name}.train.{form}.pt2", "exporter": "export", "mode": "train", "how": form, "opset": "aten"}


def make(case, number):
    torch.manual_seed(number)
    module = make_references.freeze(case, case["module"]())
    folder = HERE / "programs"
    folder.mkdir(exist_ok=True)
    form = program_modules.FORMS.get(case["name"], "plain")
    one = {**record(case["name"], form), "how": "plain"}  # judged as strictly
    save(case, module, folder / one["file"], form)
    if number > 0:
        shorten(folder / one["file"])
    made = make_references.numbers(case, module, STEPS, gradients=True)
    check.write(described(case, module, [one], made), folder / f"{case['name']}.json")
    print(f"{case['name']}: loss {made['losses'][0]:.4f} -> {made['losses'][-1]:.4f}", flush=True)


def stored_module(case, stored, count):
    """The module whose first loss is the stored one: its seed was its number when the references were made."""
    *inputs, target = make_references.tensors([*case["inputs"], case["target"]], 0, torch.float32)
    for number in range(count):
        torch.manual_seed(number)
        module = make_references.freeze(case, case["module"]())
        with torch.no_grad():
            loss = make_references.loss_of(case)(make_references.in_training(module)(*inputs), target)
        if abs(loss.item() - stored["losses"][0]) <= 1e-5 * max(1, abs(loss.item())):
            return module
    sys.exit(f"{case['name']}: no seed gives the stored losses; make the references anew")


def save_references(cases, out):
    """With the numbers that are stored already."""
    out.mkdir(parents=True, exist_ok=True)
    for number, case in cases:
        stored = json.loads((HERE / case["folder"] / f"{case['name']}.json").read_text())
        module = stored_module(case, stored, len(modules.REFERENCES))
        files = []
        for form in ("plain", "functional", "core"):
            one = record(case["name"], form)
            try:
                save(case, module, out / one["file"], form)
            except Exception as error:
                one = {**one, "not_exported": make_references.first_line(error)}
            files.append(one)
        numbers = {key: value for key, value in stored.items()
                   if key.startswith(("losses", "predicted", "gradients")) and key != "predicted_step"}
        check.write(described(case, module, files, numbers), out / f"{case['name']}.json")
        print(case["name"], [one.get("not_exported", "saved") for one in files], flush=True)


def main():
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    arguments = sys.argv[1:]
    of_references = arguments[:1] == ["--references"]
    names = arguments[2:] if of_references else arguments
    cases = modules.REFERENCES if of_references else program_modules.REFERENCES
    wanted = [(number, case) for number, case in enumerate(cases) if not names or case["name"] in names]
    if of_references:
        return save_references(wanted, pathlib.Path(arguments[1]))
    for number, case in wanted:
        make(case, number)


if __name__ == "__main__":
    main()
