"""dlc train shows on a terminal of 80 columns how far it is, and writes whole lines only where there is no terminal.

    python3 progress_line.py DLC MODEL DATA

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

# So many steps that the line, which appears ten times a second, is seen in each epoch more than once on fast machines, too.
COLUMNS, EPOCHS, STEPS = 80, 2, 10000


def on_terminal(command):
    """What the command writes to a terminal."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its)
    os.close(its)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody has the terminal open any more
            break
        if not part:
            break
        shown += part
    check(process.wait() == 0, f"dlc train failed: {shown.decode()}")
    return shown.decode()


def check(condition, text):
    if not condition:
        sys.exit(f"progress_line.py: {text}")


dlc, model, data = sys.argv[1:]
command = [dlc, "train", model, f"--data={data}", "--loss=softmax-cross-entropy", "--optimizer=adam", "--batch=1",
           f"--epochs={EPOCHS}", "--threads=1"]
shown = on_terminal(command)
drawn = [text for text in re.split(r"[\r\n]+", shown) if text.endswith("\x1b[K")]
for text in drawn:
    print(text.removesuffix("\x1b[K"))
    check(len(text) - len("\x1b[K") < COLUMNS, "the line is longer than the terminal is wide")
    check(re.match(rf"epoch [12]/{EPOCHS}  \[#*\.*\]  \d+/{EPOCHS * STEPS}  loss [-+.e\d]+  lr 0.001  \d+/s", text),
          "the line has another form")
check(re.search(r"  \d+\.\d s left\x1b", "".join(drawn)), "no line says how much time is left")
for epoch in range(1, EPOCHS + 1):
    check(f"\r\x1b[Kepoch {epoch}: loss " in shown, f"the report of epoch {epoch} is not in the place of its progress line")
check(shown.count("\n") == EPOCHS + 2, "there are more lines than reports")

plain = subprocess.run(command, capture_output=True, text=True, check=True)
check(plain.stderr == "" and "\r" not in plain.stdout and "\x1b" not in plain.stdout, "a progress line without a terminal")
check(len(plain.stdout.splitlines()) == EPOCHS + 2, f"other lines than expected: {plain.stdout}")
