#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages that are made again are equal, byte by byte.  usage: reproducible.py BUILD FOLDER"""
import filecmp
import pathlib
import subprocess
import sys
import tempfile

build, packages = map(pathlib.Path, sys.argv[1:])
script = pathlib.Path(__file__).resolve().parents[2] / "tools/package/packages.py"
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, script, build, folder], check=True)
    names = sorted(path.name for path in packages.iterdir())
    assert len(names) == 3 and names == sorted(path.name for path in pathlib.Path(folder).iterdir()), names
    for name in names:
        assert filecmp.cmp(packages / name, pathlib.Path(folder, name), shallow=False), f"{name} differs"
print(f"ok: {', '.join(names)}")
