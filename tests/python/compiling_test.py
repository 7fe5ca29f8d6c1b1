#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How steps come to be and how they end: options and messages, files for programs, the cache, threads, forks, interrupts."""
import multiprocessing
import os
import signal
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

from common import MLP, TWO_LAYERS, Case, batch, dlc, np, sgd


class Compiling(Case):
    def test_errors_are_the_compilers_sentences(self):
        for text, options in (("got 'mes'; did you mean 'mse'?", {"loss": "mes"}),
                              ("has no option '--los-s'; did you mean '--loss'?", {"los_s": 1}),
                              ("--optimizer has no effect without --loss", {"optimizer": "adam"}),
                              ("--emit has no effect on code for this process", {"emit": "lib"}),
                              ("--output is for the command dlc compile", {"output": "x"}),
                              ("--help and --version are for the command dlc", {"help": True}),
                              ("--lr: Failed parsing abc as a FLOAT", {"lr": "abc", "loss": "mse"})):
            self.refused(dlc.CompileError, text, lambda: dlc.from_onnx(TWO_LAYERS, batch=8, **options))
        self.refused(dlc.CompileError, "model.onnx: not an ONNX model", lambda: dlc.from_onnx(b"abc", loss="mse"))
        self.refused(dlc.CompileError, "model.onnx: the file is empty", lambda: dlc.from_onnx(b"", loss="mse"))
        self.refused(dlc.CompileError, "No such file", lambda: dlc.from_onnx("no-such.onnx"))
        self.refused(dlc.CompileError, "is a file of PyTorch", lambda: dlc.from_onnx("x.pt"))
        self.refused(dlc.CompileError, "a C++ description is a program of its own", lambda: dlc.from_onnx("x.cpp"))
        self.refused(ValueError, "zero character", lambda: dlc.from_onnx("x\0y.onnx"))
        self.refused(TypeError, "batch: expected a number of rows", lambda: dlc.from_onnx(TWO_LAYERS, batch="8"))

    def test_remarks_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sgd(seed=3)
        self.assertEqual([(w.category, Path(w.filename).name) for w in caught], [(dlc.CompilerWarning, "common.py")])
        self.assertIn("--seed has no effect: the model has no dropout", str(caught[0].message))

    def test_check_finds_all_at_once(self):
        self.assertEqual(dlc.check(TWO_LAYERS, loss="cross_entropy", batch=8), [])
        self.assertIn("not an ONNX model", dlc.check(b"abc")[0])

    def test_prediction_alone(self):
        step, (x, y) = dlc.from_onnx(TWO_LAYERS, batch=8), batch()
        self.assertEqual(step.predict(x).shape, (8, 10))
        for work in (lambda: step(x, y), lambda: step.evaluate(x, y), lambda: step.lr):
            self.refused(dlc.UnavailableError, "was compiled without a loss", work)

    def test_programs_of_torch_export(self):
        path = Path(os.environ["DLC_SOURCES"], "tests", "pytorch", "programs", "Perceptron.train.plain.pt2")
        options = {"loss": "cross_entropy", "optimizer": dlc.SGD(lr=0.1), "batch": 4}
        x, y = np.linspace(-1, 1, 28, dtype=np.float32).reshape(4, 7), np.array([0, 1, 2, 0])
        steps = [dlc.from_onnx(path, **options), dlc.from_onnx(path.read_bytes(), name="net", **options),
                 dlc.compile(path, **options)]
        losses = [[step(x, y) for _ in range(20)] for step in steps]
        self.assertLess(losses[0][-1], losses[0][0])
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(losses[0], losses[2])
        self.assertIn("layers.0.weight", steps[0].state_dict())
        self.assertIn("not a .pt2 archive", dlc.check(b"PK\3\4" + b"x" * 100)[0])

    def test_functions_of_jax(self):
        path = Path(os.environ["DLC_SOURCES"], "tests", "jax", "programs", "Perceptron.mlir")
        options = {"loss": "cross_entropy", "optimizer": dlc.SGD(lr=0.1), "batch": 4, "parameters": path.with_suffix(".safetensors")}
        x, y = np.linspace(-1, 1, 28, dtype=np.float32).reshape(4, 7), np.array([0, 1, 2, 0])
        steps = [dlc.from_onnx(path, **options), dlc.from_onnx(path.read_bytes(), name="net", **options)]
        losses = [[step(x, y) for _ in range(20)] for step in steps]
        self.assertLess(losses[0][-1], losses[0][0])
        self.assertEqual(losses[0], losses[1])
        self.assertIn("Dense_0.kernel", steps[0].state_dict())
        self.assertIn("parameters have no values", dlc.check(path)[0])

    def test_optimizers_become_options(self):
        wanted = {
            dlc.SGD(lr=0.1, momentum=0.9, nesterov=True): ["--optimizer=sgd", "--lr=0.1", "--momentum=0.9", "--nesterov"],
            dlc.AdamW(lr=1e-3, betas=(0.8, 0.9), groups=[{"params": ["*.bias"], "weight_decay": 0, "lr": 5e-4}]):
                ["--optimizer=adamw", "--lr=0.001", "--betas=0.8,0.9", "--group=*.bias:lr-scale=0.5,weight-decay=0.0"],
            dlc.RMSprop(centered=True): ["--optimizer=rmsprop", "--centered"],
            dlc.Rprop(lr=0.1, etas=(0.4, 1.5), step_sizes=(1e-3, 2)):
                ["--optimizer=rprop", "--lr=0.1", "--etas=0.4,1.5", "--step-sizes=0.001,2.0"],
            dlc.ASGD(t0=3, groups=[{"params": "*.bias", "lambd": 0.5}]):
                ["--optimizer=asgd", "--t0=3.0", "--group=*.bias:lambd=0.5"],
            dlc.Adafactor(eps=(None, 1e-2), d=1.5, beta2_decay=-0.5,
                          groups=[{"params": "*.bias", "d": 2, "eps": (1e-5, 1e-4)}]):
                ["--optimizer=adafactor", "--beta2-decay=-0.5", "--eps2=0.01", "--clip-threshold=1.5",
                 "--group=*.bias:clip_threshold=2.0,epsilon=1e-05,epsilon2=0.0001"],
            dlc.SparseAdam(betas=(0.8, 0.9)): ["--optimizer=sparseadam", "--betas=0.8,0.9"],
        }
        for optimizer, options in wanted.items():
            self.assertEqual(optimizer.options(), options)
        for kind in (dlc.SGD, dlc.Adam, dlc.AdamW, dlc.NAdam, dlc.RAdam, dlc.Adamax, dlc.RMSprop, dlc.Adagrad, dlc.Adadelta,
                     dlc.LAMB, dlc.Lion, dlc.Muon, dlc.Rprop, dlc.ASGD, dlc.Adafactor, dlc.SparseAdam):
            step = dlc.from_onnx(TWO_LAYERS, loss="cross_entropy", optimizer=kind(lr=1e-2), batch=8)
            first = step(*batch())
            for _ in range(20):
                step(*batch())
            self.assertLess(step(*batch()), first, kind.name)
        self.refused(TypeError, "optimizer: expected one of dlc's",
                     lambda: dlc.from_onnx(TWO_LAYERS, loss="mse", optimizer=3))
        self.refused(ValueError, "needs lr=", lambda: dlc.Adam(groups=[{"params": ["*"], "lr": 1}]).options())
        self.refused(TypeError, "expected 'params'", lambda: dlc.Adam(groups=[{"lr": 1}]).options())

    def test_groups_train_as_they_say(self):
        step = dlc.from_onnx(TWO_LAYERS, loss="cross_entropy", batch=8,
                             optimizer=dlc.SGD(lr=0.5, groups=[{"params": "fc1.*", "lr": 0.0}]))
        before, (x, y) = step.state_dict(), batch()
        step(x, y)
        self.assertTrue(np.array_equal(before["fc1.weight"], step.parameter("fc1.weight")))
        self.assertFalse(np.array_equal(before["fc2.weight"], step.parameter("fc2.weight")))


class Cache(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.cache = Path(self.folder.name, "kept")

    def tearDown(self):
        self.folder.cleanup()

    def kept(self):
        return sorted(path.name for path in self.cache.iterdir())

    def test_the_same_is_compiled_once(self):
        x, y = batch()
        expected = sgd()
        losses = [expected(x, y) for _ in range(3)]
        first = sgd(cache=self.cache)
        self.assertEqual([first(x, y) for _ in range(3)], losses)
        names = self.kept()
        self.assertEqual(len(names), 1)
        before = (self.cache / names[0] / "libtwo_layers.so").stat().st_mtime_ns
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = sgd(cache=self.cache)
        self.assertEqual([again(x, y) for _ in range(3)], losses)
        self.assertEqual((self.cache / names[0] / "libtwo_layers.so").stat().st_mtime_ns, before)
        again.export(self.folder.name)  # where it was compiled from is known
        sgd(batch=8, cache=self.cache)
        dlc.from_onnx(TWO_LAYERS.read_bytes() + b"", loss="mse", batch=8, cache=self.cache)
        self.assertEqual(len(self.kept()), 3)
        self.assertEqual(os.stat(self.cache).st_mode & 0o777, 0o700)

    def test_messages_are_kept(self):
        for _ in range(2):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                sgd(seed=3, cache=self.cache)
            self.assertEqual([(w.category, Path(w.filename).name) for w in caught], [(dlc.CompilerWarning, "common.py")])
        self.assertEqual(len(self.kept()), 1)

    def test_damaged_files_are_made_anew(self):
        x, y = batch()
        loss = sgd(cache=self.cache)(x, y)
        folder = self.cache / self.kept()[0]
        for name in ("libtwo_layers.so", "two_layers.safetensors", "two_layers.json", "messages.txt"):
            content = (folder / name).read_bytes()[:-1]
            (folder / name).unlink()  # another file: this one may be loaded
            (folder / name).write_bytes(content)
            self.assertEqual(sgd(cache=self.cache)(x, y), loss, name)
        (folder / "libtwo_layers.so").unlink()
        self.assertEqual(sgd(cache=self.cache)(x, y), loss)
        self.assertEqual(len(self.kept()), 1, "nothing else is left behind")

    def test_folders_that_others_may_write_to(self):
        self.cache.mkdir()
        os.chmod(self.cache, 0o777)
        self.refused(dlc.FileError, "can be written by others", lambda: sgd(cache=self.cache))
        self.refused(dlc.FileError, "cannot be used", lambda: sgd(cache="/proc/none"))

    def test_what_depends_on_other_files_is_not_kept(self):
        weights = Path(self.folder.name, "weights.txt")
        weights.write_text("1\n" * 10)
        sgd(cache=self.cache, class_weights=weights)
        self.assertFalse(self.cache.exists())


def in_child(step, queue):
    try:
        step(*batch())
        queue.put("no error")
    except dlc.ForkError as error:
        queue.put(str(error))


class Lives(Case):
    def test_forks_are_refused(self):
        step = sgd()
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = context.Process(target=in_child, args=(step, queue))
            child.start()
        self.assertIn(f"belongs to process {os.getpid()}", queue.get(timeout=60))
        child.join(60)
        self.assertEqual(child.exitcode, 0)
        step(*batch())

    def test_one_thread_at_a_time(self):
        """A call does not hold Python's lock, so that another thread may come in: it is told, and nothing is lost."""
        step = dlc.from_onnx(MLP, loss="cross_entropy", batch=64, threads=1)
        x, y = batch(64, features=784)
        counts, busy = [0, 0], [0]

        def train(place):
            for _ in range(200):
                try:
                    step(x, y)
                    counts[place] += 1
                except dlc.BusyError as error:
                    self.assertIn("step.copy()", str(error))
                    busy[0] += 1

        threads = [threading.Thread(target=train, args=(place,)) for place in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(step.step_count, sum(counts))
        self.assertEqual(sum(counts) + busy[0], 400)
        self.assertGreater(busy[0], 0, "a call holds Python's lock")

    def test_ctrl_c_leaves_whole_steps(self):
        step, (x, y) = dlc.from_onnx(MLP, loss="cross_entropy", batch=64, threads=1), batch(64, features=784)
        done = 0
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                step(x, y)
                done += 1
        timer.join()
        self.assertIn(step.step_count - done, (0, 1))
        whole = dlc.from_onnx(MLP, loss="cross_entropy", batch=64, threads=1)
        for _ in range(step.step_count):
            whole(x, y)
        for name, array in whole.state_dict().items():
            self.assertTrue(np.array_equal(array, step.parameter(name)), name)

    def test_copies_train_apart(self):
        step, (x, y) = sgd(), batch()
        step(x, y)
        other = step.copy()
        self.assertEqual(other(x, y), step(x, y))
        other(x, y)
        self.assertEqual((step.step_count, other.step_count), (2, 3))

    def test_closed_steps_say_so(self):
        with sgd() as step:
            step(*batch())
        self.refused(dlc.UnavailableError, "the step is closed", lambda: step(*batch()))
        step.close()

    def test_the_library_is_named_where_it_is_missing(self):
        from dlc import _native
        chosen = os.environ.pop("DLC_LIBRARY")
        try:
            os.environ["DLC_LIBRARY"] = "/no/such/libdlc.so"
            self.refused(dlc.Error, "libdlc.so was not found", _native._load)
        finally:
            os.environ["DLC_LIBRARY"] = chosen


if __name__ == "__main__":
    unittest.main()
