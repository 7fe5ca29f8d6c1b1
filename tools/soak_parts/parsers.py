# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's readers of files: libFuzzer programs, built with the address and undefined-behaviour sanitizers.

A case is one parser and a batch of inputs; the corpus that has been found stays for the next batch of the same run.
"""
import re
import shutil

from .core import Part, Skipped, Wrong, check_ending, ended

PARSERS = ["safetensors", "tensors", "lbfgs", "idx", "cifar", "tokens", "npy", "rows", "table", "inflate"]
BATCH = 50000


class Parsers(Part):
    name = "parsers"

    def prepare(self):
        self.programs = self.options.fuzzers / "bin"
        missing = [name for name in ["seeds", *PARSERS] if not (self.programs / f"fuzz-{name}").exists()]
        if missing:
            raise Skipped(f"{self.programs}/fuzz-{missing[0]} is not built: cmake --preset asan-runtime && "
                          "cmake --build --preset asan-runtime")
        self.corpus = self.folder / "corpus"
        check_ending("fuzz-seeds", ended([self.programs / "fuzz-seeds", self.corpus]), allowed=(0,))

    def case(self, number, random):
        goal = self.options.inputs
        waiting = [name for name in PARSERS if goal is None or self.counts[name] < goal]
        if not waiting:
            raise StopIteration
        name = min(waiting, key=lambda name: self.counts[name])
        runs = BATCH if goal is None else min(BATCH, goal - self.counts[name])
        seconds = 1 + int(max(self.soak.left(), 1))
        corpus, found = self.corpus / name, self.clean("found")
        command = [self.programs / f"fuzz-{name}", f"-runs={runs}", f"-seed={random.randrange(1, 2 ** 31)}",
                   "-max_len=16384", "-timeout=20", "-rss_limit_mb=2048", f"-max_total_time={seconds}",
                   f"-artifact_prefix={found}/", "-print_final_stats=1", corpus]
        if self.plant("wrong"):
            command = [self.programs / f"fuzz-{name}", "-runs=1", "/nonexistent"]
        end = ended(command, seconds=seconds + 300)
        done = re.search(r"^stat::number_of_executed_units: (\d+)", end.output, re.M)
        if done:
            self.counts[name] += int(done[1])
        if end.status != 0 or not done:
            kept = [shutil.copy(file, self.folder / f"{name}-{file.name}") for file in found.iterdir()]
            lines = [line for line in end.output.splitlines() if "#" not in line[:4]]
            raise Wrong(f"fuzz-{name}: exit status {end.status}:\n" + "\n".join(lines[-25:]), *kept)
