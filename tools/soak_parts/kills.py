# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are killed (SIGKILL) at any moment. Files are those of before or those of after, none is half; what is
left of the killed process goes with the next one; training goes on and ends with the bits of one that was not killed."""
import re
import shutil
import subprocess
import time

from .core import Part, Wrong, check_ending, ended
from .subjects import TEMPORARY, Compile, Train, Victim, broken_file, files_in


class Kills(Part):
    name = "kills"

    def prepare(self):
        self.compile, self.train, self.victim = Compile(self), Train(self), Victim(self)
        self.old = self.clean("old")
        command = self.compile.command(self.old, "--optimizer=adam")
        check_ending("dlc compile", ended(command, cwd=self.old), allowed=(0,))
        self.old_files = files_in(self.old / "out")
        self.seconds_of = {}
        for subject in (self.compile, self.train):
            folder, begin = self.clean("timed"), time.monotonic()
            ended(subject.command(folder, *self.often(subject)), cwd=folder)
            self.seconds_of[subject.name] = time.monotonic() - begin

    @staticmethod
    def often(subject):
        return ["--resume", "--save-every=1"] if subject.name == "train" else []

    def kill(self, command, folder, seconds):
        """Starts a program and kills it; what it had printed, and whether it was killed."""
        process = subprocess.Popen([str(part) for part in command], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            output = process.communicate()[0]
        if process.returncode not in (0, -9):
            raise Wrong(f"exit status {process.returncode}: {output.decode(errors='replace')[-1000:]}")
        return output.decode(errors="replace"), process.returncode == -9

    def case(self, number, random):
        [self.kill_compile, self.kill_train, self.kill_save][number % 3](random)

    def kill_compile(self, random):
        folder = self.clean("case")
        hadFiles = random.random() < 0.7
        if hadFiles:
            shutil.copytree(self.old / "out", folder / "out")
        seconds = random.uniform(0, 1.1 * self.seconds_of["compile"])
        _, killed = self.kill(self.compile.command(folder), folder, seconds)
        found, allowed = files_in(folder / "out"), 0
        for name, digest in found.items():
            old, new = self.old_files.get(name) if hadFiles else None, self.compile.expected.get(name)
            if not TEMPORARY.search(name) and digest not in (old, new):
                raise Wrong(f"compile, killed: {name} is neither the old file nor the new one")
            allowed += digest == old and old != new
        if hadFiles and not set(self.old_files) <= set(found):
            raise Wrong(f"compile, killed: {sorted(set(self.old_files) - set(found))} is gone")
        self.counts["compile: " + ("killed" if killed else "was done")] += 1
        self.counts["compile: left temporary files"] += any(TEMPORARY.search(name) for name in found)
        end = ended(self.compile.command(folder), cwd=folder)
        if self.plant("leftover"):
            (folder / "out/.dlc-0.new").write_text("half")
        self.compile.check(folder, end)
        if end.status != 0:
            raise Wrong(f"compile, after a kill: {end.output[-500:]}")

    def kill_train(self, random):
        folder = self.clean("case")
        command = self.train.command(folder, *self.often(self.train))
        for _ in range(random.randrange(1, 5)):
            _, killed = self.kill(command, folder, random.uniform(0, 1.1 * self.seconds_of["train"]))
            self.counts["train: " + ("killed" if killed else "was done")] += 1
            for path in sorted((folder / "out").rglob("*")) if (folder / "out").exists() else []:
                if not path.name.startswith(".") and path.is_file() and (problem := broken_file(path)):
                    raise Wrong(f"train, killed: {problem}")
        end = ended(command, cwd=folder)
        check_ending("dlc train --resume, after a kill", end, allowed=(0,))
        found = files_in(folder / "out")
        for name, digest in self.train.expected.items():
            if name.endswith(".safetensors") and found.get(name) != digest:
                raise Wrong(f"train, killed and resumed: {name} is not that of a training that was not killed")
        left = [name for name in found if TEMPORARY.search(name)]
        if left:
            raise Wrong(f"train, killed and resumed: {left} is left behind")

    def kill_save(self, random):
        folder = self.clean("case")
        last = 0
        for _ in range(random.randrange(1, 4)):
            output, _ = self.kill(self.victim.command(folder, "forever"), folder, random.uniform(0.005, 0.3))
            self.counts["save: killed"] += 1
            loaded = re.search(r"^loaded (\d+)", output, re.M)
            if (last and output and not loaded) or (loaded and int(loaded[1]) < last):
                raise Wrong(f"save, killed: a state of step {last} was saved, {loaded and loaded[0]} is there")
            saved = re.findall(r"^saved (\d+)\n", output, re.M)
            last = max([last, *map(int, saved)])
            if (folder / "out/state").exists() and (problem := broken_file(folder / "out/state")):
                raise Wrong(f"save, killed: {problem}")
        end = ended(self.victim.command(folder), cwd=folder)
        check_ending("a program after a kill", end, allowed=(0,))
        left = [name for name in files_in(folder / "out") if TEMPORARY.search(name)]
        if left:
            raise Wrong(f"save, killed: {left} is still there after the next program")
