#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What handles containers is in the library: a description of layers has no code of vectors, strings or pointers that share,
nor the tables of the library's classes, all of which would take most of the time that it is compiled.

usage: light_headers.py NM INCLUDE_FOLDER MODEL... -- COMPILER...
"""
import re
import subprocess
import sys
import tempfile

nm, include, *rest = sys.argv[1:]
models, compilers = rest[:rest.index("--")], rest[rest.index("--") + 1:]
HEAVY = re.compile(r"std::(vector|shared_ptr|function|map|__cxx11::basic_string)<")
TABLE = re.compile(r"vtable for dlc::")


def main():
    problems = []
    for compiler in compilers:
        for model in models:
            with tempfile.NamedTemporaryFile(suffix=".o") as compiled:
                subprocess.run([compiler, "-std=c++20", "-fPIC", f"-I{include}", "-c", model, "-o", compiled.name], check=True)
                text = subprocess.run([nm, "-C", "--defined-only", compiled.name], check=True, capture_output=True, text=True).stdout
            names = [line.split(maxsplit=2)[2] for line in text.splitlines()]
            if not any("dlc_model_" in name for name in names):
                sys.exit(f"{model} has no model: is this test still right?")
            problems += [f"{compiler}, {model}: {name}" for name in names if HEAVY.search(name) or TABLE.search(name)]
    if problems:
        sys.exit("these are in the description, instead of in the library:\n" + "\n".join(problems))
    print(f"{len(models)} descriptions leave containers to the library")


main()
