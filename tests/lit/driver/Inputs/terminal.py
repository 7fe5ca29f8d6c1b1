"""Runs a program whose output is a terminal: terminal.py PROGRAM ARGUMENTS... What it wrote goes to standard output.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pty
import subprocess
import sys

mine, its = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=its, stderr=subprocess.DEVNULL)
os.close(its)
while True:
    try:
        some = os.read(mine, 65536)
    except OSError:  # its end was closed
        break
    if not some:
        break
    sys.stdout.buffer.write(some.replace(b"\r\n", b"\n"))
sys.exit(process.wait())
