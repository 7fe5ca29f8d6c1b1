#!/usr/bin/env python3
"""Executes the code blocks of the documentation. Above each block stands a comment that readers do not see:

  <!-- run -->             shell commands, which must succeed. In a block with lines that begin with '$ ' these are the
                           commands, and the lines after each are what it prints
  <!-- run: needs torch -->  the same; only where Python finds PyTorch
  <!-- run: needs numpy -->  the same; only where Python finds NumPy
  <!-- run: needs go -->     the same; only where there is this command, as rustc, mcs, gfortran and javac
  <!-- output -->          what the commands of the last block printed
  <!-- file: train.c -->   the content of a file
  <!-- append: train.c --> more of it
  <!-- excerpt: PATH -->   some lines of a file of the project, or of one that was made before; not of the same place
                           if a line is ...
  <!-- by hand: REASON --> commands for a new machine; executed with --all only
  <!-- not run: REASON -->
  <!-- dump ... -->        (docs/architecture.md) checked by docs/architecture/update.py
  <!-- hidden              commands that prepare what the page takes for granted,
  -->                      up to this line

Output is compared up to white space, and numbers within 10 %, times and rates within a factor of a hundred.
"up to numbers" in the comment, with a reason, lets numbers be any: <!-- output: up to numbers: shares of this
machine's time -->. A line ... stands for any lines, ... inside a line for anything. A block without a comment is an
error.

The commands of a page are executed in order, in a copy of the project in which `build` is the build folder, with
an empty home folder. Variables and the current folder stay from block to block.

usage: run_blocks.py ROOT PAGE... --build BUILD [--torch]    --torch: the pages with blocks that need PyTorch, and these
       run_blocks.py ROOT PAGE --all       also the blocks marked "by hand", in an empty folder
       run_blocks.py ROOT PAGE... --list

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from compare import SIZES, same
from markdown import PageError, blocks

NEEDS_TORCH = "needs torch"
NEEDS_NUMPY = "needs numpy"  # which pages are without where Python has none; they say so
NEEDS_COMMAND = re.compile(r"needs (rustc|go|mcs|gfortran|javac)\b")  # likewise


class Failure(Exception):
    pass


def has_torch():
    return subprocess.run(["python3", "-c", "import torch"], capture_output=True).returncode == 0


@functools.lru_cache(maxsize=None)
def has_numpy():
    return subprocess.run(["python3", "-c", "import numpy"], capture_output=True).returncode == 0


@functools.lru_cache(maxsize=None)
def has_command(command):
    """Whether it runs where the home folder is empty, and has what programs of a page need besides."""
    if not shutil.which(command) or (command == "javac" and not os.path.exists("/usr/share/java/jna.jar")):
        return False
    return subprocess.run([command, "version" if command == "go" else "--version"], capture_output=True,
                          env={**os.environ, "HOME": "/nonexistent"}).returncode == 0


def missing_command(argument):
    command = NEEDS_COMMAND.search(argument)
    return command[1] if command and not has_command(command[1]) else None


def needs_torch(page):
    try:
        return any(NEEDS_TORCH in block.argument for block in blocks(page))
    except PageError:  # the page's own test says so
        return False


def tolerance_of(argument):
    if "up to numbers" not in argument:
        return SIZES
    if not re.search(r"up to numbers: \S", argument):
        raise Failure("expected a reason: <!-- output: up to numbers: REASON -->")
    return None


class Page:
    """The blocks of one page, and the folder where they are executed."""

    def __init__(self, root, name, scratch, arguments):
        self.root, self.name, self.arguments = root, name, arguments
        self.scratch, self.work, self.printed = scratch, scratch / "dlc", ""
        self.state = scratch / "state.sh"  # variables and current folder after the last block
        self.executed = self.by_hand = self.skipped = self.without_numpy = 0
        self.missing = set()  # commands that blocks need
        (scratch / "home").mkdir()
        if arguments.all:
            self.work = scratch
        else:
            self.copy_project()
        self.state.write_text(f"cd '{self.work}'\n")

    def copy_project(self):
        self.work.mkdir()
        for entry in self.root.iterdir():
            if entry.name == "docs":  # pages write there
                shutil.copytree(entry, self.work / "docs")
            elif not entry.name.startswith((".git", "build", "out")):
                (self.work / entry.name).symlink_to(entry)
        (self.work / "build").symlink_to(self.arguments.build)

    def current_folder(self):
        return pathlib.Path(self.shell("pwd", keep=False).strip())

    def shell(self, code, keep=True):
        """What the commands print; variables and the current folder stay for the next ones."""
        code = code.replace("<this repository>", str(self.root))
        script = f". '{self.state}'\nset -eo pipefail\n{code}\n"
        if keep:
            script += f"{{ export -p; echo \"cd '$PWD'\"; }} > '{self.state}.new'\nmv '{self.state}.new' '{self.state}'\n"
        environment = {**os.environ, "HOME": str(self.scratch / "home")}
        for variable in "DESTDIR", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "BASH_ENV", "CC", "CXX", "XDG_CACHE_HOME":
            environment.pop(variable, None)
        done = subprocess.run(["bash", "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=3000 if self.arguments.all else 280)
        if done.returncode:
            raise Failure(f"exit status {done.returncode}:\n{done.stdout}")
        return done.stdout

    def run(self, block):
        if NEEDS_TORCH in block.argument and not self.arguments.torch:
            self.skipped += 1
            return
        if NEEDS_NUMPY in block.argument and not has_numpy():
            self.without_numpy += 1
            return
        if missing_command(block.argument):
            self.missing.add(missing_command(block.argument))
            return
        self.executed += 1
        if not re.search(r"^\$ ", block.code, re.M):
            self.printed = self.shell(block.code)
            return
        for session in re.split(r"^\$ ", block.code, flags=re.M)[1:]:
            command, shown = re.match(r"((?:.*\\\n)*.*\n)((?:.*\n)*)", session).groups()
            self.compare(shown, self.shell(command), block.argument, command)

    def compare(self, shown, printed, argument, of=""):
        if not same(shown, printed, tolerance_of(argument)):
            raise Failure(f"{of}the page shows:\n{shown}printed is:\n{printed}")

    def write(self, block, mode):
        path = self.current_folder() / block.argument
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, mode) as file:
            file.write(block.code)

    def excerpt(self, block):
        places = [self.current_folder() / block.argument, self.root / block.argument]
        path = next((place for place in places if place.is_file()), None)
        if not path:
            raise Failure(f"{block.argument} does not exist")
        squeeze = lambda text: " ".join(text.split())
        text, at = squeeze(path.read_text()), 0
        for part in re.split(r"^\s*\.\.\.\s*$", block.code, flags=re.M):
            at = text.find(squeeze(part), at)
            if at < 0:
                raise Failure(f"{block.argument} does not have these lines:\n{part}")

    def execute(self, block):
        if block.marker == "run":
            self.run(block)
        elif block.marker == "hidden":
            if not self.arguments.all and (self.arguments.torch or NEEDS_TORCH not in block.argument):
                self.shell(block.code)
        elif block.marker == "output":
            self.executed += 1
            if (NEEDS_TORCH not in block.argument or self.arguments.torch) and (
                    NEEDS_NUMPY not in block.argument or has_numpy()) and not missing_command(block.argument):
                self.compare(block.code, self.printed, block.argument)
        elif block.marker in ("file", "append"):
            self.executed += 1
            self.write(block, "w" if block.marker == "file" else "a")
        elif block.marker == "excerpt":
            self.executed += 1
            self.excerpt(block)
        elif block.marker == "by hand" and self.arguments.all:
            self.run(block)
        elif block.marker in ("by hand", "not run"):
            self.by_hand += 1
            if not block.argument:
                raise Failure(f"expected a reason: <!-- {block.marker}: REASON -->")

    def execute_all(self):
        for block in blocks((self.root / self.name).read_text()):
            try:
                self.execute(block)
            except (Failure, subprocess.TimeoutExpired) as failure:
                raise PageError(f"{block.line}: {failure}") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--torch", action="store_true", help="pages with blocks that need PyTorch, and these blocks")
    parser.add_argument("--all", action="store_true", help="execute blocks marked 'by hand' too, in an empty folder")
    parser.add_argument("--list", action="store_true", help="list the blocks, execute nothing")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    arguments.build = arguments.build and arguments.build.resolve()
    if arguments.torch:
        arguments.pages = [name for name in arguments.pages if needs_torch((root / name).read_text())]
        if not has_torch():
            print("skipped: python3 finds no torch, which blocks of these pages need: " + " ".join(arguments.pages))
            return 0
    failed = False
    for name in arguments.pages:
        try:
            if arguments.list:
                for block in blocks((root / name).read_text()):
                    print(f"{name}:{block.line}: {block.marker}: {block.argument}")
                continue
            with tempfile.TemporaryDirectory(prefix="dlc-docs-") as scratch:
                page = Page(root, name, pathlib.Path(scratch).resolve(), arguments)
                page.execute_all()
            print(f"{name}: {page.executed} blocks executed or compared, {page.by_hand} are not for this test"
                  + (f", {page.skipped} need torch" if page.skipped else "")
                  + (f", {page.without_numpy} need numpy, which python3 has not" if page.without_numpy else "")
                  + (f", some need {' and '.join(sorted(page.missing))}, which is not here" if page.missing else ""))
        except PageError as error:
            failed = True
            print(f"{name}:{error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
