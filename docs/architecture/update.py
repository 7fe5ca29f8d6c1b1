#!/usr/bin/env python3
"""Keeps the program texts of docs/architecture.md what the compiler really makes of two_layers.onnx.

usage: update.py DLC [--check]      DLC: the compiler, e.g. build/bin/dlc

Compiles the model with --dump-ir and puts the parts that the page asks for between its markers:

    <!-- dump STAGE: PART... -->    PART: everything, declarations, or the @symbol of an operation of the program (a
    <!-- end -->                    glob; the first that matches)

What is left out is named by a line of dots, and long lists of numbers are shortened; nothing else is changed.
--check changes nothing and fails where the page is out of date.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import difflib
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent / "architecture.md"
# One CPU for all machines; -O0, because what LLVM's optimisations make of the code is not ours.
OPTIONS = ["--batch=8", "--loss=softmax-cross-entropy", "--cpu=x86-64-v3", "--triple=x86_64-pc-linux-gnu", "-O0"]


def dump_stages(dlc):
    """The text after each stage, by the stage's name."""
    with tempfile.TemporaryDirectory() as folder:
        command = [dlc, "compile", HERE / "two_layers.onnx", "-o", folder, f"--dump-ir={folder}/ir", "-q", *OPTIONS]
        subprocess.run(command, check=True)
        files = pathlib.Path(folder, "ir").glob("*.*.*")
        # NN.<stage>.mlir ends a stage; NN.<stage>.<pass>.mlir are on the way.
        return {path.name.split(".")[1]: path.read_text() for path in files if path.name.count(".") == 2}


class Program:
    """A text as head, operations and tail: of a train.program, or of LLVM modules."""

    def __init__(self, stage, text):
        self.stage = stage
        self.aliases, self.head, self.operations, self.tail = [], [], [], []
        indent = "" if stage == "llvm" else "    "
        opening = r"define " if stage == "llvm" else r"    (train\.\w+)"
        body = False
        for line in text.split("\n{-#")[0].splitlines():  # large constants follow behind {-#
            if line.startswith("#map"):
                self.aliases.append(line)
            elif body:
                self.operations[-1].append(line)
                body = line != indent + "}"
            elif re.match(opening, line):
                self.operations.append([line])
                body = line.endswith("{")
            elif stage != "llvm":
                (self.tail if self.operations else self.head).append(line)

    @staticmethod
    def symbol(operation):
        return re.search(r'@"?([\w.$]+)', operation[0]).group(1)

    def select(self, parts):
        """Indices of the operations that `parts` ask for."""
        wanted = set()
        for part in parts:
            if part == "everything":
                wanted.update(range(len(self.operations)))
            elif part == "declarations":
                wanted.update(i for i, operation in enumerate(self.operations) if len(operation) == 1)
            else:
                found = (i for i, operation in enumerate(self.operations)
                         if len(operation) > 1 and fnmatch.fnmatchcase("@" + self.symbol(operation), part))
                index = next(found, None)
                if index is None:
                    sys.exit(f"{PAGE}: after the stage {self.stage} there is no operation {part}")
                wanted.add(index)
        return wanted

    def excerpt(self, parts):
        wanted = self.select(parts)
        lines, skipped = [], []
        indent = "" if self.stage == "llvm" else "    "
        comment = ";" if self.stage == "llvm" else "//"

        def close():
            if skipped:
                names = skipped if len(skipped) <= 6 else [*skipped[:4], f"{len(skipped) - 4} more"]
                lines.append(f"{indent}{comment} ... {', '.join(names)}")
                skipped.clear()

        for i, operation in enumerate(self.operations):
            if i in wanted:
                close()
                lines += operation
            else:
                skipped.append("@" + self.symbol(operation))
        close()
        used = set(re.findall(r"#map\d*\b", "\n".join(lines)))
        aliases = [line for line in self.aliases if line.split(" ")[0] in used]
        text = "\n".join(aliases + self.head + lines + self.tail).rstrip()
        # dense<[0.1, 0.2, 0.3, ...]>: three numbers say as much as thirty.
        return re.sub(r"dense<\[((?:[^,\]<>]+, ){3})[^\]<>]{20,}\]>", r"dense<[\1...]>", text)


def update(page, programs):
    def fill(match):
        stage, parts = match.group(1), match.group(2).split()
        if stage not in programs:
            sys.exit(f"{PAGE}: there is no stage {stage}, only {', '.join(programs)}")
        language = "llvm" if stage == "llvm" else "mlir"
        return f"<!-- dump {stage}: {' '.join(parts)} -->\n```{language}\n{programs[stage].excerpt(parts)}\n```\n<!-- end -->"

    return re.sub(r"<!-- dump (\w+): (.*?) -->\n.*?<!-- end -->", fill, page, flags=re.DOTALL)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    programs = {stage: Program(stage, text) for stage, text in dump_stages(sys.argv[1]).items()}
    old = PAGE.read_text()
    new = update(old, programs)
    if new == old:
        return
    if len(sys.argv) == 2:
        PAGE.write_text(new)
        return
    difference = difflib.unified_diff(old.splitlines(), new.splitlines(), "docs/architecture.md", "now", lineterm="")
    print("\n".join(difference))
    sys.exit("docs/architecture.md is out of date: `ninja -C build update-docs` writes it again; commit it after a look")


if __name__ == "__main__":
    main()
