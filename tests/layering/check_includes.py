#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every #include of our own headers against docs/architecture.md, "Who may include whom".

usage: check_includes.py ROOT
"""
import os
import re
import sys

# A folder may include itself and what stands here; the longest prefix of a file's path counts.
# Stages speak to each other through IR only, so none stands in another's row.
COMMON = ["dialects/", "compiler/support/"]
NESTS = COMMON + ["compiler/analysis/"]
TARGET = NESTS + ["compiler/machine/"]
CPU_FORM = TARGET + ["compiler/codegen/kernel/", "compiler/codegen/cpu/VectorLoops.h", "compiler/codegen/cpu/Interleave.h"]
GPU_FORM = TARGET + ["compiler/codegen/kernel/", "compiler/codegen/gpu/device/", "compiler/codegen/gpu/Kernels.h"]
ALLOWED = {
    "compiler/support/": [],
    "compiler/analysis/": COMMON,
    "compiler/machine/": ["compiler/support/", "dlc/abi.h"],
    "compiler/machine/cpu/": TARGET,
    "compiler/machine/gpu/": TARGET,
    "dialects/nn/": ["compiler/support/"],
    "dialects/train/": ["dialects/nn/", "compiler/support/"],
    "compiler/forward/": COMMON,
    "compiler/backward/": COMMON,
    "compiler/lower/": NESTS,
    "compiler/layout/": TARGET,
    "compiler/fuse/": NESTS,
    "compiler/schedule/": TARGET,
    "compiler/plan/": NESTS,
    "compiler/codegen/": TARGET,
    "compiler/codegen/kernel/": NESTS,
    "compiler/codegen/cpu/": TARGET + ["compiler/codegen/kernel/"],
    # Forms of kernels are made of the same parts, and do not know each other.
    "compiler/codegen/cpu/contraction/": CPU_FORM,
    "compiler/codegen/cpu/loops/": CPU_FORM,
    "compiler/codegen/gpu/": TARGET + ["compiler/codegen/kernel/"],
    "compiler/codegen/gpu/device/": GPU_FORM + ["compiler/codegen/gpu/WarpGroupCalls.h"],
    "compiler/codegen/gpu/points/": GPU_FORM,
    "compiler/codegen/gpu/contraction/": GPU_FORM,
    "compiler/codegen/gpu/attention/": GPU_FORM,
    "compiler/codegen/gpu/maths/": COMMON + ["compiler/codegen/kernel/"],
    "compiler/codegen/gpu/custom/": TARGET + ["compiler/codegen/kernel/", "compiler/codegen/gpu/Lowering.h"],
    "compiler/codegen/gpu/simt/": ["compiler/codegen/gpu/WarpGroupCalls.h", "dlc/abi.h"],
    "compiler/codegen/model/": NESTS + ["dlc/abi.h", "compiler/codegen/gpu/simt/Image.h"],
    "compiler/interpret/": COMMON,
    "compiler/emit/": NESTS + ["dlc/abi.h"],
    "compiler/pipeline/": COMMON + ["compiler/"],
    "compiler/session/": COMMON + ["compiler/interpret/", "compiler/pipeline/", "dlc/abi.h"],
    "compiler/verify/": COMMON + ["compiler/", "dlc/abi.h"],
    "frontends/common/": COMMON,
    "frontends/mlir/": COMMON,
    "frontends/onnx/": COMMON + ["frontends/common/"],
    "frontends/pt2/": COMMON + ["frontends/common/"],
    "frontends/stablehlo/": COMMON + ["frontends/common/", "frontends/mlir/"],
    # What users include knows nothing else; its implementation has two halves, of which one uses MLIR.
    "frontends/cpp/include/": ["dlc/"],
    "frontends/cpp/api/": ["frontends/cpp/record/Recorder.h", "frontends/cpp/record/Loader.h",
                          "frontends/cpp/record/Trained.h", "dlc/"],
    "frontends/cpp/record/": COMMON + ["frontends/common/", "dlc/types.h"],
    "tools/simt/": ["compiler/codegen/gpu/simt/Image.h", "runtime/cuda/driver.h", "runtime/cpu/FloatMode.h", "dlc/"],
    "tools/gpu-check/": ["runtime/core/", "runtime/cuda/", "dlc/"],
    "tools/": ["compiler/", "dialects/", "frontends/", "dlc/"],
    "runtime/": ["dlc/"],
    "runtime/core/": ["dlc/"],
    "runtime/cpu/": ["runtime/core/", "dlc/"],
    "runtime/cuda/": ["runtime/core/", "dlc/"],
    "runtime/data/": ["runtime/core/", "dlc/"],
    "runtime/train/": ["runtime/core/", "dlc/"],
    "runtime/mpi/": ["dlc/"],
    "runtime/images/": ["runtime/core/", "runtime/data/", "dlc/"],
}
# The runtime is linked into products, and users include the C++ frontend's headers: none of the compiler's libraries
# in them.
COMPILER_LIBRARIES = ("llvm/", "mlir/", "llvm-c/", "mlir-c/")
WITHOUT_COMPILER_LIBRARIES = ("runtime/", "frontends/cpp/include/", "frontends/cpp/api/")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def ours(include):
    """The path from the root of an include of ours, or None: dlc/ and the runtime's own have other roots."""
    if include.startswith("dlc/"):
        return include
    top = include.split("/")[0]
    if "/" in include and top in ("dialects", "compiler", "frontends", "tools", "runtime", "tests"):
        return include
    return None


def rights_of(file):
    """The longest folder of ALLOWED that the file is in, and what that may include; None for other files."""
    return max(((f, rights) for f, rights in ALLOWED.items() if file.startswith(f)), key=lambda r: len(r[0]), default=None)


def violations(root):
    tops = sorted({folder.split("/")[0] for folder in ALLOWED})
    for path, _, files in (entry for top in tops for entry in sorted(os.walk(os.path.join(root, top)))):
        for name in sorted(files):
            file = os.path.relpath(os.path.join(path, name), root)
            row = rights_of(file)
            if not row or not name.endswith((".h", ".c", ".cpp", ".inc", ".td")):
                continue
            folder, rights = row
            with open(os.path.join(root, file), encoding="utf-8") as source:
                text = source.read()
            for include in INCLUDE.findall(text):
                target = ours(include)
                wrong = target is not None and not target.startswith((folder, *rights))
                if wrong or (folder.startswith(WITHOUT_COMPILER_LIBRARIES) and include.startswith(COMPILER_LIBRARIES)):
                    yield f"{file}: includes {include}, which {folder} may not"


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(__doc__)
    found = list(violations(sys.argv[1]))
    for line in found:
        print(line)
    if found:
        sys.exit(f"{len(found)} includes against the layering of docs/architecture.md")


main()
