#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of ONNX models: numbers against a reference in double precision, checked arrays, states and files."""
import json
import os
import tempfile
import unittest
from pathlib import Path

from common import SOURCES, TWO_LAYERS, Case, Perceptron, batch, dlc, np, sgd


class Numbers(Case):
    def test_steps_are_those_of_the_reference(self):
        step = sgd()
        reference = Perceptron(step.state_dict())
        for number in range(10):
            x, y = batch(rows=8 if number % 2 else 5, seed=number)
            self.near(step(x, y), reference.step(x, y, 0.5))
        for name, array in step.state_dict().items():
            self.near(array, reference.values[name])
        self.assertEqual(step.step_count, 10)

    def test_gradients(self):
        step, (x, y) = sgd(), batch()
        loss, gradients = Perceptron(step.state_dict()).loss_and_gradients(x, y)
        self.near(step.grad(x, y), loss)
        self.assertEqual(sorted(step.gradients()), sorted(gradients))
        for name, gradient in gradients.items():
            self.near(step.gradient(name), gradient)
        self.near(step.grad_norm(), np.sqrt(sum((g ** 2).sum() for g in gradients.values())))
        step.accumulate(x, y)
        self.near(step.gradient("fc1.weight"), 2 * gradients["fc1.weight"])

    def test_steps_tell_what_evaluations_do(self):
        step, plain = sgd(step_metrics=True), sgd()
        self.refused(dlc.UnavailableError, "compile with step_metrics=True", plain.step_metrics)
        self.refused(dlc.UnavailableError, "no training step has run yet", step.step_metrics)
        total = dlc.Evaluation()
        for number in range(4):
            x, y = batch(rows=8 if number % 2 else 5, seed=number)
            expected = step.evaluate(x, y)
            loss = step(x, y)
            told = step.step_metrics()
            self.assertEqual((told.correct, told.count, told.loss_weight), (expected.correct, expected.count, expected.count))
            self.near(told.loss, loss)
            self.near(told.loss_sum, expected.loss_sum)
            total += told
        self.assertEqual(total.count, 26)
        self.assertEqual(total.accuracy, total.correct / 26)

    def test_entries_of_checkpoints(self):
        step, other = sgd(), sgd()
        step.extras.update(epoch=7, accuracy=np.float32(0.5), note="first \u00e4", gone=1)
        del step.extras["gone"]
        other.extras["old"] = 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "state.safetensors")
            step.save(path)
            other.load(path)
        self.assertEqual(dict(other.extras), {"epoch": 7.0, "accuracy": 0.5, "note": "first \u00e4"})
        self.assertEqual(repr(other.extras), repr(dict(other.extras)))
        self.refused(KeyError, "there is no entry 'old'; there are epoch, accuracy, note", lambda: other.extras["old"])
        self.refused(TypeError, "expected a number or a text", lambda: other.extras.update(bad=b"x"))
        self.refused(dlc.Error, "the name of an entry", lambda: other.extras.update({"": 1}))

    def test_grad_and_apply_are_a_step(self):
        one, other, (x, y) = sgd(), sgd(), batch()
        one(x, y)
        other.grad(x, y)
        other.apply()
        for name, array in one.state_dict().items():
            self.assertTrue(np.array_equal(array, other.parameter(name)), name)

    def test_set_gradient_is_what_apply_uses(self):
        step, (x, y) = sgd(), batch()
        before = step.parameter("fc2.bias")
        step.grad(x, y)
        step.set_gradient("fc2.bias", np.full(10, 2, np.float32))
        step.apply()
        self.near(step.parameter("fc2.bias"), before - 0.5 * 2)

    def test_evaluation_and_prediction_of_any_number_of_rows(self):
        step, (x, y) = sgd(), batch(rows=29)
        reference = Perceptron(step.state_dict())
        scores = reference.scores(x.astype(np.float64))[1]
        self.near(step.predict(x), scores)
        found = step.evaluate(x, y)
        self.near(found.loss, reference.loss_and_gradients(x, y)[0])
        self.assertEqual((found.correct, found.count), (int((scores.argmax(1) == y).sum()), 29))
        self.assertEqual(found.accuracy, found.correct / 29)
        self.assertEqual((found + found).count, 58)

    def test_a_loss_without_classes_has_no_accuracy(self):
        (x, labels), values = batch(rows=5), np.ones((5, 10), np.float32)
        message = "by the loss mse no prediction is right or wrong"
        with tempfile.TemporaryDirectory() as folder:
            for step in sgd(loss="mse", step_metrics=True), *(sgd(loss="mse", step_metrics=True, cache=folder) for _ in range(2)):
                found = step.evaluate(x, values)
                self.assertEqual((len(found), found.count), (4, 5))
                self.refused(dlc.UnavailableError, message, lambda: found.accuracy)
                self.refused(dlc.UnavailableError, message, lambda: (dlc.Evaluation() + found).accuracy)
                step(x, values)
                self.refused(dlc.UnavailableError, message, lambda: step.step_metrics().accuracy)
        self.refused(dlc.ArrayTypeError, "labels, the numbers of classes, are for a cross entropy", lambda: step.evaluate(x, labels))
        self.refused(dlc.ArrayTypeError, "as x.argmax(1) of one-hot rows gives them; for probabilities of classes compile with "
                     "label_type='f32'", lambda: sgd().evaluate(x, values))
        sgd(label_type="f32").evaluate(x, values / 10)

    def test_inputs_by_name(self):
        step, (x, y) = sgd(), batch()
        self.assertEqual(step.grad(image=x, labels=y), step.grad(x, labels=y))
        self.assertEqual(list(step.inputs.items()), [("image", "float32 [batch, 16]"), ("labels", "int64 [batch]")])
        self.refused(dlc.ArrayTypeError, "input 'labels' is missing", lambda: step(x, label=y))

    def test_rate(self):
        step, (x, y) = sgd(), batch()
        before = step.parameter("fc2.bias")
        step.lr = 0.0
        step(x, y)
        self.assertEqual(step.lr, 0)
        self.assertTrue(np.array_equal(before, step.parameter("fc2.bias")))
        self.refused(dlc.ArrayValueError, "learning_rate is -1, expected at least 0", lambda: setattr(step, "lr", -1))
        self.assertEqual(dict(step.hyperparameters), {"learning_rate": 0.0, "weight_decay": 0.0})
        self.refused(KeyError, "no hyperparameter 'beta1'; it has learning_rate", lambda: step.hyperparameters["beta1"])

    def test_schedules(self):
        step, (x, y) = sgd(), batch()
        step.follow(dlc.schedules.linear(0.5, steps=4, warm_up=2))
        rates = []
        for _ in range(5):
            step(x, y)
            rates.append(step.lr)
        self.near(rates, [0.25, 0.375, 0.25, 0.125, 0])
        self.refused(dlc.UnavailableError, "momentum: the step's optimizer has none",
                     lambda: step.follow(None, momentum=dlc.schedules.one_cycle_momentum(steps=5)))
        step.follow(None)
        step.lr = 0.3
        step.grad(x, y)
        step.apply()
        self.assertEqual(step.lr, 0.3)

    def test_momenta_and_means(self):
        step, (x, y) = sgd(ema_decay=0.5), batch()
        step.follow(None, ema_decay=dlc.schedules.swa_decay(start=1, every=2))
        seen = []
        for _ in range(4):
            step(x, y)
            seen.append(step.parameter("fc1.bias"))
        with step.averages():
            self.near(step.parameter("fc1.bias"), (seen[1] + seen[3]) / 2)
        step = dlc.from_onnx(TWO_LAYERS, loss="cross_entropy", optimizer=dlc.Adam(lr=1e-2), batch=8)
        step.follow(dlc.schedules.one_cycle(1e-2, steps=9), momentum=dlc.schedules.one_cycle_momentum(steps=9))
        step(x, y)
        self.near([step.hyperparameters["beta1"], step.lr], [0.95, 4e-4])

    def test_bytes_are_the_file(self):
        x, y = batch()
        from_bytes = dlc.from_onnx(TWO_LAYERS.read_bytes(), loss="cross_entropy", optimizer=dlc.SGD(lr=0.5), batch=8, name="net")
        self.assertEqual(from_bytes.manifest.name, "net")
        self.assertEqual(from_bytes(x, y), sgd()(x, y))

    def test_averages(self):
        step, (x, y) = sgd(ema_decay=0.5), batch()
        step(x, y)  # the average begins here
        first = step.parameter("fc1.bias")
        step(x, y)
        second = step.parameter("fc1.bias")
        with step.averages():
            self.near(step.parameter("fc1.bias"), 0.5 * first + 0.5 * second)
            self.refused(dlc.UnavailableError, "average", lambda: step(x, y))
        self.assertTrue(np.array_equal(step.parameter("fc1.bias"), second))
        self.refused(dlc.UnavailableError, "ema_decay", lambda: sgd().averages().__enter__())


class Arrays(Case):
    @classmethod
    def setUpClass(cls):
        cls.step, (cls.x, cls.y) = sgd(), batch()
        cls.loss = cls.step.grad(cls.x, cls.y)

    def test_other_dtypes_are_refused(self):
        error = self.refused(dlc.ArrayTypeError, "input 'image': expected float32 [batch, 16], got float64 [8, 16]; convert it "
                             "with x.astype('float32')", lambda: self.step(self.x.astype(np.float64), self.y))
        self.assertIsInstance(error, TypeError)
        self.refused(dlc.ArrayTypeError, "got int32 [8]", lambda: self.step(self.x, self.y.astype(np.int32)))
        self.refused(dlc.ArrayTypeError, "got >f4", lambda: self.step(self.x.astype(">f4"), self.y))
        self.refused(dlc.ArrayTypeError, "got complex64", lambda: self.step(self.x.astype(np.complex64), self.y))
        self.refused(dlc.ArrayTypeError, "got object", lambda: self.step(self.x.astype(object), self.y))

    def test_other_shapes_are_refused(self):
        error = self.refused(dlc.ArrayValueError, "input 'labels': expected int64 [batch], batch being 8 elsewhere; got int64 [7]",
                             lambda: self.step(self.x, self.y[:7]))
        self.assertIsInstance(error, ValueError)
        self.refused(dlc.ArrayValueError, "got float32 [8, 15]", lambda: self.step(self.x[:, :15], self.y))
        self.refused(dlc.ArrayValueError, "got float32 [16]", lambda: self.step(self.x[0], self.y))
        self.refused(dlc.ArrayValueError, "batch from 1 to 8; got float32 [9, 16]", lambda: self.step(*batch(9)))
        self.refused(dlc.ArrayValueError, "batch from 1 to 8; got float32 [0, 16]", lambda: self.step(self.x[:0], self.y[:0]))
        self.refused(dlc.ArrayValueError, "batch at least 1; got float32 [0, 16]", lambda: self.step.predict(self.x[:0]))

    def test_fixed_batches_say_how_to_open_them(self):
        step = sgd(batch=8)
        error = self.refused(dlc.ArrayValueError, "batch=(1, 8), to train", lambda: step(self.x[:5], self.y[:5]))
        self.assertNotIn("dims", str(error), "the model has no other sizes")
        self.assertEqual(step.evaluate(self.x[:5], self.y[:5]).count, 5)

    def test_labels_out_of_range_are_refused(self):
        before = self.step.state_dict()
        self.refused(dlc.ArrayValueError, "input 'labels': value 10 at position 0, expected 0 to 9",
                     lambda: self.step(self.x, self.y * 0 + 10))
        for name, array in before.items():
            self.assertTrue(np.array_equal(array, self.step.parameter(name)), name)

    def test_bytes(self):
        step = dlc.from_onnx(SOURCES / "tests/lit/onnx/Inputs/bytes.onnx", batch=4)
        image = np.array([0, 1, 127, 128, 255, 200, 7, 64], np.uint8).reshape(2, 1, 2, 2)
        scores, brighter, rounded, centred = step.predict(image)
        values = step.state_dict()
        expected = (image.reshape(2, 4) / np.float32(255)) @ values["w"].T + values["b"]
        self.near(scores, expected)
        self.assertEqual(brighter.dtype, np.uint8)
        self.assertTrue(np.array_equal(brighter, np.maximum(image, 128)))
        self.assertTrue(np.array_equal(rounded, scores.astype(np.uint8)))
        self.assertTrue(np.array_equal(centred, (image.astype(np.float32) - 128) / 4))
        self.refused(dlc.ArrayTypeError, "expected uint8", lambda: step.predict(image.astype(np.float32)))

    def test_other_orders_in_memory_are_copied(self):
        wide = np.zeros((8, 32), np.float32)
        wide[:, ::2] = self.x
        misaligned = np.frombuffer(b"\0" + self.x.tobytes(), np.uint8)[1:].view(np.float32).reshape(8, 16)
        readonly = self.x.copy()
        readonly.flags.writeable = False
        for other in np.asfortranarray(self.x), wide[:, ::2], misaligned, readonly, np.copy(self.x[::-1])[::-1]:
            self.assertEqual(self.step.grad(other, self.y), self.loss)

    def test_what_is_no_array_is_refused(self):
        for other in self.x.tolist(), None, 1.5, "x", b"x":
            self.refused(dlc.ArrayTypeError, f"got {type(other).__name__}", lambda: self.step(other, self.y))
        self.refused(dlc.ArrayTypeError, "masked", lambda: self.step(np.ma.masked_array(self.x), self.y))
        self.refused(dlc.ArrayTypeError, "expected 2 arrays ('image' float32 [batch, 16], 'labels' int64 [batch]), got 1",
                     lambda: self.step(self.x))
        self.refused(dlc.ArrayTypeError, "got 3", lambda: self.step(self.x, self.y, self.y))

    def test_dlpack(self):
        class Other:
            """An array of another library."""

            def __init__(self, array, device=(1, 0)):
                self.array, self.device = array, device

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.device

        self.assertEqual(self.step.grad(Other(self.x), Other(self.y)), self.loss)
        self.refused(dlc.ArrayValueError, "got an array in an NVIDIA GPU", lambda: self.step(Other(self.x, (2, 0)), self.y))
        self.refused(dlc.ArrayTypeError, "got float64", lambda: self.step(Other(self.x.astype(np.float64)), self.y))


class States(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "state.safetensors")

    def tearDown(self):
        self.folder.cleanup()

    def test_training_goes_on_as_if_uninterrupted(self):
        def make():
            return dlc.from_onnx(TWO_LAYERS, loss="cross_entropy", optimizer=dlc.Adam(lr=0.01), batch=8)
        step = make()
        losses = []
        for seed in range(6):
            if seed == 3:
                step.save(self.path)
            losses.append(step(*batch(seed=seed)))
        other = make()
        other.load(self.path)
        self.assertEqual([other(*batch(seed=seed)) for seed in range(3, 6)], losses[3:])
        self.assertEqual(other.step_count, 6)
        self.refused(dlc.FileError, "no-such", lambda: other.load(self.path.parent / "no-such"))
        self.assertIsInstance(self.refused(dlc.FileError, "cannot be written", lambda: step.save("/no/such/folder/x")), OSError)

    def test_state_dicts(self):
        step = sgd()
        wanted = {name: np.ones_like(array) for name, array in step.state_dict().items()}
        self.assertEqual(step.load_state_dict(wanted), ([], []))
        self.assertTrue((step.parameter("fc1.weight") == 1).all())
        before = step.state_dict()
        self.refused(dlc.ArrayValueError, "missing are fc1.weight", lambda: step.load_state_dict({}))
        wrong = {**wanted, "fc2.bias": np.zeros(9, np.float32), "fc1.bias": np.zeros(32, np.float32)}
        self.refused(dlc.ArrayValueError, "'fc2.bias': expected the shape [10], got [9]", lambda: step.load_state_dict(wrong))
        self.refused(dlc.ArrayTypeError, "'fc2.bias': expected float32 [10], got float64 [10]",
                     lambda: step.set_parameter("fc2.bias", np.zeros(10)))
        self.assertTrue((step.parameter("fc1.bias") == before["fc1.bias"]).all(), "nothing is changed")
        self.assertEqual(step.load_state_dict({"fc1.bias": np.zeros(32, np.float32), "more": 1}, strict=False),
                         (["fc1.weight", "fc2.weight", "fc2.bias"], ["more"]))
        self.refused(KeyError, "no parameter 'fc9'; it has fc1.weight", lambda: step.parameter("fc9"))

    def test_export_has_the_parameters_of_now(self):
        step, (x, y) = sgd(), batch()
        for _ in range(3):
            step(x, y)
        paths = step.export(self.folder.name, shared=True)
        self.assertEqual(sorted(path.name for path in paths), ["libtwo_layers.so", "two_layers.h", "two_layers.json",
                                                               "two_layers.safetensors"])
        loaded = dlc.load(Path(self.folder.name, "libtwo_layers.so"))
        self.assertTrue(np.array_equal(loaded.predict(x), step.predict(x)))
        self.assertEqual(loaded(x, y), step(x, y))
        self.refused(dlc.ArrayTypeError, "got float64", lambda: loaded(x.astype(np.float64), y))
        self.refused(dlc.UnavailableError, "is not known", lambda: loaded.export("x"))

    def test_a_library_that_was_replaced_is_loaded_anew(self):
        x, y = batch()
        for rate in 0.5, 0.0:
            step = sgd(optimizer=dlc.SGD(lr=rate))
            path = Path(step.export(self.folder.name, shared=True)[0])
            loaded = dlc.load(path)
            before = loaded.parameter("fc2.bias")
            loaded(x, y)
            self.assertEqual(np.array_equal(before, loaded.parameter("fc2.bias")), rate == 0)
        os.utime(path, ns=(1, 1))
        self.refused(dlc.Error, "has been written over since", lambda: dlc.load(path))

    def test_export_for_another_machine(self):
        names = {path.name for path in sgd().export(self.folder.name, target="aarch64-linux-gnu", name="net")}
        self.assertEqual(names, {"libnet.a", "net.h", "net.json", "net.safetensors"})
        self.refused(dlc.CompileError, "'mips'", lambda: sgd().export(self.folder.name, target="mips"))

    def test_load_says_what_is_wrong(self):
        folder = Path(self.folder.name)
        self.refused(dlc.FileError, "the manifest", lambda: dlc.load(folder / "libnone.so"))
        (folder / "a.json").write_text("{}")
        (folder / "a.so").write_text("no library")
        self.refused(dlc.FileError, "is not a manifest", lambda: dlc.load(folder / "a.so"))
        sgd().export(folder)
        self.refused(dlc.Error, "cannot be loaded", lambda: dlc.load(folder / "a.so", folder / "two_layers.json"))
        self.refused(dlc.FileError, "there is no library", lambda: dlc.load(folder / "b.so", folder / "two_layers.json"))

    def test_manifests_say_loss_and_optimizer(self):
        for loss in "cross_entropy", "CrossEntropyLoss", "softmax-cross-entropy":
            manifest = sgd(loss=loss, optimizer=dlc.AdamW(groups=[{"params": "fc1.*", "weight_decay": 0}])).manifest
            self.assertEqual((manifest.loss, manifest.optimizer), ("softmax-cross-entropy", "adamw"))
        data = json.loads(json.dumps(sgd().manifest.data))
        for text, expected in (("loss the model's own loss, optimizer sgd", ("output", "sgd")),
                               ("loss mse (sum), optimizer lion, group1 'a, optimizer b:lr-scale=1'", ("mse", "lion")),
                               ("nonsense", ("", "")), (3, ("", ""))):
            manifest = dlc.Manifest(json.dumps({**data, "training": text}))
            self.assertEqual((manifest.loss, manifest.optimizer), expected)

    def test_manifests_of_nonsense(self):
        text = sgd().manifest.data
        changes = [(("batch",), -1), (("batch",), "x"), (("name",), "a b"), (("name",), 3), (("inputs",), None),
                   (("inputs", 0, "shape"), [0, 16]), (("inputs", 0, "shape"), ["batch", "-4"]),
                   (("inputs", 0, "shape"), ["batch", "other", "batch"]), (("inputs", 0, "dtype"), "f8"),
                   (("inputs", 0, "dtype"), []), (("state", 0, "shape"), [-1]), (("state",), {}), (("outputs", 0), 7),
                   (("functions",), None), (("memory",), []), (("dlc",), "x"), (("fingerprint",), 5)]
        for keys, value in changes:
            changed = json.loads(json.dumps(text))
            place = changed
            for key in keys[:-1]:
                place = place[key]
            place[keys[-1]] = value
            with self.subTest(keys=keys, value=value):
                self.refused(dlc.FileError, "is not a manifest as dlc writes it", lambda: dlc.Manifest(json.dumps(changed)))
        for bad in "", "[]", "3", "{}", "null", '{"name": "x"}', "[" * 100000:
            self.refused(dlc.FileError, "is not a manifest", lambda: dlc.Manifest(bad))


if __name__ == "__main__":
    unittest.main()
