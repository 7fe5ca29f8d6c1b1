#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A project outside of dlc finds an unpacked package with find_package, for this machine and for others; and a program
is linked with a shared library that dlc made for them.

usage: outside.py TAR here
       outside.py TAR aarch64 QEMU       with aarch64-linux-gnu-gcc, run by the emulator
       outside.py TAR musl               with musl-gcc
"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, fails=False, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def configure(build, prefix, *options, source=HERE / "outside", fails=False):
    model = prefix / "share/doc/dlc/docs/examples/mlp/mlp.onnx"
    return run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DMODEL={model}", *options,
               fails=fails)


def expect(text, *parts):
    """The parts, in a text that CMake breaks into lines."""
    words = " ".join(text.split())
    for part in parts:
        if part not in words:
            sys.exit(f"expected '{part}' in:\n{text}")


def build(work, prefix, name, *options, source=HERE / "outside"):
    configure(work / name, prefix, *options, source=source)
    run("cmake", "--build", work / name)
    return work / name / "outside"


def refuses(work, prefix):
    """The compiler that a project names is used, or the error names it; and so the machine."""
    expect(configure(work / "absent", prefix, "-DDLC_COMPILER=/absent/dlc", fails=True), "DLC_COMPILER names '/absent/dlc'")
    expect(configure(work / "other", prefix, "-DDLC_MACHINE=riscv64-linux-gnu", fails=True),
           "there is no runtime for riscv64-linux-gnu")


def link_shared(work, prefix, compiler, *options):
    """The same program with a shared library, which dlc links for the machine."""
    model = prefix / "share/doc/dlc/docs/examples/mlp/mlp.onnx"
    run(prefix / "bin/dlc", "compile", model, "-o", work, "--name=net", "--batch=64", "--loss=softmax-cross-entropy",
        "--optimizer=adam", "--lr=1e-3", "--embed-weights", "--emit=shared", *options)
    run(compiler, "-std=c11", f"-I{work}", f"-I{prefix}/include", HERE / "outside/main.c", f"-L{work}", "-lnet",
        f"-Wl,-rpath,{work}", "-o", work / "shared")
    return work / "shared"


def main():
    tar, machine = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        with tarfile.open(tar) as archive:
            archive.extractall(work)
        prefix = next(work.glob("dlc-*"))
        data = prefix / "share/doc/dlc/docs/examples/data"
        if machine == "here":
            programs = [[build(work, prefix, "build")], [link_shared(work, prefix, "cc")]]
            refuses(work, prefix)
        elif machine == "musl":
            # musl-gcc finds the headers of musl and its own C library only.
            programs = [[build(work, prefix, "build", "-DCMAKE_C_COMPILER=musl-gcc", "-DCMAKE_EXE_LINKER_FLAGS=-static")],
                        [link_shared(work, prefix, "musl-gcc", f"--triple={os.uname().machine}-linux-musl")]]
        else:
            toolchain = prefix / "lib/cmake/dlc/aarch64-linux-gnu.cmake"
            options = f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DCMAKE_EXE_LINKER_FLAGS=-static", "-DOPTIONS=--cpu=cortex-a53"
            shared = link_shared(work, prefix, "aarch64-linux-gnu-gcc", "--triple=aarch64-linux-gnu")
            programs = [[sys.argv[3], build(work, prefix, "build", *options)],
                        [sys.argv[3], "-L", "/usr/aarch64-linux-gnu", shared]]
        for program in programs:
            print(run(*program, data).strip())


if __name__ == "__main__":
    main()
