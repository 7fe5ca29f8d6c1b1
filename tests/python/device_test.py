#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which GPUs there are, and training on one: the stand-in driver plays it, which a process of its own finds."""
import os
import subprocess
import sys
import unittest

from common import Case

FACTS = """
import dlc
print(dlc.device_count(), dlc.is_available(), dlc.best_device(), dlc.best_device())
try:
    memory = dlc.device_memory(0)
    print(dlc.device_name(), memory.free, memory.total)
    dlc.device_name(1)
except dlc.DeviceError as error:
    print(error)
"""
TRAINING = """
from common import TWO_LAYERS, batch, dlc
def losses(device, **options):
    step = dlc.from_onnx(TWO_LAYERS, loss="cross_entropy", optimizer=dlc.SGD(lr=0.5), batch=8, device=device, **options)
    return [float(step(*batch(seed=seed))) for seed in range(3)]
expected = losses("cpu")
for device in dlc.best_device(), "cuda", "cuda:0":
    found = losses(device, gpu_code="simt")
    assert max(abs(a - b) for a, b in zip(found, expected)) < 1e-4, (device, found, expected)
print(expected != [expected[0]] * 3)
"""


def run(program, stand_in):
    environment = dict(os.environ)
    if stand_in:
        environment["LD_LIBRARY_PATH"] = os.environ["DLC_STAND_IN"]
    environment["PYTHONPATH"] += os.pathsep + os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=300)
    return done.stdout.splitlines(), done.stderr, done.returncode


class Devices(Case):
    def test_a_gpu_is_described(self):
        lines, said, status = run(FACTS, True)
        self.assertEqual(status, 0, said)
        self.assertEqual(lines, ["1 True gpu gpu", f"stand-in 0 {8 << 30} {8 << 30}",
                                 "dlc: there is no GPU number 1: the driver has 1"])
        self.assertEqual(said, "dlc: note: best_device: gpu (stand-in 0)\n")

    def test_no_driver_is_no_error(self):
        lines, said, status = run(FACTS, False)
        self.assertEqual(status, 0, said)
        if lines[0].startswith("0"):  # else this machine has a GPU
            self.assertEqual(lines[0], "0 False cpu cpu")
            self.assertRegex(lines[1], "^dlc: there is no NVIDIA driver, which runs its code for GPUs: libcuda.so.1 cannot")
            self.assertRegex(said, "^dlc: note: best_device: cpu [(]there is no NVIDIA driver, .*[)]\n$")

    def test_a_gpu_gets_code_and_trains(self):
        lines, said, status = run(TRAINING, True)
        self.assertEqual(status, 0, said)
        self.assertEqual(lines, ["True"])


if __name__ == "__main__":
    unittest.main()
