#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every kernel of a model, for several GPUs, to NVIDIA's assembler.

usage: assemble.py DLC MODEL [--ptxas=PATH] [--libraries=GPUS/GPUS...] [options of dlc compile]

Where there is no ptxas, on PATH or by the option, the test is skipped; also where --nvrtc names nothing. All kernels must
be accepted without a warning, and without a remark of C75 and two digits (of wgmma: products wait for each other), and none
may keep values in memory because registers are short (spills). A text that several libraries have is assembled once: of a
model without products of warp groups, the one for sm_90a alone is the one for sm_90a beside others.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Each list is one library; those for sm_90a alone have other products.
LIBRARIES = [["sm_80", "sm_90", "sm_90a", "sm_120"], ["sm_90a"]]
ASSEMBLED = {}  # the digest of a text, which names its architecture: the number of its kernels


def assemble(ptxas, folder, text):
    """The number of kernels; ends the test where one is refused."""
    architecture = text.split(".")[-2]
    with open(os.path.join(folder, text), "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    if digest in ASSEMBLED:
        return ASSEMBLED[digest]
    done = subprocess.run([ptxas, f"-arch={architecture}", "-v", os.path.join(folder, text), "-o", os.devnull],
                          capture_output=True, text=True)
    if done.returncode != 0 or re.search(r"warning|error", done.stderr):
        sys.exit(f"{text}: {done.stderr}")
    if remarks := re.findall(r".*\(C75\d\d\).*", done.stderr):
        sys.exit("\n".join([f"{text}:", *remarks]))
    kernels = re.findall(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads",
                         done.stderr, re.DOTALL)
    for kernel, stores, loads in kernels:
        if int(stores) or int(loads):
            sys.exit(f"{text}: {kernel} spills {stores} and {loads} bytes")
    ASSEMBLED[digest] = len(kernels)
    return len(kernels)


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    given = dict(a.lstrip("-").split("=", 1) for a in arguments if re.match("--(ptxas|libraries)=", a))
    dlc, model, *options = [a for a in arguments if not re.match("--(ptxas|libraries)=", a)]
    ptxas = given.get("ptxas") or shutil.which("ptxas")
    libraries = [gpus.split(",") for gpus in given["libraries"].split("/")] if "libraries" in given else LIBRARIES
    if not ptxas:
        print("skipped: there is no ptxas on PATH (DLC_PTXAS names another one)")
        return
    if "--nvrtc=" in options:
        print("skipped: NVRTC was not found (DLC_NVRTC names the library)")
        return
    for architectures in libraries:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([dlc, "compile", model, *options, "--target=nvptx", "--gpu=" + ",".join(architectures),
                            "--emit=ptx", "-q", "-o", folder], check=True)
            counts = {text: assemble(ptxas, folder, text) for text in sorted(os.listdir(folder))}
        if len(counts) != len(architectures) or len(set(counts.values())) != 1 or 0 in counts.values():
            sys.exit(f"expected the same kernels for {architectures}, got {counts}")
        print(f"{next(iter(counts.values()))} kernels for each of {', '.join(architectures)}")


main()
