# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that write files, to be killed and to meet failures: `dlc compile`, `dlc train` and a user's program."""
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess

from .core import Skipped, Wrong, check_ending, ended

MODEL = "tests/e2e/trajectories/circle.onnx"
OPTIONS = ["--loss=mse", "--batch=4"]
TEMPORARY = re.compile(r"\.dlc-")


def files_in(folder):
    """{path below the folder: digest}."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()} if folder.exists() else {}


def broken_file(path):
    """What is wrong with a safetensors or JSON file; None. The lock that a training leaves holds no data."""
    if path.name == ".lock":
        return None
    data = path.read_bytes()
    try:
        if path.suffix == ".json":
            json.loads(data)
        elif path.suffix in (".safetensors", "") and path.name != "victim":
            size = struct.unpack_from("<Q", data)[0]
            header = json.loads(data[8:8 + size])
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
            if max(ends) != len(data) - 8 - size:
                return f"{path.name} has {len(data)} bytes, its header says otherwise"
    except (ValueError, struct.error, KeyError) as error:
        return f"{path.name}: {error}"
    return None


def write_points(path):
    numbers = random.Random(1)
    with open(path, "w") as file:
        print("a,b,target", file=file)
        for _ in range(40):
            x, y = numbers.uniform(-2, 2), numbers.uniform(-2, 2)
            print(f"{x:.3f},{y:.3f},{int(x * x + y * y < 2)}", file=file)


class Subject:
    """`run(folder)` is the command; `expected` are the files that a success leaves below folder/out."""

    def __init__(self, part):
        self.part, self.root, self.dlc = part, part.soak.root, part.tool("dlc")
        self.data = part.folder / f"{self.name}.data"
        self.data.mkdir(exist_ok=True)
        write_points(self.data / "points.csv")
        self.prepare()
        folder = part.clean("expected")
        check_ending(f"{self.name}, undisturbed", ended(self.command(folder), cwd=folder), allowed=(0,))
        self.expected = self.results(folder)
        if not self.expected:
            raise Wrong(f"{self.name}, undisturbed, writes nothing")

    def prepare(self):
        pass

    def results(self, folder):
        """The files of a run, by name, without what no two runs have in common."""
        return files_in(folder / "out")

    def check(self, folder, end):
        """After a failure, or none: the files are those of a success, or there are none but whole ones."""
        check_ending(self.name, end)
        found = self.results(folder)
        left = [name for name in found if TEMPORARY.search(name)]
        if left:
            raise Wrong(f"{self.name}: exit status {end.status}, and {left} is left behind")
        if end.status == 0 and found != self.expected:
            names = [name for name in {**found, **self.expected} if found.get(name) != self.expected.get(name)]
            raise Wrong(f"{self.name}: reports success, and {names} is not what it should be: {end.output[-500:]}")
        if end.status != 0:
            if "error: " not in end.output:
                raise Wrong(f"{self.name}: exit status {end.status} without an error: {end.output[-500:]!r}")
            self.check_failed(folder / "out", found, end)

    def check_failed(self, out, found, end):
        """Nothing is left; only where there is no memory, no folder that was made is taken away."""
        if found or (out.exists() and "memory" not in end.output):
            raise Wrong(f"{self.name}: failed, and {sorted(found) or 'the folder'} is there")


class Compile(Subject):
    name, program = "compile", "dlc"

    def command(self, folder, *options):
        return [self.dlc, "compile", self.root / MODEL, "-o", folder / "out", "--name=model", "-j1", *OPTIONS, *options]


class Train(Subject):
    """Saves after each epoch, so that a failure may leave files, which are whole."""

    name, program = "train", "dlc"

    def command(self, folder, *options):
        return [self.dlc, "train", self.root / MODEL, f"--data={self.data}/points.csv", "--target=target", "-q", *OPTIONS,
                "--epochs=3", "--seed=1", "--threads=1", "-o", folder / "out", *options]

    def results(self, folder):
        for path in folder.rglob("*.json"):  # the times that it took
            path.write_text(re.sub(r'"(seconds|time)[^"]*": ?[\d.e+-]+', r'"\1": 0', path.read_text()))
        return super().results(folder)

    def check_failed(self, out, found, end):
        for name in found:
            if problem := broken_file(out / name):
                raise Wrong(f"train: failed, and {problem}")


class Victim(Subject):
    """A user's program around the runtime."""

    name, program = "program", "victim"

    def prepare(self):
        compiler = shutil.which("cc") or shutil.which("clang-22")
        if not compiler:
            raise Skipped("there is no C compiler")
        out = self.data / "out"
        check_ending("dlc compile", ended([self.dlc, "compile", self.root / MODEL, "-o", out, "--name=model", *OPTIONS]),
                     allowed=(0,))
        shutil.copy(out / "model.safetensors", self.data)
        libraries = [out / "libmodel.a", self.part.options.build / "lib/libdlc-runtime.a"]
        end = ended([compiler, "-O1", "-g", "-o", self.data / "victim", self.root / "tools/soak_parts/victim.c", f"-I{out}",
                     f"-I{self.root}/runtime/include", *libraries, "-lpthread", "-lm", "-ldl"])
        if end.status != 0:
            raise Skipped(f"the user's program is not compiled: {end.output[-300:]}")

    def command(self, folder, *options):
        (folder / "out").mkdir(exist_ok=True)
        for name in ("points.csv", "model.safetensors"):
            shutil.copy(self.data / name, folder / "out")
        return [self.data / "victim", folder / "out", *options]

    def check_failed(self, out, found, end):
        for name in set(found) - {"points.csv"}:
            if problem := broken_file(out / name):
                raise Wrong(f"program: failed, and {problem}")


SUBJECTS = [Compile, Train, Victim]


def build_shim(part):
    """The library that fails calls (shim.c)."""
    compiler = shutil.which("cc") or shutil.which("clang-22")
    shim = part.folder / "shim.so"
    source = part.soak.root / "tools/soak_parts/shim.c"
    command = [compiler, "-O1", "-fPIC", "-shared", "-w", "-o", str(shim), str(source), "-ldl"]
    if not compiler or subprocess.run(command, capture_output=True).returncode != 0:
        raise Skipped("there is no C compiler that makes the library that fails calls")
    return shim


def environment(shim, subject, **more):
    return {**os.environ, "LD_PRELOAD": str(shim), "SOAK_PROGRAM": subject.program, **more}
