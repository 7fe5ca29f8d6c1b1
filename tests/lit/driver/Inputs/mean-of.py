"""Fails where the tensors of a safetensors file are not the means of those of other files.

    python3 mean-of.py FILE OTHER...

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import importlib.util
import pathlib
import sys

spec = importlib.util.spec_from_file_location("near", pathlib.Path(__file__).with_name("near.py"))
near = importlib.util.module_from_spec(spec)
near.__dict__["__name__"] = "near"
files = sys.argv[1:]
sys.argv[1:] = [files[0], files[0]]  # what near.py compares itself: equal
spec.loader.exec_module(near)
means, parts = dict(near.tensors(files[0])), [dict(near.tensors(file)) for file in files[1:]]
for name, values in means.items():
    for i, value in enumerate(values):
        mean = sum(part[name][i] for part in parts) / len(parts)
        if abs(value - mean) > 1e-6:
            sys.exit(f"mean-of.py: {name} has {value}, the mean is {mean}")
    if all(parts[0][name][i] == parts[-1][name][i] for i in range(len(values))):
        sys.exit(f"mean-of.py: {name} has not moved")
