# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each allocation and each system call of a program fails once (shim.c). Cases are (program, call, number) in an order
that follows from the seed, system calls first; of calls that a program makes more than MOST times, that many are drawn."""
import random

from .core import Part, Wrong, check_ending, ended
from .subjects import SUBJECTS, build_shim, environment

MOST = 2000


class Faults(Part):
    name = "faults"

    def prepare(self):
        self.shim = build_shim(self)
        self.cases = []
        order = random.Random(f"{self.options.seed}/faults")
        for kind in SUBJECTS:
            subject = kind(self)
            for call, count in self.count(subject).items():
                numbers = range(1, count + 1) if count <= MOST else sorted(order.sample(range(1, count + 1), MOST))
                self.cases += [(subject, call, number) for number in numbers]
                if count:
                    print(f"faults: {subject.name} calls {call} {count} times")
        order.shuffle(self.cases)
        self.cases.sort(key=lambda case: case[1] == "malloc" and case[0].program == "dlc")  # the few before the many

    def count(self, subject):
        folder, counts = self.clean("count"), self.folder / "counts.txt"
        end = ended(subject.command(folder), cwd=folder, env=environment(self.shim, subject, SOAK_COUNT=str(counts)))
        check_ending(f"{subject.name}, counted", end, allowed=(0,))
        return {call: int(count) for call, count in (line.split() for line in counts.read_text().splitlines())}

    def case(self, number, random):
        if number >= len(self.cases):
            raise StopIteration
        subject, call, which = self.cases[number]
        folder = self.clean("case")
        fault = f"{call}:{which}"
        end = ended(subject.command(folder), cwd=folder, env=environment(self.shim, subject, SOAK_FAIL=fault))
        if self.plant("crash"):
            end = end._replace(status=-11)
        if self.plant("leftover"):
            (folder / "out").mkdir(exist_ok=True)
            (folder / "out/.dlc-0.new").write_text("half")
        try:
            subject.check(folder, end)
        except Wrong as wrong:
            raise Wrong(f"where {fault} fails: {wrong}") from None
        self.counts[f"{call}: {'went on' if end.status == 0 else 'an error'}"] += 1
