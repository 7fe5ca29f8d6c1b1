# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ../op_cases/<Family>.json: every nn operation on breaking shapes, with what PyTorch gives.

Run as `python3 tests/numerics/make_op_cases` (needs torch); the tests need only the results. See cases.py
for the form of a case.
"""
import importlib
from pathlib import Path

import torch

import cases

HERE = Path(__file__).resolve().parent


def families():
    """The modules beside this one by family: that of Random is random_numbers.py (random is Python's own)."""
    for file in sorted(HERE.glob("*.py")):
        if file.stem not in ("__main__", "cases"):
            yield file.stem.split("_")[0].capitalize(), importlib.import_module(file.stem)


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = HERE.parent / "op_cases"
    for family, module in families():
        made = list(module.cases())
        names = [c["name"] for c in made]
        assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
        lines = ",\n".join(cases.dumps(c) for c in made)  # one case a line: small diffs
        (folder / f"{family}.json").write_text(f"[\n{lines}\n]\n")
        print(f"{family}: {len(made)} cases")
    print(f"torch {torch.__version__}")
