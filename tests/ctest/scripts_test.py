"""Tests of tests/expect.py, check_properties.py and tools/summarize-tests, with a few small tests of ctest.

    python3 scripts_test.py CTEST

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CTEST = sys.argv.pop(1) if len(sys.argv) > 1 else "ctest"

TESTS = """
add_test(good true)
add_test(parts printf "[  SKIPPED ] Suite.case/0\\n\\nUnsupported Tests (1):\\n  dlc :: a/b.test\\n")
add_test(bad false)
add_test(crash sh -c "kill -SEGV $$")
add_test(slow sleep 60)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(missing /no/such/program)
add_test(optional echo "skipped: needs -DX=")
set_tests_properties(optional PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
add_test(absent sh -c "exit 77")
set_tests_properties(absent PROPERTIES SKIP_RETURN_CODE 77)
"""


def run(*command, **options):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, **options)


class Expect(unittest.TestCase):
    def status(self, *arguments):
        return run(sys.executable, HERE.parent / "expect.py", *arguments).returncode

    def test_passes_where_both_are_as_expected(self):
        self.assertEqual(self.status("^two$", "printf", "one\\ntwo\\n"), 0)
        self.assertEqual(self.status("--status=3", "no", "sh", "-c", "echo no >&2; exit 3"), 0)

    def test_fails_where_one_is_not(self):
        self.assertEqual(self.status("three", "printf", "one\\ntwo\\n"), 1)
        self.assertEqual(self.status("one", "sh", "-c", "echo one; exit 1"), 1)
        self.assertEqual(self.status("--status=1", "one", "sh", "-c", "echo one; kill -SEGV $$"), 1)
        self.assertEqual(self.status("--status=1", "one", "echo", "one"), 1)


class Summary(unittest.TestCase):
    def test_names_what_failed_and_what_was_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(TESTS)
            results = pathlib.Path(folder, "results.xml")
            run(CTEST, "--output-junit", results, cwd=folder)
            found = run(sys.executable, ROOT / "tools/summarize-tests", results)
        self.assertEqual(found.stdout.splitlines(), [
            "failed: bad", "failed: crash", "failed: slow",
            "failed: missing (did not run: Unable to find executable)",
            "skipped: optional (needs -DX=)", "skipped: absent",
            "a part was skipped: parts: Suite.case/0", "a part was skipped: parts: dlc :: a/b.test",
            "2 passed, 4 failed, 2 skipped"], found.stderr)


class Properties(unittest.TestCase):
    def problems(self, tests, default):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(tests)
            if default:
                pathlib.Path(folder, "DartConfiguration.tcl").write_text(f"TimeOut: {default}\n")
            found = run(sys.executable, HERE / "check_properties.py", CTEST, folder)
        lines = found.stdout.splitlines()
        self.assertEqual(found.returncode, 1 if len(lines) > 1 else 0, found.stderr)
        return lines[:-1]

    def test_every_test_needs_a_limit(self):
        tests = "add_test(one true)\nadd_test(two true)\nset_tests_properties(two PROPERTIES TIMEOUT 5)\n"
        self.assertEqual(self.problems(tests, None), ["one has no TIMEOUT of at most 7200 s"])
        self.assertEqual(self.problems(tests, 300), [])

    def test_the_status_counts(self):
        tests = ('add_test(one echo yes)\nset_tests_properties(one PROPERTIES PASS_REGULAR_EXPRESSION "yes")\n'
                 "add_test(two false)\nset_tests_properties(two PROPERTIES WILL_FAIL ON)\n")
        self.assertEqual(self.problems(tests, 300), [
            "one uses PASS_REGULAR_EXPRESSION: run it with tests/expect.py instead",
            "two uses WILL_FAIL: run it with tests/expect.py instead"])


if __name__ == "__main__":
    unittest.main()
