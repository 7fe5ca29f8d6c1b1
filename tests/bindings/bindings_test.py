#!/usr/bin/env python3
"""Programs in other languages, with the files of `dlc compile --bindings`, beside the same program in C: the same bits in
each step, prediction and file, and an error in the language's own manner for each array that does not fit.

usage: bindings_test.py LANGUAGE SOURCES BUILD CC TOOL...    TOOL: the language's compiler, and what else its programs need

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BATCHES, BATCH, PIXELS = 8, 64, 784
# What every language refuses itself, in this order; Fortran writes shapes, in the reverse order.
REFUSED = [
    r"mlp: train_step: 'image' has 50175 elements, expected 50176 of the shape \W*64,? 784\W*",
    r"mlp: train_step: 'labels' has 65 elements, expected 64 of the shape \W*64\W*",
    r"mlp: predict: rows is 0, expected 1 to 64",
    r"mlp: predict: rows is 65, expected 1 to 64",
    r"mlp: predict: 'scores' has 9 elements, expected 10 of the shape \W*1,? 10\W*",
    r"mlp: eval_step: 'image' has 784 elements, expected 1568 of the shape \W*2,? 784\W*",
    r"mlp: there is no parameter 'fc9.bias'",
    r"mlp: 'fc2.bias' is of [Ff]32, not of .*|mlp: parameter: 'fc2.bias' has 127 elements, expected 128 of the shape \W*128\W*",
    r"mlp: parameter: 'fc2.bias' has 127 elements, expected 128 of the shape \W*128\W*",
    r"mlp: parameter: 'fc2.bias' has 127 elements, expected 128 of the shape \W*128\W*",
    r"mlp: the path holds a NUL",
    r"mlp: the entry holds a NUL",
    r"mlp: the content holds a NUL",
    r"mlp: parameters_read_all: 'values' has 3 elements, expected 235146 of the shape \W*235146\W*",
    r"mlp: gradients_write_all: 'values' has 3 elements, expected 235146 of the shape \W*235146\W*",
    r"mlp: train_step_begin: 'image' has 50175 elements, expected 50176 of the shape \W*64,? 784\W*",
]
BUSY = r"mlp: another thread is inside a call on this model, or a step in slices is not done"
REFUSED_BY_FORTRAN = [
    r"mlp: train_step: 'image' has the shape \(783, 64\), expected \(784, 64\)",
    r"mlp: train_step: 'labels' has the shape \(65\), expected \(64\)",
    *REFUSED[2:4],
    r"mlp: predict: 'scores' has the shape \(9, 1\), expected \(10, 1\)",
    r"mlp: eval_step: 'image' has the shape \(784, 1\), expected \(784, 2\)",
    REFUSED[6], *REFUSED[8:13],
    r"mlp: parameters_read_all: 'values' has the shape \(3\), expected \(235146\)",
    r"mlp: gradients_write_all: 'values' has the shape \(3\), expected \(235146\)",
    r"mlp: train_step_begin: 'image' has the shape \(783, 64\), expected \(784, 64\)",
    r"the handle is NULL",
]
MORE = {
    "rust": [BUSY],
    "go": [r"mlp: predict: another goroutine is inside a call on this model", r"mlp: apply: the model is closed", r"mlp: copy_state: the model is closed"],
    "csharp": [r"mlp: predict: another thread is inside a call on this model", r"mlp: train_step: 'image' is null.*", r"mlp: train_step: 'image' has 0 elements, .*", r"disposed"],
    "java": [r"mlp: predict: another thread is inside a call on this model", r"mlp: train_step: the buffer 'image' is not direct",
             r"mlp: train_step: the buffer 'image' has not the machine's byte order",
             r"mlp: predict: the buffer 'scores' is read-only",
             r"mlp: apply: the model is closed", r"mlp: copy_state: the model is closed"],
}
# The compiler's words about an array of another type.
WRONG_TYPE = {"rust": "mismatched types", "go": "cannot use", "csharp": "CS150", "fortran": "no specific|no matching",
              "java": "no suitable method|incompatible types"}
# The programs about sizes that the caller gives.
OPEN = {
    "rust": [r"open: predict: seq is 6, expected 1 to 5", r"open: predict: rows is 9, expected 1 to 8",
             r"open: predict: 'mask' has 5 elements, expected 6 of the shape \[2, 3\]",
             r"open: predict: 'places' has 3 elements, expected 2 of the shape \[2\]",
             r"open: no step has been made that could be averaged", r"open: there is no parameter 'gradient_weight'",
             r"weight 24", BUSY.replace("mlp", "open")],
    "fortran": [r"open: predict: seq is 6, expected 1 to 5", r"open: predict: rows is 9, expected 1 to 8",
                r"open: predict: 'mask' has the shape \(2, 2\), expected \(3, 2\)",
                r"open: predict: 'x' has the shape \(4, 3, 2\), expected \(4, 2, 3\)",
                r"open: no step has been made that could be averaged", r"open: there is no parameter 'gradient_weight'",
                r"weight 24", BUSY.replace("mlp", "open")],
}
PROGRAM = {"rust": "train.rs", "go": "train.go", "csharp": "Train.cs", "fortran": "train.f90", "java": "Train.java"}


def call(command, folder, environment=None, fails=False):
    done = subprocess.run([str(part) for part in command], cwd=folder, env={**os.environ, **(environment or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if bool(done.returncode) != fails:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class Test:
    def __init__(self, arguments, folder):
        self.language, sources, build, self.cc, *self.tools = arguments
        self.sources, self.build, self.folder = pathlib.Path(sources), pathlib.Path(build), folder
        self.here, self.out = self.sources / "tests/bindings", folder / "out"
        self.headers = f"-I{self.sources / 'runtime/include'}"
        self.environment = {"LD_LIBRARY_PATH": str(self.out), "CGO_CFLAGS": self.headers, "CC": self.cc,
                            "GOCACHE": str(folder / "cache"), "GOFLAGS": "-mod=mod", "GOPATH": str(folder / "go"),
                            "GO111MODULE": "on", "MONO_PATH": str(self.out)}

    def compile_model(self, model, *options):
        shutil.rmtree(self.out, ignore_errors=True)
        call([self.build / "bin/dlc", "compile", model, "-o", self.out, "--emit=shared", "--embed-weights", "-O1",
              f"--bindings={self.language}", *options], self.folder)

    def write_data(self):
        data = self.sources / "docs/examples/data"
        pixels = gzip.open(data / "train-images-idx3-ubyte.gz").read()[16:16 + BATCHES * BATCH * PIXELS]
        labels = gzip.open(data / "train-labels-idx1-ubyte.gz").read()[8:8 + BATCHES * BATCH]
        scaled = [(value / 255 - 0.2860) / 0.3530 for value in range(256)]
        array.array("f", (scaled[value] for value in pixels)).tofile(open(self.folder / "images.bin", "wb"))
        array.array("q", list(labels)).tofile(open(self.folder / "labels.bin", "wb"))

    def in_c(self):
        call([self.cc, "-std=c11", "-Wall", "-Werror", self.headers, f"-I{self.out}", self.here / "train.c", self.out / "libmlp.so",
              "-o", self.out / "train-c"], self.folder)
        return call([self.out / "train-c", self.folder], self.folder, self.environment)

    def build_program(self, program, library=False, fails=False):
        """What runs it; with `library`, only what dlc has written is compiled."""
        out, tool = self.out, self.tools[0]
        written = [path for path in out.iterdir()
                   if path.suffix in (".rs", ".go", ".cs", ".f90", ".java") and path.name not in (PROGRAM[self.language], getattr(program, "name", ""))]
        sources = written if library else [program]
        run = lambda *command: self.output.append(call(command, out, self.environment, fails))
        if self.language == "rust":
            run(tool, "--edition=2021", "-Dwarnings", *(["--crate-type=rlib"] if library else ["-Copt-level=1", "-o", "program"]),
                "-L.", *sources)
        elif self.language == "fortran":
            run(tool, "-std=f2018", "-Wall", "-Werror", "-Wno-unused-dummy-argument", *written, *([] if library else sources),
                *(["-c"] if library else ["-o", "program", "-L.", f"-l{written[0].stem}"]))
        elif self.language == "csharp":
            run(tool, "-warnaserror", "-langversion:7", "-out:program.exe", *(["-target:library"] if library else []), *written,
                *([] if library else sources))
            return [self.tools[1], "program.exe"]
        elif self.language == "java":
            run(tool, "-Xlint:all", "-Werror", "-cp", self.tools[2], "-d", ".", *written, *([] if library else sources))
            return [self.tools[1], "-XX:TieredStopAtLevel=1", "-cp", f"{self.tools[2]}:.", "Train"]
        elif self.language == "go":
            package = out / re.search(r"^package (\w+)", written[0].read_text(), re.M)[1]
            package.mkdir(exist_ok=True)
            for path in [*written, *out.glob("*.h"), *out.glob("*.so")]:
                shutil.copy(path, package)
            (out / "go.mod").write_text("module example\n\ngo 1.18\n")
            written[0].unlink()
            run(tool, "build", *(["./..."] if library else ["-o", "program", "."]))
            shutil.copy(package / written[0].name, out)
            unformatted = call([f"{tool}fmt", "-l", package], out) if shutil.which(f"{tool}fmt") else ""
            if unformatted:
                sys.exit(f"gofmt would write these otherwise:\n{unformatted}")
        return ["./program"]

    def run(self):
        self.output = []
        self.compile_model(self.sources / "docs/examples/mlp/mlp.onnx", "--batch=64", "--loss=softmax-cross-entropy",
                           "--optimizer=adam", "--lr=1e-3", "--function=hvp", "--step-metrics")
        self.write_data()
        expected = self.in_c().splitlines()
        program = self.out / PROGRAM[self.language]
        source = (self.here / PROGRAM[self.language]).read_text()
        program.write_text(source)
        printed = call([*self.build_program(program), self.folder], self.out, self.environment).splitlines()
        self.compare(expected, printed)
        assert "wrong type: " in source
        program.write_text(re.sub(r"(//|!)wrong type: ", "", source))
        self.output.clear()
        self.build_program(program, fails=True)
        if not re.search(WRONG_TYPE[self.language], self.output[0], re.I):
            sys.exit(f"expected an error of the compiler about an array of another type, got:\n{self.output[0]}")
        # Names that are keywords, or end a comment or a text; sizes that are open; all functions that there are.
        for model in "names", "open":
            self.compile_model(self.here / f"{model}.mlir", "--loss=mse", "--optimizer=adam", "--ema-decay=0.9",
                               "--accumulate=mean", "--clip-grad-norm=1", "--function=vjp", "--function=jvp", "--function=hvp",
                               *(["--function=jacobian"] if model == "names" else []))  # the other one has several types
            self.build_program(None, library=True)
        if self.language in OPEN:
            self.check_sizes()
        self.compile_model(self.here / "names.mlir")  # prediction alone
        self.build_program(None, library=True)
        print(f"{self.language}: {len(expected)} lines as in C, {len(printed) - len(expected)} refusals or predictions after them")

    def check_sizes(self):
        """What open.rs and open.f90 do with the model of open.mlir, which lies in the folder."""
        program = self.out / f"sizes{pathlib.Path(PROGRAM[self.language]).suffix}"
        shutil.copy(self.here / f"open{program.suffix}", program)
        printed = call(self.build_program(program), self.out, self.environment).splitlines()
        program.unlink()
        if len(printed) != len(OPEN[self.language]) or not all(map(re.fullmatch, OPEN[self.language], printed)):
            sys.exit("expected, as patterns:\n{}\ngot:\n{}".format("\n".join(OPEN[self.language]), "\n".join(printed)))

    def compare(self, expected, printed):
        losses = [int(line.split()[1], 16) for line in expected if line.startswith("loss ")]  # order as the numbers do
        if not sum(losses[-8:]) / 8 < sum(losses[:8]) / 8:
            sys.exit("the loss does not fall: " + "\n".join(expected))
        refused = [line[len("refused: "):] for line in printed if line.startswith("refused: ")]
        rest = [line if line.startswith("library ") else line.lower() for line in printed if not line.startswith("refused: ")]
        if rest != expected:
            difference = next((pair for pair in zip(expected, rest) if pair[0] != pair[1]), ("its length", len(rest)))
            sys.exit("expected what C prints: {}\ngot: {}".format(*difference))
        patterns = REFUSED_BY_FORTRAN if self.language == "fortran" else REFUSED + MORE[self.language]
        if len(refused) != len(patterns):
            sys.exit(f"expected {len(patterns)} refusals, got {len(refused)}:\n" + "\n".join(refused))
        for pattern, sentence in zip(patterns, refused):
            if not re.fullmatch(pattern, sentence):
                sys.exit(f"expected a refusal such as {pattern}\ngot: {sentence}")


with tempfile.TemporaryDirectory(prefix="dlc-bindings-") as scratch:
    Test(sys.argv[1:], pathlib.Path(scratch).resolve()).run()
