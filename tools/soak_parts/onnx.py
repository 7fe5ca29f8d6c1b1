# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changed ONNX models, and what dlc makes of them beside ONNX Runtime, the interpreter and finite differences."""
import json
import re
import select
import shutil
import struct
import subprocess

from . import protobuf
from .core import Part, Skipped, Wrong, check_ending, ended
from .onnx_mutations import FLOAT, mutate, nodes
from .prove import can_prove, prove

FOLDERS = ["tests/onnx", "tests/lit/onnx", "tests/e2e", "docs"]
LARGEST = 400_000  # bytes of a model to begin with
SMALL = 4_000      # of one whose attributes are put into others
OPTIONS = ["--name=model", "--emit=shared", "--embed-weights", "-j1"]
# Numbers that nobody can foresee, what the standard leaves open where indices are met twice, and normalizations that ONNX
# Runtime lets predict with the batch's own statistics.
OPEN = {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial", "Scatter",
        "ScatterND", "ScatterElements"}


def is_open(node):
    def has(name, value):
        return any(each.text(1) == name and bool(each.get(3)) == value for each in node.messages(5))

    kind = node.text(4)
    return (kind in OPEN or kind == "TopK" and has("sorted", False)  # in any order
            or kind == "BatchNormalization" and has("training_mode", True))


def read(path):
    """A model; one without nodes for what is none."""
    try:
        return protobuf.read(path.read_bytes())
    except (IndexError, ValueError, struct.error, RecursionError):
        return protobuf.Message("Model")


def has_weights(model):
    return any(tensor.get(2) == FLOAT and len(protobuf.packed(tensor, 1)) > 1
               for graph in model.messages(7) for tensor in graph.messages(5))


def open_sizes(manifest):
    """Names of sizes of inputs that a library takes with each call."""
    inputs = json.loads(manifest.read_text())["inputs"]
    return list(dict.fromkeys(size for tensor in inputs for size in tensor["shape"]
                              if isinstance(size, str) and size != "batch"))


class Judge:
    """The program judge.py, started anew should it end."""

    def __init__(self, python, root):
        self.command = [python, str(root / "tools/soak_parts/judge.py"), str(root / "tests/pytorch")]
        self.process, self.buffer = None, b""

    def line(self, seconds):
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                return None
            more = self.process.stdout.read1(65536)
            if not more:
                return None
            self.buffer += more
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def ask(self, **task):
        """(verdict, text); the verdict "crashed" names what did."""
        if self.process is None:
            self.buffer = b""
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        phase = "start"
        self.process.stdin.write(json.dumps(task).encode() + b"\n")
        self.process.stdin.flush()
        while (answer := self.line(60)) is not None:
            if answer.get("verdict") == "crashed":
                return "crashed", f"where {phase}: {answer['text']}"
            if "verdict" in answer:
                return answer["verdict"], answer["text"]
            phase = answer["phase"]
        self.process.kill()
        status, self.process = self.process.wait(), None
        return "crashed", f"where {phase} (exit status {status})"


class Onnx(Part):
    name = "onnx"

    def prepare(self):
        self.dlc = self.tool("dlc")
        roots = [self.soak.root / folder for folder in FOLDERS] + self.options.models
        self.paths = sorted(path for root in roots for path in root.rglob("*.onnx") if path.stat().st_size <= LARGEST)
        if not self.paths:
            raise Skipped("there is no model to begin with")
        self.pool = {}
        for path in self.paths:
            if path.stat().st_size <= SMALL:
                for node in nodes(read(path)):
                    self.pool.setdefault(node.text(4), []).extend(node.messages(5))
        has = subprocess.run([self.options.python, "-c", "import numpy, onnxruntime"], capture_output=True)
        self.judge = Judge(self.options.python, self.soak.root) if has.returncode == 0 else None
        self.proves = can_prove(self.options.build)
        if not self.judge and not self.proves:
            raise Skipped(f"nothing to compare with: {self.options.python} has no onnxruntime, and neither dlc verify "
                          "nor first-step is built")
        if not self.judge:
            print(f"onnx: {self.options.python} has no onnxruntime: predictions are compared with the interpreter's")
        if not self.proves:
            print("onnx: neither dlc verify nor first-step is built: predictions alone are compared")

    def case(self, number, random):
        for _ in range(4):  # models with weights, mostly: they can be trained
            source = random.choice(self.paths)
            model = read(source)
            if has_weights(model):
                break
        if not nodes(model):
            self.counts["without nodes"] += 1
            return
        data, changes = mutate(model, random, self.pool)
        folder = self.clean("case")
        file = folder / "changed.onnx"
        file.write_bytes(data)
        try:
            self.answer(file, random)
        except Wrong as wrong:
            raise Wrong(f"{source} after {', '.join(changes)}: {wrong}", file) from None

    def compile(self, file, sizes):
        out = self.folder / "case/out"
        shutil.rmtree(out, ignore_errors=True)
        end = ended([self.dlc, "compile", file, "-o", out, *OPTIONS, *sizes])
        if self.plant("crash"):
            end = end._replace(status=-11)
        if self.plant("hang"):
            end = end._replace(status=None)
        check_ending("dlc compile", end)
        left = sorted(path.name for path in out.iterdir()) if out.exists() else []
        if self.plant("leftover"):
            left.append(".dlc-0.new")
        wanted = ["libmodel.so", "model.h", "model.json"] if end.status == 0 else []
        if left != wanted:
            raise Wrong(f"exit status {end.status}, and the files {left} are there")
        errors = [line for line in end.output.splitlines() if "error: " in line]
        if end.status == 1 and not (errors and all(file.name in line for line in errors)):
            raise Wrong(f"an error does not name the file, or there is none: {end.output[-500:]!r}")
        return end

    def answer(self, file, random):
        sizes = ["--batch=2"]
        end = self.compile(file, sizes)
        if end.status == 1 and "--batch has no effect" in end.output:
            sizes = []
            end = self.compile(file, sizes)
        if end.status == 1 and (missing := re.findall(r"give its size with --dim '(.*)=N'", end.output)):
            sizes += [f"--dim={name}={random.choice([2, 3, 4])}" for name in dict.fromkeys(missing)]
            end = self.compile(file, sizes)
        if end.status == 0 and (names := open_sizes(file.parent / "out/model.json")):
            sizes += [f"--dim={name}={random.choice([2, 3, 4])}" for name in names]
            end = self.compile(file, sizes)
        if end.status == 1:
            self.counts["refused"] += 1
            return
        self.counts["accepted"] += 1
        known = self.compare(file, random)
        if self.proves:
            self.counts["proved: " + prove(self.options.build, file, sizes)] += 1
        if known:
            raise known

    def compare(self, file, random):
        """With ONNX Runtime. A difference is returned: what is proved comes first, as it says more."""
        if not self.judge or any(map(is_open, nodes(read(file)))):
            return None
        task = {"model": str(file), "library": str(file.parent / "out"), "seed": random.randrange(2 ** 31)}
        verdict, text = self.judge.ask(**task, lowest=-1)
        if verdict == "different" and "is not" in text:  # roots of negative numbers: who takes the largest of NaN and 1?
            verdict, text = self.judge.ask(**task, lowest=0.1)
        if self.plant("wrong"):
            verdict, text = "different", "planted"
        if verdict == "crashed" and "ONNX Runtime" in text:
            verdict = "crash of ONNX Runtime"
        self.counts["predictions: " + verdict] += 1
        if verdict in ("different", "crashed", "failed"):
            return Wrong(f"dlc and ONNX Runtime: {verdict}: {text}")
        return None
