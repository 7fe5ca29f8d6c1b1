#!/usr/bin/env python3
"""Runs programs of this folder in dlc and in PyTorch, one after the other, and prints a table of both.

usage: run.py --dlc PREFIX --data FOLDER [--digits FOLDER] [--text FILE] [--python PROGRAM] [--work FOLDER] [NAME...]
       run.py --count [NAME...]     the lines alone; fails where a program of dlc has more than 1.2 times PyTorch's lines

PREFIX is where dlc is installed; FOLDER has the files of Fashion-MNIST, and of MNIST for what is said to be of digits. PROGRAM is a
Python with PyTorch and ONNX Runtime. Both sides have one thread, and seconds are of the CPU, which another program on the
machine changes less than those of a clock.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Pair:
    """NAME.sh has the commands of dlc, which name the files of C++; NAME.py is PyTorch's program."""

    def __init__(self, name, data="$DIGITS", result=r"accuracy ([\d.]+)", unit="accuracy", python="$DATA", before="", also=""):
        self.name, self.data, self.result, self.unit = name, data, result, unit
        self.python, self.before, self.also = python, before, also  # arguments; a command before both; a part of both

    def commands(self):
        return [line for line in code_of(HERE / f"{self.name}.sh")]

    def sources(self):
        names = re.findall(r"\w+\.(?:cpp|py)", " ".join(self.commands()))
        return [HERE / name for name in dict.fromkeys(names)]

    def dlc_lines(self):
        return sum(len(code_of(path)) for path in self.sources()) + len(self.commands())

    def torch_commands(self):
        return [f"python3 {self.name}.py {self.python if isinstance(self.python, str) else each}".rstrip()
                for each in ([""] if isinstance(self.python, str) else self.python)] + ([self.also] if self.also else [])

    def torch_lines(self):
        also = [HERE / name for name in re.findall(r"\w+\.py", self.also)]
        return sum(len(code_of(path)) for path in [HERE / f"{self.name}.py", *also]) + len(self.torch_commands())


def code_of(path):
    """Its lines that are neither blank nor comments."""
    return [line for line in path.read_text().splitlines() if line.strip() and not re.match(r"\s*(//|#(?!include))", line)]


NUMBER = r"([-+.\de]+)"
PAIRS = [
    Pair("digits"),
    Pair("clothes", "$DATA"),
    Pair("batchnorm"),
    Pair("find_rate", "$DATA", rf"begin with: (?:--lr=)?{NUMBER}", "rate"),
    Pair("cosine", result=r"accuracy ([\d.]+)", unit="accuracy of Adam"),
    Pair("cnn", "$DATA"),
    Pair("cnn"),
    Pair("circle", result=r"accuracy ([\d.]+)", python=""),
    Pair("cube", result=rf"loss {NUMBER}", unit="loss", python=""),
    Pair("xor", result=rf"loss {NUMBER}", unit="loss", python=""),
    Pair("regression", result=rf"w {NUMBER}", unit="slope", python=""),
    Pair("one_batch", "$DATA", rf"loss {NUMBER}", "loss"),
    Pair("mended"),
    Pair("clipping", "$DATA", rf"loss {NUMBER}", "loss"),
    Pair("early_stopping", "$DATA", rf"best valid loss {NUMBER}", "valid loss"),
    Pair("fine_tuning", "$DATA", python="$DATA $DIGITS"),
    Pair("two_models", "$DATA", r"student ([\d.]+)", "accuracy of the student"),
    Pair("lbfgs", result=rf"loss {NUMBER}", unit="loss", python=""),
    Pair("characters", result=rf"loss {NUMBER}", unit="loss", python="$TEXT"),
    Pair("vae", result=rf"valid loss {NUMBER}", unit="valid loss"),
    Pair("gan", result=rf"mean radius {NUMBER}", unit="radius", python=""),
    Pair("credit", result=r"auc ([\d.]+)", unit="AUC", python="", before="python3 credit_data.py"),
    Pair("resume", "$DATA", python=["$DATA 2", "$DATA 4"]),
    Pair("export", "$DATA", also="python3 onnx_accuracy.py cnn.onnx $DATA"),
    Pair("mixed", "$DATA"),
]


def run(commands, environment, folder):
    """What the commands print, and their seconds on the CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["bash", "-ec", "\n".join(commands)], env=environment, cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{commands}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment_of(arguments, data):
    prefix = pathlib.Path(arguments.dlc).resolve()
    tools = pathlib.Path(arguments.work) / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    for name, text in ("dlc", f'case $1 in train) exec {prefix}/bin/dlc "$@" --threads=1;; *) exec {prefix}/bin/dlc "$@";; esac'), \
                      ("python3", f'exec {arguments.python} "$@"'):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    named = {"DATA": arguments.data, "DIGITS": arguments.digits or arguments.data}
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "TEXT": arguments.text,
            "DATA": named[data[1:]], "DIGITS": named["DIGITS"],
            "DLC_FLAGS": f"-I{prefix}/include -L{prefix}/lib -ldlc -ldlc-runtime -Wl,-rpath,{prefix}/lib"}


def last(pattern, text):
    found = re.findall(pattern, text)
    if not found:
        sys.exit(f"expected {pattern!r} in what was printed, which is\n{text}")
    return found[-1]


def row(pair, arguments):
    lines = pair.dlc_lines(), pair.torch_lines()
    data = {"$DATA": "clothes", "$DIGITS": "digits"}[pair.data] if re.search(r"\$DATA|\$DIGITS", " ".join(pair.commands())) else ""
    cells = [f"[{pair.name}]({pair.name}.sh)" + (f", {data}" if data else ""), *map(str, lines), f"{lines[0] / lines[1]:.2f}"]
    if not arguments.count:
        environment = environment_of(arguments, pair.data)
        outputs, seconds = [], []
        for commands in pair.commands(), pair.torch_commands():
            folder = pathlib.Path(arguments.work) / pair.name
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(HERE, folder)
            if pair.before:
                run([pair.before], environment, folder)
            output, taken = run(commands, environment, folder)
            outputs.append(last(pair.result, output))
            seconds.append(f"{taken:.1f}")
        cells += [f"{pair.unit} {outputs[0]}", outputs[1], *seconds]
    return "| " + " | ".join(cells) + " |"


def check_pages(pairs):
    """The commands that are counted are those that the pages show and execute."""
    pages = "\n".join(path.read_text() for path in HERE.glob("*.md"))
    for pair in pairs:
        for command in pair.commands():
            if f"$ {command}\n" not in pages and f"\n{command}\n" not in pages:
                sys.exit(f"{pair.name}.sh: expected a page with the command {command}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dlc")
    parser.add_argument("--data", default="../../data")
    parser.add_argument("--digits")
    parser.add_argument("--text", default="../../data/shakespeare.txt")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--work", default=tempfile.gettempdir() + "/dlc-pairs")
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    head = ["program", "lines of dlc", "of PyTorch", "ratio"]
    if not arguments.count:
        head += ["dlc", "PyTorch", "CPU seconds of dlc", "of PyTorch"]
    chosen = [pair for pair in PAIRS if not arguments.names or pair.name in arguments.names]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for pair in chosen:
        print(row(pair, arguments), flush=True)
    check_pages(chosen)
    longest = max(chosen, key=lambda pair: pair.dlc_lines() / pair.torch_lines())
    if longest.dlc_lines() > 1.2 * longest.torch_lines():
        sys.exit(f"{longest.name}: expected at most 1.2 times as many lines as PyTorch's program has")


if __name__ == "__main__":
    main()
