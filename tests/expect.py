"""Runs a command, passes on what it prints, and fails unless it ends as expected and prints what is expected.

    python3 expect.py [--status=N] PATTERN command...

The command must end with status N (0 unless told otherwise) and print, on both streams together, something that
the regular expression PATTERN matches (^ and $ are ends of lines). ctest's own PASS_REGULAR_EXPRESSION would not
look at the status: a program that prints what is expected and then crashes would pass.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys


def main(arguments):
    expected = 0
    if arguments and arguments[0].startswith("--status="):
        expected = int(arguments.pop(0).partition("=")[2])
    if len(arguments) < 2:
        sys.exit(__doc__)
    pattern, *command = arguments
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = run.stdout.decode(errors="replace")
    print(output, end="", flush=True)
    failures = []
    if run.returncode != expected:  # negative: the signal that ended it
        failures.append(f"expected the exit status {expected}, found {run.returncode}")
    if not re.search(pattern, output, re.MULTILINE):
        failures.append(f"expected output that matches '{pattern}', found none")
    for failure in failures:
        print(f"expect.py: {command[0]}: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
