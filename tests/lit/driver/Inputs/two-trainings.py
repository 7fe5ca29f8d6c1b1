"""Runs a training (the arguments, with -o FOLDER at the end), starts it once more meanwhile, kills the first one, and goes
on with it. Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import os
import signal
import subprocess
import sys
import time

command, folder = sys.argv[1:], sys.argv[-1]
first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
lock = os.path.join(folder, ".lock")
try:
    for _ in range(1200):  # a minute
        if os.path.exists(os.path.join(folder, "progress.json")) and os.path.exists(lock):
            break
        assert first.poll() is None, "the first training ended"
        time.sleep(0.05)
    for options in ([], ["--resume"], ["--find-lr"]):
        second = subprocess.run(command + options, capture_output=True, text=True)
        expected = f"{folder}: another training writes to this folder, the process {first.pid}: wait for its end"
        assert second.returncode == 1 and expected in second.stderr, second.stderr
finally:
    first.send_signal(signal.SIGKILL)
    first.wait()
assert os.path.exists(lock), "a process that is killed removes nothing"
third = subprocess.Popen(command + ["--resume"], stdout=subprocess.PIPE, text=True)
assert "going on after step" in third.stdout.readline() + third.stdout.readline()
third.send_signal(signal.SIGINT)
third.communicate(timeout=60)
