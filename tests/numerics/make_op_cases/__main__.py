# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ../op_cases/<Family>.json: every nn operation on breaking shapes, with what PyTorch gives.

Run as `python3 tests/numerics/make_op_cases` (needs torch); the tests need only the results. See cases.py
for the form of a case.
"""
from pathlib import Path

import torch

import cases
import conv
import elementwise
import linear
import loss
import normalization
import pool
import random_numbers
import reduction
import shape

FAMILIES = dict(Elementwise=elementwise, Linear=linear, Conv=conv, Reduction=reduction, Normalization=normalization,
                Pool=pool, Shape=shape, Random=random_numbers, Loss=loss)

if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = Path(__file__).resolve().parent.parent / "op_cases"
    for family, module in FAMILIES.items():
        made = list(module.cases())
        names = [c["name"] for c in made]
        assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
        lines = ",\n".join(cases.dumps(c) for c in made)  # one case a line: small diffs
        (folder / f"{family}.json").write_text(f"[\n{lines}\n]\n")
        print(f"{family}: {len(made)} cases")
    print(f"torch {torch.__version__}")
