"""Fails where a test could run for ever, or could pass although its program failed.

    python3 check_properties.py CTEST BUILD_FOLDER

Every test has a time limit: its own TIMEOUT, or the default that tests/CMakeLists.txt sets, which must be in
force. No test uses PASS_REGULAR_EXPRESSION, which makes ctest ignore the program's exit status, or WILL_FAIL, for
which a crash is as good as the expected error: tests/expect.py looks at status and output.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LONGEST = 7200  # seconds


def default_limit(ctest, build):
    """The limit that ctest gives to a test without TIMEOUT, as it says itself; None where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        for file in build.glob("DartConfiguration.tcl"):
            shutil.copy(file, folder)
        pathlib.Path(folder, "CTestTestfile.cmake").write_text(f'add_test(one "{sys.executable}" -c pass)\n')
        run = subprocess.run([ctest, "-V"], cwd=folder, capture_output=True, text=True)
    seconds = int(re.search(r"Test timeout computed to be: (\d+)", run.stdout).group(1))
    return seconds if seconds < 10_000_000 else None


def main(ctest, build):
    build = pathlib.Path(build)
    listing = subprocess.run([ctest, "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    tests = json.loads(listing.stdout)["tests"]
    default = default_limit(ctest, build)
    problems = [] if tests else ["there are no tests"]
    for test in tests:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        limit = properties.get("TIMEOUT", default)
        if not limit or limit > LONGEST:
            problems.append(f"{test['name']} has no TIMEOUT of at most {LONGEST} s")
        for name in ("PASS_REGULAR_EXPRESSION", "WILL_FAIL"):
            if name in properties:
                problems.append(f"{test['name']} uses {name}: run it with tests/expect.py instead")
    for problem in problems:
        print(problem)
    print(f"{len(tests)} tests, time limit {default} s where they set none, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
