#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything that a public header declares, and does not define itself, is in the library: what is declared can be linked.

usage: public_symbols.py CLANG NM LIBRARY[,LIBRARY...] INCLUDE_FOLDER [OTHER_FOLDER...]
       public_symbols.py --of-model DLC CLANG NM MODEL INCLUDE_FOLDER

Clang reads all headers below INCLUDE_FOLDER/dlc, as C where LIBRARY is an archive, else as C++20, and says what each
function is called for the linker. --of-model takes the shared library that `dlc compile --emit=shared` makes of MODEL,
which shows the same, but for dlc/abi.h, whose functions are what the model's own call, and dlc/images.h, which has a library
of its own.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

dlc = sys.argv[2] if sys.argv[1] == "--of-model" else None
clang, nm, library, include, *others = sys.argv[3 if dlc else 1:]
isC = bool(dlc) or library.endswith(".a")
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}
TEMPLATES = {"FunctionTemplateDecl", "ClassTemplateDecl", "ClassTemplatePartialSpecializationDecl",
             "ClassTemplateSpecializationDecl", "FriendDecl"}  # those have their definitions in the header


def headers():
    found = [path for path in sorted(Path(include, "dlc").rglob("*")) if path.suffix in (".h", ".hpp")]
    return [path.relative_to(include) for path in found if not (isC and path.suffix == ".hpp")]


def declarations(text):
    """The trees that Clang prints one after the other."""
    decoder, place = json.JSONDecoder(), 0
    while (place := text.find("{", place)) >= 0:
        tree, place = decoder.raw_decode(text, place)
        yield tree


def walk(tree, declared, defined):
    kind = tree.get("kind")
    if kind in TEMPLATES:
        return
    if kind in FUNCTIONS and "mangledName" in tree and not tree.get("isImplicit"):
        hasBody = any(part.get("kind") in ("CompoundStmt", "CXXTryStmt") for part in tree.get("inner", []))
        if hasBody or tree.get("explicitlyDeleted") or tree.get("explicitlyDefaulted") or tree.get("pure"):
            defined.add(tree["mangledName"])
        else:
            declared.add(tree["mangledName"])
    for part in tree.get("inner", []):
        if isinstance(part, dict) and (kind not in FUNCTIONS):
            walk(part, declared, defined)


def symbols():
    """Names that the library shows."""
    with tempfile.TemporaryDirectory() as folder:
        if dlc:
            subprocess.run([dlc, "compile", library, "--batch=2", "--name=m", "--emit=shared", "-q", "-o", folder], check=True)
        text = subprocess.run([nm, "--defined-only", "-g", *(["-D"] if dlc or not isC else []), "--format=posix",
                               *([f"{folder}/libm.so"] if dlc else library.split(","))], check=True, capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in text.splitlines() if len(line.split()) > 2}


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "all.c" if isC else "all.cpp")
        source.write_text("".join(f'#include "{path}"\n' for path in headers()))
        command = [clang, "-xc" if isC else "-xc++", "-std=c11" if isC else "-std=c++20", "-fsyntax-only", f"-I{include}",
                   *(f"-I{other}" for other in others), "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=dlc",
                   str(source)]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    declared, defined = set(), set()
    for tree in declarations(text):
        walk(tree, declared, defined)
    if dlc:
        declared = {name for name in declared if not name.startswith(("dlc_instance_", "dlc_visit_", "dlc_image_folder_", "dlc_decode_image", "dlc_read_image"))}
    missing = sorted(declared - defined - symbols())
    least = 75 if dlc else 100 if isC else 500
    if len(declared - defined) < least:
        sys.exit(f"only {len(declared - defined)} functions were found in {len(headers())} headers: is this test still right?")
    if missing:
        readable = subprocess.run(["c++filt"], input="\n".join(missing), capture_output=True, text=True).stdout
        sys.exit(f"{library} does not have {len(missing)} functions that its headers declare:\n{readable}")
    names = ", ".join(Path(each).name for each in library.split(","))
    print(f"{len(declared - defined)} functions of {len(headers())} headers are in {names}")


main()
