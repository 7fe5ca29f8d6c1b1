"""Each option of each command takes the value behind it, and leaves FILE: option-then-file.py COMMAND...

The value is wrong for some options, which is said of the value and not of FILE. Part of dlc, under the Apache License v2.0
with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import re
import subprocess
import sys

FILE = "none.onnx"
needed = {"train": ["--data=none.csv"], "eval": ["--data=none.csv"], "predict": ["--data=none.csv"]}
tried = 0
for command in sys.argv[1:]:
    text = subprocess.run(["dlc", command, "--help"], capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)(?:,--[a-z0-9-]+)* ([A-Z\[]\S*)", text, re.M)
    assert len(options) > 2, (command, text)
    for option, value in options:
        given = ["1,2"] if value == "X,X" else ["NAME=1"]
        for arguments in [[option, *given], [f"{option}={given[0]}"]]:
            # An option behind FILE, too: alone FILE would be left, as it is needed.
            line = ["dlc", command, *arguments, FILE, *needed.get(command, []), "--model=net"]
            said = subprocess.run(line, capture_output=True, text=True, timeout=60).stderr
            assert "FILE is required" not in said and f"'{FILE}'" not in said and "not expected" not in said, (line, said)
            tried += 1
print(tried, "command lines")
