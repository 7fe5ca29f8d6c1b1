#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package in a folder that is all there is: the C library, no other library, no program, PATH=/empty. What dlc writes there
is what the build's dlc writes here, byte by byte, and so for each machine that it links for.

usage: chroot.py DLC KIND FOLDER    DLC: the build's; KIND: tar, deb or wheel; FOLDER: with the packages
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile

MACHINES = ("x86_64-linux-gnu", "x86_64-linux-musl", "aarch64-linux-gnu", "aarch64-linux-musl")


def machines_of(build_dlc, inside):
    """This machine, and those that the build has a runtime for, which the package has too. The build leaves out a machine
    whose headers were not there."""
    built = sorted(path.parent.name for path in (pathlib.Path(build_dlc).parents[1] / "lib/dlc").glob("*/libdlc-runtime.a"))
    packed = sorted(path.parent.name for path in (inside / "lib/dlc").glob("*/libdlc-runtime.a"))
    assert built == packed, f"the build has runtimes for {built}, the package for {packed}"
    missing = set(MACHINES) - set(built) - {f"{os.uname().machine}-linux-gnu"}
    print(f"without {', '.join(sorted(missing))}: no headers" if missing else "with the runtimes for all machines")
    return [machine for machine in MACHINES if machine not in missing]


def unpack(kind, file, root):
    """Unpacks into root/opt and returns the prefix there, as the programs in the root see it."""
    target = root / "opt"
    if kind == "tar":
        with tarfile.open(file) as archive:
            archive.extractall(target)
        return pathlib.Path("/opt") / next(target.iterdir()).name
    if kind == "deb":
        subprocess.run(["dpkg-deb", "--extract", file, target], check=True)
        return pathlib.Path("/opt/usr")
    # As pip does: scripts and data below one prefix, with the files' rights.
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            parts = pathlib.PurePosixPath(info.filename).parts
            if not parts[0].endswith(".data") or info.is_dir():
                continue
            place = target / ("bin" if parts[1] == "scripts" else "") / pathlib.Path(*parts[2:])
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(info))
            mode = info.external_attr >> 16
            assert stat.S_ISREG(mode), f"{info.filename}: not marked as a regular file"
            place.chmod(stat.S_IMODE(mode))
    return pathlib.Path("/opt")


def add_libraries(dlc, root):
    """The loader and the libraries that the program names; more of them would be a mistake."""
    lines = subprocess.run(["ldd", dlc], check=True, capture_output=True, text=True).stdout.splitlines()
    paths = [word for line in lines for word in line.split() if word.startswith("/")]
    names = sorted(os.path.basename(path) for path in paths)
    allowed = ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")
    assert names and all(name in allowed for name in names), f"{dlc} needs {names}"
    for path in paths:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(path), target)


def equal(one, two):
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in two.iterdir()) and names, f"{one}: {names}"
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes(), f"{name} differs: {one} {two}"


def main():
    build_dlc, kind, packages = sys.argv[1:]
    file, = pathlib.Path(packages).glob({"tar": "*.tar.gz", "deb": "*.deb", "wheel": "*.whl"}[kind])
    if os.geteuid() != 0:
        print("skipped: chroot needs root")
        return
    with tempfile.TemporaryDirectory() as folder:
        root, here = pathlib.Path(folder, "root"), pathlib.Path(folder, "here")
        for name in ("opt", "tmp", "out"):
            (root / name).mkdir(parents=True)
        prefix = unpack(kind, file, root)
        inside = root / str(prefix)[1:]
        add_libraries(inside / "bin/dlc", root)
        examples = prefix / "share/doc/dlc/docs/examples"
        model = ("--batch=64", "--loss=softmax-cross-entropy", "--optimizer=adam", "--lr=1e-3", "-q")

        def in_root(*arguments):
            def enter():
                os.chroot(root)
                os.chdir("/out")
            done = subprocess.run([str(prefix / "bin/dlc"), *map(str, arguments)], preexec_fn=enter, env={"PATH": "/empty"},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}"
            return done.stdout

        cases = [("lib", ()), ("shared", ("--emit=shared",))]
        cases += [(machine, ("--emit=shared", f"--triple={machine}")) for machine in machines_of(build_dlc, inside)]
        for name, options in cases:
            in_root("compile", examples / "mlp/mlp.onnx", "-o", f"/out/{name}", *model, *options)
            subprocess.run([build_dlc, "compile", root / str(examples)[1:] / "mlp/mlp.onnx", "-o", here / name, *model, *options],
                           check=True)
            equal(root / "out" / name, here / name)
        text = in_root("train", examples / "mlp/mlp.onnx", f"--data={examples}/data", "--epochs=1", "--output=/out/run",
                       "--batch=64", "--loss=softmax-cross-entropy", "--optimizer=adam", "--threads=1")
        assert (root / "out/run/weights.safetensors").exists() and "accuracy" in text, text
        print(f"ok: {len(cases)} libraries are equal, and training says {text.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
