#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the wheel to the first trained step, in a folder that has a Python with NumPy and pip and nothing else: no program, no
compiler, no network. What pip installs there must compile, train and link, and do so within a minute.

usage: installed.py FOLDER      FOLDER: with the packages

The Python is the one that runs this file: its interpreter, standard library, NumPy and pip are copied with the libraries that
they load, each to the path that it has here.
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time

MOST_SECONDS = 60  # from `pip install` to the end of the first step
INSIDE = ("libprotobuf.so.32", "libz.so.1")  # what the wheel brings along for libdlc.so
ALLOWED = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")
# Versions of pip that do not know one of these ignore it.
PIP = {"PIP_NO_INDEX": "1", "PIP_BREAK_SYSTEM_PACKAGES": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
LEFT_OUT = ("site-packages", "dist-packages", "__pycache__", "test", "tests", "idlelib", "ensurepip", "config-*")

FIRST_STEP = """
import sys, time
begin = time.perf_counter()
import numpy as np
import dlc
imported = time.perf_counter()
generator = np.random.default_rng(0)
x, y = generator.normal(size=(64, 784)).astype(np.float32), generator.integers(0, 10, 64)
step = dlc.from_onnx(sys.argv[1], loss="cross_entropy", optimizer=dlc.Adam(lr=1e-3), batch=64)
compiled = time.perf_counter()
first = step(x, y)
print(f"import {imported - begin:.2f} s, compile {compiled - imported:.2f} s, step {time.perf_counter() - compiled:.4f} s")
"""
# The rest is not timed: the predictions are those of the formula, and what is exported gives the same bits.
AFTERWARDS = """
for _ in range(30):
    last = step(x, y)
assert last < 0.7 * first, (first, last)
values = {name: array.astype(np.float64) for name, array in step.state_dict().items()}
hidden = x.astype(np.float64)
for layer in ("fc1", "fc2", "fc3"):
    hidden = hidden @ values[layer + ".weight"].T + values[layer + ".bias"]
    hidden = hidden if layer == "fc3" else np.maximum(hidden, 0)
scores = step.predict(x)
assert np.abs(scores - hidden).max() < 1e-4 * np.abs(hidden).max(), np.abs(scores - hidden).max()
step.export("/out/c", shared=True)
loaded = dlc.load("/out/c/libmlp.so", "/out/c/mlp.json")
assert (loaded.predict(x) == scores).all()
"""


def folder_of(package):
    """Where an importable package lies, or None."""
    spec = importlib.util.find_spec(package)
    return pathlib.Path(spec.submodule_search_locations[0]).resolve() if spec else None


def copy_folder(source, root, left_out=LEFT_OUT):
    target = root / str(source)[1:]
    if not target.exists():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*left_out))


def copy_package(folder, root):
    """With what lies beside it under its name: libraries, and what pip knows of it."""
    copy_folder(folder, root, ("__pycache__", "tests"))
    for beside in folder.parent.glob(f"{folder.name}*"):
        if beside.is_dir() and beside.name[len(folder.name):].startswith((".", "-")):
            copy_folder(beside, root)
        elif beside.suffix == ".egg-info":
            shutil.copy(beside, root / str(beside)[1:])


def libraries_of(file, search=()):
    """Names and paths of the libraries that a program or library loads."""
    done = subprocess.run(["ldd", file], capture_output=True, text=True, check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(map(str, search))})
    for line in done.stdout.splitlines():
        words = line.split()
        path = next((word for word in words if word.startswith("/")), None)
        if path:
            yield os.path.basename(words[0]), pathlib.Path(path)


def add_libraries(root, file, search=()):
    for _, path in libraries_of(file, search):
        target = root / str(path)[1:]
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path.resolve(), target)


def make_root(root, packages):
    """The interpreter's path in the root."""
    for name in ("tmp", "out", "empty"):
        (root / name).mkdir(parents=True)
    python = pathlib.Path(os.path.realpath(sys.executable))
    (root / str(python)[1:]).parent.mkdir(parents=True)
    shutil.copy(python, root / str(python)[1:])
    for kind in ("stdlib", "platstdlib"):
        copy_folder(pathlib.Path(sysconfig.get_path(kind)).resolve(), root)
    for package in packages:
        copy_package(package, root)
    for file in [root / str(python)[1:], *root.rglob("*.so"), *root.rglob("*.so.*")]:
        # Libraries of a package are found beside it, under its path here.
        add_libraries(root, pathlib.Path("/", file.relative_to(root)))
    return python


def check_libdlc(root):
    """What libdlc.so loads besides what came with it is the C library and the C++ library, which are added."""
    library, = root.rglob("libdlc.so")
    names = {name for name, _ in libraries_of(library)} - set(INSIDE)
    assert names and names <= set(ALLOWED), f"{library} needs {sorted(names)}"
    for name, path in libraries_of(library):
        if name not in INSIDE:
            target = root / str(path)[1:]
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path.resolve(), target)


class Root:
    def __init__(self, root, python, packages):
        self.root, self.python = root, python
        self.environment = {"PATH": "/empty", "HOME": "/tmp", "OMP_NUM_THREADS": "1", **PIP, "PYTHONPATH": os.pathsep.join(
            dict.fromkeys(str(package.parent) for package in packages))}

    def run(self, *arguments):
        def enter():
            os.chroot(self.root)
            os.chdir("/out")
        done = subprocess.run([str(part) for part in arguments], preexec_fn=enter, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}"
        return done.stdout

    def seconds(self, *arguments):
        begin = time.perf_counter()
        said = self.run(*arguments)
        return time.perf_counter() - begin, said


def main():
    wheel, = pathlib.Path(sys.argv[1]).glob("*.whl")
    packages = [folder_of(name) for name in ("numpy", "pip")]
    if os.geteuid() != 0:
        print("skipped: chroot needs root")
        return
    for name, folder in zip(("NumPy (Debian's python3-numpy)", "pip (Debian's python3-pip)"), packages):
        if folder is None:
            print(f"skipped: {sys.executable} has no {name}, and tests fetch nothing")
            return
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        python = make_root(root, packages)
        shutil.copy(wheel, root / "tmp")
        inside = Root(root, python, packages)
        installing, _ = inside.seconds(python, "-m", "pip", "install", f"/tmp/{wheel.name}")
        check_libdlc(root)
        program, = root.rglob("bin/dlc")
        model = "/" + str(next(root.rglob("examples/mlp/mlp.onnx")).relative_to(root))
        stepping, said = inside.seconds(python, "-c", FIRST_STEP, model)
        inside.run(python, "-c", FIRST_STEP + AFTERWARDS, model)
        version = inside.run(f"/{program.relative_to(root)}", "--version").splitlines()[0]
    total = installing + stepping
    print(f"ok: {version}: {total:.1f} s to the first trained step: pip install {installing:.1f} s, then {stepping:.1f} s ({said.strip()})")
    assert total <= MOST_SECONDS, f"more than {MOST_SECONDS} s"


if __name__ == "__main__":
    main()
