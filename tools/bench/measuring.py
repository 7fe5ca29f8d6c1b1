# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks have in common: processes that train in turns, and what is known of the machine meanwhile."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parents[1]


class SideFailed(RuntimeError):
    """A side's process ended; the message has the last line that it wrote to stderr."""


class Side:
    """A process that trains: answers each step count with a JSON line."""

    def __init__(self, name, command, cores, environment):
        self.name, self.rounds = name, []
        begin = time.perf_counter()
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, env={**os.environ, **environment},
                                        preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.first = self.answer()
        self.start_up_s = time.perf_counter() - begin  # process start to the end of the first step

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            self.errors.seek(0)
            said = [line.strip() for line in self.errors if line.strip()]
            raise SideFailed(f"{self.name} ended with status {status}" + (f": {said[-1]}" if said else ""))
        return json.loads(line)

    def run(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def ms(self):
        return statistics.median(r["ms"] for r in self.rounds)


def note(message):
    print(f"note: {message}", flush=True)


def build_peak_program(folder):
    """Builds the FMA program with the system's compiler where the project's build has not."""
    compiler = next((c for c in ("c++", "g++", "clang++", "clang++-22") if shutil.which(c)), None)
    if compiler is None:
        sys.exit("error: no C++ compiler found to build fma_peak")
    subprocess.run([compiler, "-O2", "-std=c++17", "-ffp-contract=fast", "-pthread", f"-I{ROOT}",
                    BENCH / "fma_peak.cpp", "-o", folder / "fma_peak"], check=True)
    return folder / "fma_peak"


def measure_peak(program, cores):
    text = subprocess.run([program, str(len(cores))], check=True, capture_output=True, text=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores)).stdout
    # "252.3 GFLOP/s fp32, ...; fed from L1: 240.1 GFLOP/s"
    return float(text.split()[0]), float(text.split("fed from L1:")[1].split()[0]), text.strip()


def cache_note(cores):
    """Whether the cores share their last-level cache."""
    shared = set()
    for core in cores:
        indices = sorted(Path(f"/sys/devices/system/cpu/cpu{core}/cache").glob("index*"))
        levels = [(i / "level").read_text().strip() for i in indices]
        if "3" not in levels:
            return "no L3 cache is reported"
        shared.add((indices[levels.index("3")] / "shared_cpu_list").read_text().strip())
    if len(cores) == 1:
        return f"core {cores[0]}, whose L3 cache serves cores {shared.pop()}"
    share = "share" if len(shared) == 1 else "do not share"
    return f"cores {', '.join(map(str, cores))} {share} an L3 cache"


def busy_seconds():
    """Core seconds used by anyone since boot."""
    fields = [int(x) for x in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")
