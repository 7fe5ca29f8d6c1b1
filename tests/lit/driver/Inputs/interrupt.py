"""Runs a training (the arguments) and ends it with Ctrl-C once it has printed some lines. Part of dlc, under the Apache
License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import signal
import subprocess
import sys

training = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
for _ in range(3):
    sys.stdout.write(training.stdout.readline())
training.send_signal(signal.SIGINT)
sys.stdout.write(training.communicate(timeout=60)[0])
