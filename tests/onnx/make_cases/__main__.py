# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of tests/onnx: small models with inputs and the outputs that they must give.

usage: python3 tests/onnx/make_cases BACKEND_NODE_FOLDER        needs onnx and numpy

`backend/` gets those of the ONNX project's node tests (onnx/backend/test/data/node) that are named in backend.txt.
`made/` gets what those do not have: earlier versions of operators, with the attributes of their time, and attributes
that no node test sets. Their expected outputs are computed by the modules beside this one, a topic each, with numpy
from the text of the operators' specification. A case is a folder, as the ONNX project has them: model.onnx,
test_data_set_0/input_0.pb ...
"""
import importlib
import pathlib
import shutil
import sys

import cases


def main(backend):
    for folder in [cases.HERE / "made", *(cases.HERE / "backend").glob("test_*")]:  # the licence stays
        shutil.rmtree(folder, ignore_errors=True)
    for name in (cases.HERE / "backend.txt").read_text().split():
        shutil.copytree(pathlib.Path(backend) / name, cases.HERE / "backend" / name)
    for file in sorted(pathlib.Path(__file__).resolve().parent.glob("*.py")):
        if file.stem not in ("__main__", "cases"):
            cases.begin(file.stem)
            importlib.import_module(file.stem).make()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
