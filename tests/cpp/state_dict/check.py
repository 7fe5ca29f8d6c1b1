#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""State_dicts of PyTorch go into a session and out again: the session predicts what PyTorch predicts, and what it saves
has the names, dtypes, shapes and bits of what it was given.

usage: check.py PROGRAM [MODEL...]        (program.cpp; models: the .json files of this folder)

make_references.py has stored PyTorch's names and predictions. The values of the weights are made (weights.py).
"""
import array
import json
import pathlib
import subprocess
import sys
import tempfile

import weights

HERE = pathlib.Path(__file__).resolve().parent


def is_counter(name):
    """What PyTorch counts in a batch normalization, and dlc does not keep (docs/checkpoints.md)."""
    return name.endswith(".num_batches_tracked")


def run(program, name, case, folder):
    """What the session predicts, and the file that it saves."""
    files = [folder / f"{name}.{each}" for each in ("safetensors", "input", "output", "saved.safetensors")]
    weights.write(files[0], weights.state_dict(case["tensors"]))
    files[1].write_bytes(weights.input_of(case))
    subprocess.run([program, name, *files], check=True)
    return array.array("f", files[2].read_bytes()), files[3]


def check(program, name, folder):
    case = json.loads((HERE / f"{name}.json").read_text())
    found, saved = run(program, name, case, folder)
    expected = case["predictions"]
    if len(found) != len(expected):
        sys.exit(f"{name}: {len(found)} predictions, PyTorch has {len(expected)}")
    error = max(abs(ours - exact) for ours, exact in zip(found, expected)) / max(1, *map(abs, expected))
    given = {key: value for key, value in weights.state_dict(case["tensors"]).items() if not is_counter(key)}
    kept = weights.read(saved)
    for key in given.keys() ^ kept.keys():
        sys.exit(f"{name}: '{key}' is in only one of PyTorch's state_dict and the file that was saved")
    for key, value in given.items():
        if kept[key] != value:
            sys.exit(f"{name}: '{key}' was saved as {kept[key][:2]}, PyTorch has {value[:2]}, or other values")
    print(f"{name}: {len(kept)} tensors kept, largest difference of predictions {error:.1e}")
    if not error <= 1e-5:
        sys.exit(f"{name}: the predictions are not PyTorch's")


def main():
    names = sys.argv[2:] or sorted(path.stem for path in HERE.glob("*.json"))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            check(sys.argv[1], name, pathlib.Path(folder))


if __name__ == "__main__":
    main()
