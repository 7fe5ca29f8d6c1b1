#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the program dlc does with a step: profiles and reports are of the code and the numbers that the step has."""
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common import TWO_LAYERS, Case, batch, dlc, np, sgd


def rows_of(table):
    """Of the table of --values: (elements, smallest, largest) by kernel and node."""
    rows = {}
    for line in table.splitlines()[3:]:
        cells = line.split()
        if len(cells) >= 8:
            rows[cells[0], cells[7]] = int(cells[1]), float(cells[2]), float(cells[3])
    return rows


class Programs(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def has_scores_of(self, step, table, x):
        scores = step.predict(x)
        self.near(rows_of(table)["matmul_add", "/fc2/Gemm"], (scores.size, scores.min(), scores.max()), 5e-3)

    def test_profiles_are_of_what_the_step_has(self):
        step, (x, y) = sgd(threads=1), batch()
        for _ in range(3):
            step(x, y)
        before = step.state_dict()
        self.has_scores_of(step, step.profile(x, y, function="grad_step", values=True), x)
        for name, array in before.items():
            self.assertTrue(np.array_equal(array, step.parameter(name)), "profiling trains a copy")
        step.export(self.path, shared=True)
        loaded = dlc.load(self.path / "libtwo_layers.so", threads=1)
        for _ in range(3):
            loaded(x, y)
        self.has_scores_of(loaded, loaded.profile(image=x, labels=y, function="grad_step", values=True), x)

    def test_times(self):
        step = sgd(threads=1)
        text = step.profile(steps=20, trace=self.path / "trace.json")
        self.assertIn("train_step of two_layers: ", text)
        self.assertIn(" on 1 thread, ", text)
        self.assertIn("of limit", text)
        self.assertIn("on 2 threads", step.profile(steps=20, threads=2))
        self.assertIn("/fc1/Gemm", step.profile(steps=20, by_node=True))
        self.assertTrue(json.loads((self.path / "trace.json").read_text())["traceEvents"])
        self.assertIn("predict of two_layers", dlc.from_onnx(TWO_LAYERS, batch=8).profile(steps=20))

    def test_reports(self):
        step = sgd()
        table = self.path / "log.csv"
        table.write_text("step,loss\n0,2.5\n1,2.25\n")
        page = step.report(self.path / "run.html", log=table)
        self.has(page, "<h1>two_layers</h1>", "loss: 2.25 at the end", without="GFLOP/s")
        page = step.report(self.path / "timed.html", log=[table, table], profile=True, threads=1, function="grad_step")
        self.has(page, "GFLOP/s", "grad_step", without="no such text")

    def has(self, page, *texts, without):
        content = page.read_text(encoding="utf-8")
        self.assertEqual([text for text in texts if text not in content], [])
        self.assertFalse(without in content, without)

    def test_what_is_wrong(self):
        step, (x, y) = sgd(), batch()
        self.refused(dlc.ArrayValueError, "sizes are at their largest, and so has the batch to be (batch 8)",
                     lambda: step.profile(x[:3], y[:3]))
        self.refused(dlc.ArrayTypeError, "got float64", lambda: step.profile(x.astype(np.float64), y))
        self.refused(dlc.Error, "dlc profile: dlc: error: --function: expected train_step", lambda: step.profile(function="x"))
        self.refused(dlc.Error, "none.csv: cannot be opened", lambda: step.report(self.path / "a.html", log="none.csv"))
        self.assertFalse((self.path / "a.html").exists())
        with mock.patch.dict(os.environ, DLC_LIBRARY=str(self.path / "lib" / "libdlc.so")):
            self.refused(dlc.UnavailableError, "the program dlc was not found", step.profile)


if __name__ == "__main__":
    unittest.main()
