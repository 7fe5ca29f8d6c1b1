#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdlc shows nothing by accident: the functions of dlc/compiler.h, and what the C++ headers mark with DLC_API.

usage: exported_symbols.py NM LIBRARY INCLUDE_FOLDER
"""
import re
import subprocess
import sys
from pathlib import Path

nm, library, include = sys.argv[1:]
# The classes and functions of dlc::, what the compiler makes for them (tables, guards, type names), and templates of the
# C++ library that are instantiated, which are shown in every library.
PUBLIC = re.compile(r"^_Z(TV|TI|TS|GV|GR|Th|TC|TT)?(\w*?)(N[KVrORE]*3dlc|St|NSt|NKSt|ZN3dlc|ZNK3dlc|ZNSt|ZSt|ZNKSt)")
INTERNAL = re.compile(r"4mlir|4llvm|6google|4onnx|3CLI|8nlohmann|3dlc(2tool|7session|8pipeline|4emit|7codegen|9interpret|2nn\d+\w*Op(?![a-z]))"
                      r"|3dlc(4text|5train|7forward|8backward|6record|7runtime)")


def main():
    text = subprocess.run([nm, "--defined-only", "-g", "-D", "--format=posix", library], check=True, capture_output=True,
                          text=True).stdout
    symbols = {line.split()[0].split("@")[0] for line in text.splitlines() if line.strip()}
    of_c = {name for name in symbols if not name.startswith("_Z")}
    header = Path(include, "dlc", "compiler.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"DLC_COMPILER_API[^;(]*?\b(dlc_\w+)\(", header))
    if len(declared) < 14:
        sys.exit(f"only {len(declared)} functions were found in dlc/compiler.h: is this test still right?")
    problems = [f"{name} is declared in dlc/compiler.h, and not in the library" for name in sorted(declared - of_c)]
    problems += [f"{name} is a C symbol of the library, and not declared" for name in sorted(of_c - declared)]
    problems += [f"{name} is a C++ symbol that no header declares" for name in sorted(symbols - of_c)
                 if INTERNAL.search(name) or not PUBLIC.match(name)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(declared)} C functions and {len(symbols - of_c)} C++ symbols, all of them public")


main()
