#!/usr/bin/env python3
"""Tests of what run_blocks.py relies on: which blocks a page has, and when output is the same.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import unittest

from compare import same
from markdown import PageError, blocks


class Blocks(unittest.TestCase):
    def test_markers(self):
        page = "text\n\n<!-- run: needs torch -->\n```sh\ntrue\n```\n\n<!-- file: a/b.c -->\n\n```c\nint i;\n```\n" \
               "<!-- hidden\ncd x\n-->\n<!-- not run: a reason: why -->\n```\nx\n```\n<!-- dump fuse: @f -->\n```mlir\n```\n"
        found = [(block.marker, block.argument, block.code) for block in blocks(page)]
        self.assertEqual(found, [("run", "needs torch", "true\n"), ("file", "a/b.c", "int i;\n"),
                                 ("hidden", "", "cd x\n"), ("not run", "a reason: why", "x\n"), ("dump", "@f", "\n")])

    def test_block_without_marker(self):
        for page in ("text\n```sh\ntrue\n```\n", "<!-- run -->\ntext\n```sh\ntrue\n```\n",
                     "<!-- something else -->\n```sh\ntrue\n```\n", "text\n\n    indented\n"):
            with self.assertRaises(PageError, msg=page):
                blocks(page)

    def test_lists_are_no_blocks(self):
        self.assertEqual(blocks("- item\n\n    more of it\n"), [])

    def test_block_without_end(self):
        for page in ("<!-- run -->\n```sh\ntrue\n", "<!-- hidden\ntrue\n"):
            with self.assertRaises(PageError, msg=page):
                blocks(page)


class Output(unittest.TestCase):
    def test_numbers_differ_a_little(self):
        self.assertTrue(same("loss 0.50,  1,024 bytes\n", "loss 0.52,\t1,000 bytes\n"))
        self.assertFalse(same("loss 0.50\n", "loss 0.56\n"))
        self.assertFalse(same("18024 mlp.json\n", "60325 mlp.json\n"))
        self.assertFalse(same("loss 0.5\n", "loss nan\n"))
        self.assertFalse(same("loss 0.5\n", "los 0.5\n"))

    def test_any_numbers(self):
        self.assertTrue(same("loss 0.5,  1,024 bytes\n", "loss 12,\t7 bytes\n", None))
        self.assertFalse(same("loss 0.5\n", "loss nan\n", None))

    def test_times_are_those_of_some_machine(self):
        self.assertTrue(same("12.0 us, 0.06 s, 3 GB/s\n", "40.1 us, 0.00 s, 1 GB/s\n"))
        self.assertTrue(same("epoch 10: 0.93 s\n", "epoch 10: 0.07 s\n"))
        self.assertFalse(same("12.0 us\n", "12,000 us\n"))
        self.assertFalse(same("2 samples\n", "3 samples\n"))

    def test_lines(self):
        self.assertTrue(same("a\n...\nz\n", "a\nb\nc\nz\n"))
        self.assertFalse(same("a\n...\nz\n", "a\nb\n"))
        self.assertFalse(same("a\n", "a\nb\n"))
        self.assertTrue(same("a ... z\n", "a b c z\n"))
        self.assertFalse(same("a\nb\n", "a\n"))


if __name__ == "__main__":
    unittest.main()
