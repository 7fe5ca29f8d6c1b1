# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the parts of tools/soak share: time, random numbers, running programs, counts and findings.

A part is a class with `name`, `prepare()` and `case(number, random)`: one input, chosen by random numbers that follow
from seed, part and number alone, so that a number is enough to have it again. What is wrong is raised as Wrong.
"""
import collections
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import time

FAULTS = ["crash", "hang", "wrong", "leftover"]
SECONDS = 120  # far more than any program here needs for what it is given
# What a program prints that is not in order, whatever its exit status is.
BROKEN = re.compile(r"AddressSanitizer|UndefinedBehaviorSanitizer|runtime error: |LeakSanitizer|ThreadSanitizer|"
                    r"Stack dump:|Assertion .* failed|UNREACHABLE executed|PLEASE submit a bug report|"
                    r"terminate called|LLVM ERROR")

Ended = collections.namedtuple("Ended", "status output")  # status None: did not end


class Wrong(Exception):
    """What should never happen; `files` are kept with it."""

    def __init__(self, text, *files):
        super().__init__(text)
        self.files = files


class Skipped(Exception):
    """A part that cannot run here, and why."""


def computed(process):
    """Seconds for which a program has computed."""
    try:
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def ended(command, seconds=SECONDS, **more):
    """Runs a program to its end, or ends it, with all that it started. On a busy machine one that has hardly computed is
    given ten times as long."""
    process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, **more)
    for _ in range(10):
        try:
            output = process.communicate(timeout=seconds)[0]
            return Ended(process.returncode, output.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            if computed(process) > seconds / 4:
                break
    os.killpg(process.pid, signal.SIGKILL)
    return Ended(None, process.communicate()[0].decode(errors="replace"))


def check_ending(what, end, allowed=(0, 1)):
    """Success or an error: no crash, no hang, no report."""
    if end.status is None:
        raise Wrong(f"{what} did not end within {SECONDS} s")
    broken = BROKEN.search(end.output)
    if end.status not in allowed or broken:
        lines = end.output.splitlines()
        raise Wrong(f"{what}: exit status {end.status}: " + "\n".join(lines[:3] + ["..."] + lines[-12:]))


class Part:
    def __init__(self, soak):
        self.soak, self.options = soak, soak.options
        self.counts = collections.Counter()
        self.seconds, self.next, self.skipped = 0.0, soak.options.first, None
        self.folder = soak.scratch / self.name
        self.folder.mkdir()

    def prepare(self):
        pass

    def tool(self, name):
        path = self.options.build / "bin" / name
        if not path.exists():
            raise Skipped(f"{path} is not built")
        return path

    def clean(self, name):
        """An empty folder."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def plant(self, fault):
        """Whether to behave as if dlc did this wrong, the third time that it could."""
        if self.options.plant == fault:
            self.counts["chances of the planted fault"] += 1
        return self.options.plant == fault and self.counts["chances of the planted fault"] == 3


class Soak:
    def __init__(self, root, options, scratch):
        self.root, self.options, self.scratch = root, options, scratch
        self.findings, self.parts = [], []
        self.begin = time.monotonic()

    def left(self):
        return self.begin + self.options.minutes * 60 - time.monotonic()

    def run(self, parts):
        """Of those that have used least of the time, always the next input."""
        self.parts = parts
        for part in parts:
            try:
                part.prepare()
            except Skipped as reason:
                part.skipped = str(reason)
                print(f"{part.name}: skipped: {reason}", flush=True)
        running = [part for part in parts if not part.skipped]
        if self.options.case is not None:
            for part in running:
                self.one(part, self.options.case)
            return
        told = time.monotonic()
        while running and self.left() > 0 and not (self.findings and self.options.until_wrong):
            part = min(running, key=lambda part: part.seconds)
            if self.options.cases is not None and part.next >= self.options.first + self.options.cases:
                running.remove(part)
                continue
            number, part.next = part.next, part.next + 1
            try:
                self.one(part, number)
            except StopIteration:  # it has no more
                running.remove(part)
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"{(told - self.begin) / 60:.0f} min: " + "; ".join(map(summary, parts)), flush=True)

    def one(self, part, number):
        begin = time.monotonic()
        try:
            part.counts["inputs"] += 1
            part.case(number, random.Random(f"{self.options.seed}/{part.name}/{number}"))
        except Wrong as wrong:
            self.keep(part, number, wrong)
        finally:
            part.seconds += time.monotonic() - begin

    def keep(self, part, number, wrong):
        folder = self.options.findings / f"{part.name}-{self.options.seed}-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        for file in wrong.files:
            if os.path.exists(file):
                shutil.copy(file, folder)
        (folder / "what.txt").write_text(f"{wrong}\n")
        part.counts["wrong"] += 1
        self.findings.append({"part": part.name, "case": number, "what": str(wrong), "kept": str(folder)})
        print(f"WRONG {part.name} {number} (--seed {self.options.seed} --only {part.name} --case {number}): "
              f"{wrong}\n  kept in {folder}", flush=True)

    def report(self):
        seconds = time.monotonic() - self.begin
        for part in self.parts:
            print(summary(part))
        print(f"seed {self.options.seed}, {seconds / 60:.1f} minutes, {len(self.findings)} wrong")
        if self.options.report:
            self.options.report.write_text(json.dumps({
                "seed": self.options.seed, "seconds": round(seconds, 1), "machine": machine(),
                "command": sys.argv[1:],
                "parts": {part.name: {"skipped": part.skipped} if part.skipped else
                          {**part.counts, "seconds": round(part.seconds, 1), "next": part.next}
                          for part in self.parts},
                "findings": self.findings}, indent=1) + "\n")


def summary(part):
    if part.skipped:
        return f"{part.name}: skipped: {part.skipped}"
    return f"{part.name}: " + ", ".join(f"{count} {what}" for what, count in part.counts.items())


def machine():
    try:
        with open("/proc/cpuinfo") as file:
            model = re.search(r"model name\s*: (.*)", file.read())
    except OSError:
        model = None
    return f"{model[1] if model else platform.machine()}, {len(os.sched_getaffinity(0))} cores, {platform.release()}"
