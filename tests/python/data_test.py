#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loaders, metrics and logs: what surrounds the steps of a training."""
import gc
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from common import Case, batch, dlc, np, sgd


class Loaders(Case):
    def setUp(self):
        self.x = np.arange(23 * 3, dtype=np.float32).reshape(23, 3)
        self.y = np.arange(23)

    def test_epochs_have_every_sample_once(self):
        orders = {}
        for workers in 0, 1, 3:
            loader = dlc.data.DataLoader((self.x, self.y), 4, shuffle=True, num_workers=workers, seed=7)
            self.assertEqual(len(loader), 6)
            found = [list(loader) for _ in range(2)]
            for batches in found:
                self.assertEqual([len(y) for _, y in batches], [4, 4, 4, 4, 4, 3])
                rows = np.concatenate([y for _, y in batches])
                self.assertEqual(sorted(rows), list(range(23)))
                self.near(np.concatenate([x for x, _ in batches]), self.x[rows])
            orders[workers] = [np.concatenate([y for _, y in batches]).tolist() for batches in found]
        self.assertEqual(orders[0], orders[1])
        self.assertEqual(orders[0], orders[3])
        self.assertNotEqual(*orders[0])
        self.assertNotEqual(orders[0][0], list(range(23)))

    def test_epochs_go_on_in_the_middle(self):
        loader = dlc.data.DataLoader(self.y, 4, shuffle=True, drop_last=True)
        loader.epoch = 5
        whole = [y.tolist() for y in loader]
        self.assertEqual((len(whole), loader.epoch), (5, 6))
        loader.epoch = 5
        self.assertEqual([y.tolist() for y in loader.batches(3)], whole[3:])
        one, other = iter(loader), iter(loader)
        next(other)
        self.refused(dlc.UnavailableError, "has begun another epoch", lambda: next(one))

    def test_parts_weights_and_images(self):
        loader = dlc.data.DataLoader(self.y, 4, samples=[5, 3, 9])
        self.assertEqual([y.tolist() for y in loader], [[5, 3, 9]])
        weights = np.zeros(23)
        weights[4] = 1
        drawn = np.concatenate(list(dlc.data.DataLoader(self.y, 8, shuffle=True, weights=weights)))
        self.assertEqual((len(drawn), set(drawn.tolist())), (23, {4}))
        images = np.random.default_rng(0).random((40, 2, 3, 3), dtype=np.float32)
        loader = dlc.data.DataLoader((images, np.arange(40)), 40, mirror=True)
        for changed, rows in loader:
            same = [np.array_equal(image, images[row]) for image, row in zip(changed, rows)]
            turned = [np.array_equal(image[..., ::-1], images[row]) for image, row in zip(changed, rows)]
            self.assertTrue(all(a or b for a, b in zip(same, turned)))
            self.assertTrue(0 < sum(turned) < 40)
        loader = dlc.data.DataLoader(images, 40, random_crop=3, fill=[7, 8])
        found = next(iter(loader))
        self.assertTrue((found[:, 0] == 7).any() and (found[:, 1] == 8).any() and not (found[:, 0] == 8).any())

    def test_ranks_have_parts_of_the_batches_of_one(self):
        for size in 6, 11, 22:  # of 23 samples: the last batch has 5, 1 and 1
            one = dlc.data.DataLoader((self.x, self.y), size, shuffle=True, seed=7)
            one.epoch = 2
            whole = list(one)
            for ranks in 1, 2, 3, 4:
                parts = []
                for rank in range(ranks):
                    loader = dlc.data.DataLoader((self.x, self.y), size, shuffle=True, seed=7, rank=rank, ranks=ranks)
                    self.assertEqual(len(loader), len(whole))
                    loader.epoch = 2
                    parts.append(list(loader))
                for step, (x, y) in enumerate(whole):
                    self.assertEqual(np.concatenate([part[step][0] for part in parts]).tobytes(), x.tobytes())
                    self.assertEqual(np.concatenate([part[step][1] for part in parts]).tolist(), y.tolist())
        self.assertEqual(parts[0][-1][0].shape, (0, 3))  # one row for four ranks
        self.refused(ValueError, "rank: expected a whole number from 0 to 1", lambda: dlc.data.DataLoader(self.y, 2, rank=2, ranks=2))
        self.refused(ValueError, "ranks: expected a whole number from 1", lambda: dlc.data.DataLoader(self.y, 2, ranks=0))

    def test_batches_stay_when_others_come(self):
        """They are copies: also of an array that nobody else has."""
        loader = dlc.data.DataLoader(np.arange(100.0), 10, num_workers=2)
        gc.collect()
        kept = list(loader)
        self.assertEqual(np.concatenate(kept).tolist(), list(range(100)))

    def test_what_is_wrong(self):
        make = dlc.data.DataLoader
        self.refused(dlc.ArrayValueError, "array 1 has 22 samples, array 0 has 23", lambda: make((self.x, self.y[1:]), 4))
        self.refused(dlc.ArrayTypeError, "array 0: expected an array of float32", lambda: make(self.x.astype(complex), 4))
        self.refused(dlc.ArrayTypeError, "got list", lambda: make(([1, 2], self.y), 4))
        self.refused(ValueError, "batch_size: expected a whole number from 1", lambda: make(self.x, 0))
        self.refused(ValueError, "got 2.5", lambda: make(self.x, 2.5))
        self.refused(ValueError, "seed: expected", lambda: make(self.x, 2, seed=1 << 64))
        self.refused(dlc.Error, "", lambda: make(self.x, 2, samples=[23]))
        self.refused(dlc.ArrayTypeError, "samples: expected a list of whole numbers", lambda: make(self.x, 2, samples=[0.5]))
        self.refused(dlc.ArrayValueError, "weights: expected one for each of the 23", lambda: make(self.x, 2, weights=[1]))
        self.refused(dlc.ArrayValueError, "fill: expected a number for each of the 1 channels",
                     lambda: make(self.x.reshape(23, 1, 3, 1), 2, random_crop=1, fill=[1, 2]))
        self.refused(dlc.Error, "", lambda: make(self.y, 2, random_crop=1))
        self.refused(ValueError, "the first batch: expected a whole number from 0 to 23",
                     lambda: next(make(self.y).batches(24)))

    def test_forks_are_refused(self):
        loader = dlc.data.DataLoader(self.y, 4)
        iter(loader)
        child = os.fork()
        if not child:
            signal.alarm(60)  # whoever waits for threads that are not there waits for ever
            status = 1
            try:
                iter(loader)
            except dlc.ForkError:
                status = 17
            del loader
            gc.collect()
            os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 17 << 8)


class Prefetching(Case):
    def test_items_come_in_order_and_before_they_are_asked_for(self):
        made, ready = [], threading.Event()

        def batches():
            for number in range(5):
                made.append((number, threading.current_thread() is not threading.main_thread()))
                if number == 2:
                    ready.set()
                yield number
        ahead = dlc.data.prefetch(batches(), ahead=2)
        self.assertEqual(next(ahead), 0)
        self.assertEqual(next(ahead), 1)
        self.assertTrue(ready.wait(60), "the third is made while the second is used")
        self.assertEqual(list(ahead), [2, 3, 4])
        self.assertEqual(made, [(number, True) for number in range(5)])

    def test_no_more_than_so_many_are_ahead(self):
        made = []
        ahead = dlc.data.prefetch((made.append(number) or number for number in range(50)), ahead=3)
        for number in range(20):
            self.assertEqual(next(ahead), number)
            self.assertLessEqual(len(made), number + 1 + 3)

    def test_errors_come_in_their_place(self):
        def batches():
            yield 1
            raise KeyError("gone")
        ahead = dlc.data.prefetch(batches())
        self.assertEqual(next(ahead), 1)
        self.assertRaises(KeyError, lambda: next(ahead))
        self.refused(ValueError, "ahead: expected", lambda: dlc.data.prefetch([], ahead=0))
        self.assertRaises(TypeError, lambda: dlc.data.prefetch(3))

    def test_the_thread_ends_with_the_iteration(self):
        before = threading.active_count()
        for _ in range(5):
            for number in dlc.data.prefetch(iter(int, 1)):
                break
        ahead = dlc.data.prefetch(iter(int, 1))
        next(ahead)
        del ahead
        gc.collect()
        self.assertEqual(threading.active_count(), before)

    def test_steps_take_them(self):
        step, other = sgd(), sgd()
        batches = [batch(seed=seed) for seed in range(6)]
        self.assertEqual([step(*each) for each in dlc.data.prefetch(batches)], [other(*each) for each in batches])


class Metrics(Case):
    """Beside the definitions, in NumPy and double precision."""

    def setUp(self):
        generator = np.random.default_rng(3)
        self.scores = generator.normal(size=(60, 4)).astype(np.float32)
        self.labels = generator.integers(0, 4, 60)
        self.labels[[3, 40]] = -100

    def feed(self, metric, preds, target, rows=17):
        for first in range(0, len(target), rows):
            metric.update(preds[first:first + rows], target[first:first + rows])
        return metric.compute()

    def test_of_classes(self):
        known = self.labels >= 0
        scores, labels = self.scores[known], self.labels[known]
        places = np.argsort(-scores, axis=1)
        for k in 1, 2:
            expected = (places[:, :k] == labels[:, None]).any(1).mean()
            self.near(self.feed(dlc.metrics.Accuracy(top_k=k), self.scores, self.labels), expected, 1e-12)
        matrix = np.zeros((4, 4))
        np.add.at(matrix, (labels, places[:, 0]), 1)
        found = self.feed(dlc.metrics.ConfusionMatrix(4), self.scores, self.labels)
        self.assertTrue(np.array_equal(found, matrix))
        precision, recall = matrix.diagonal() / matrix.sum(0), matrix.diagonal() / matrix.sum(1)
        f1 = 2 * precision * recall / (precision + recall)
        for kind, expected in ((dlc.metrics.Precision, precision), (dlc.metrics.Recall, recall), (dlc.metrics.F1Score, f1)):
            self.near(self.feed(kind(4, average="none"), self.scores, self.labels), expected, 1e-12)
            self.near(self.feed(kind(4), self.scores, self.labels), expected.mean(), 1e-12)

    def test_of_two_classes(self):
        scores, labels = self.scores[:, 0].copy(), (self.labels > 1).astype(np.int64)
        above = scores > 0
        expected = (above & (labels == 1)).sum() / above.sum()
        found = self.feed(dlc.metrics.Precision(2, average="binary", threshold=0.0), scores, labels)
        self.near(found, expected, 1e-12)
        pairs = scores[labels == 1][:, None] - scores[labels == 0]
        self.near(self.feed(dlc.metrics.AUROC(), scores, labels), (pairs > 0).mean() + (pairs == 0).mean() / 2, 1e-12)
        self.assertTrue(np.isnan(self.feed(dlc.metrics.AUROC(), scores, labels * 0)))

    def test_of_values(self):
        preds, target = self.scores[:, 0].copy(), self.scores[:, 1].copy()
        exact = target.astype(np.float64)
        self.near(self.feed(dlc.metrics.MeanAbsoluteError(), preds, target), np.abs(preds - exact).mean(), 1e-7)
        expected = 1 - ((exact - preds) ** 2).sum() / ((exact - exact.mean()) ** 2).sum()
        self.near(self.feed(dlc.metrics.R2Score(), preds, target), expected, 1e-7)

    def test_calls_and_resets(self):
        for metric in (dlc.metrics.Accuracy(), dlc.metrics.F1Score(4), dlc.metrics.ConfusionMatrix(4)):
            whole = np.asarray(self.feed(metric, self.scores, self.labels))
            metric.reset()
            first = np.asarray(metric(self.scores[:20], self.labels[:20]))
            second = np.asarray(metric(self.scores[20:], self.labels[20:]))
            self.near(metric.compute(), whole, 1e-12)
            self.assertFalse(np.array_equal(first, second))
        self.assertTrue(np.isnan(dlc.metrics.Accuracy().compute()) and np.isnan(dlc.metrics.R2Score().compute()))

    def test_what_is_wrong(self):
        metric = dlc.metrics.F1Score(4)
        self.refused(dlc.ArrayTypeError, "preds: expected float32, got float64",
                     lambda: metric.update(self.scores.astype(np.float64), self.labels))
        self.refused(dlc.ArrayTypeError, "target: expected int64, got int32",
                     lambda: metric.update(self.scores, self.labels.astype(np.int32)))
        self.refused(dlc.ArrayValueError, "a label for each row of preds, [60, 4]; got [59]",
                     lambda: metric.update(self.scores, self.labels[1:]))
        self.refused(dlc.ArrayValueError, "expected float32 [rows, 4], got [60, 3]",
                     lambda: metric.update(self.scores[:, :3], self.labels))
        self.refused(ValueError, "average: expected", lambda: dlc.metrics.Recall(4, average="binary"))
        self.refused(ValueError, "num_classes: expected", lambda: dlc.metrics.Recall(1))
        self.refused(dlc.Error, "a score is NaN", lambda: self.feed(dlc.metrics.AUROC(), self.scores[:, 0] * np.float32("nan"),
                                                                  (self.labels > 1).astype(np.int64)))


def points(content):
    """(tag, step, value) of a file of events, by the layout of its records and messages."""
    found, place = [], 0
    while place < len(content):
        size, = struct.unpack_from("<Q", content, place)
        record = content[place + 12:place + 12 + size]
        place += 16 + size
        fields = fields_of(record)
        if 5 in fields:
            value = fields_of(fields_of(fields[5])[1])
            found.append((value[1].decode(), fields.get(2, 0), struct.unpack("<f", value[2])[0]))
    return found


def fields_of(message):
    def number():
        nonlocal place
        value, shift = 0, 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    fields, place = {}, 0
    while place < len(message):
        key = number()
        kind = key & 7
        if kind == 0:
            fields[key >> 3] = number()
            continue
        size = {1: 8, 5: 4}.get(kind) or number()
        fields[key >> 3] = message[place:place + size]
        place += size
    return fields


def rows_in(path):
    return [[float(cell) for cell in line.split(",")] for line in path.read_text().splitlines()[1:]]


class Logs(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_tables(self):
        path = self.path / "log.csv"
        with dlc.logs.Table(path, ["step", "loss"]) as table:
            table.row(0, loss=0.1)
            table.row(loss=1 / 3, step=1)
            self.assertEqual(rows_in(path), [[0, 0.1], [1, 1 / 3]], "each row is in the file at once, as exact as it was")
            self.refused(TypeError, "has the columns step, loss; got 1 by place and none by name", lambda: table.row(1))
            self.refused(TypeError, "got 0 by place and step, lose", lambda: table.row(step=1, lose=2))
        self.refused(dlc.UnavailableError, "is closed", lambda: table.row(2, 3))
        with dlc.logs.Table(path, ["step", "loss"]) as table:
            table.cut("step", 0)
            table.row(1, 2)
            self.refused(KeyError, "no column 'x'", lambda: table.cut("x", 0))
        self.assertEqual(rows_in(path), [[0, 0.1], [1, 2]])
        self.refused(dlc.FileError, "log.csv", lambda: dlc.logs.Table(path, ["step", "accuracy"]))
        self.refused(dlc.ArrayValueError, "", lambda: dlc.logs.Table(self.path / "a.csv", ["a,b"]))
        self.refused(dlc.FileError, "", lambda: dlc.logs.Table("/no/such/folder/log.csv", ["a"]))

    def test_curves(self):
        folder = self.path / "runs" / "first"
        with dlc.logs.SummaryWriter(folder) as writer:
            for step in range(3):
                writer.add_scalar("loss/train", 0.5 / (step + 1), step)
            writer.add_scalar("lr", scalar_value=np.float32(0.25), global_step=1 << 40)
            files = list(folder.iterdir())
            self.assertEqual(len(files), 1)
            self.assertEqual(points(files[0].read_bytes()),
                             [("loss/train", 0, 0.5), ("loss/train", 1, 0.25), ("loss/train", 2, struct.unpack("<f", struct.pack("<f", 0.5 / 3))[0]),
                              ("lr", 1 << 40, 0.25)])
        self.refused(dlc.UnavailableError, "is closed", lambda: writer.add_scalar("a", 1, 1))

    def test_histograms_images_and_settings(self):
        folder = self.path / "runs" / "second"
        picture = np.arange(24, dtype=np.uint8).reshape(3, 2, 4)
        with dlc.logs.SummaryWriter(folder) as writer:
            writer.add_hparams({"lr": 0.5, "layers": 3, "optimizer": "adam"}, {"accuracy": 0.75})
            writer.add_histogram("weight", np.array([[1, 2], [np.nan, 4]]), 7)
            writer.add_image("sample", picture, 7)
            writer.add_image("grey", np.array([[0, 0.5], [1, 2]]), dataformats="HW")
            self.refused(dlc.ArrayValueError, "dataformats", lambda: writer.add_image("x", picture, dataformats="HW"))
            self.refused(dlc.ArrayValueError, "2 channels of 3 x 4", lambda: writer.add_image("x", picture.transpose(1, 0, 2)))
            self.refused(dlc.ArrayValueError, "", lambda: writer.add_hparams({"lr": 1}, {}))  # once
        script = Path(__file__).parent.parent / "lit/driver/Inputs/read-events.py"
        found = subprocess.run([sys.executable, script, folder], check=True, capture_output=True, text=True).stdout
        self.assertEqual(found.splitlines(), [
            "shown accuracy", "setting lr 0.5", "setting layers 3.0", "setting optimizer 'adam'", "scalar accuracy 0 0.75",
            "histogram weight 7 3 numbers from 1 to 4", "image sample 7 2x4x3 0 8 16 1 9 17 2 10 18", "image grey 0 2x2x1 0 128 0",
            "ended with status 1"])

    def test_folders_of_curves(self):
        self.refused(dlc.FileError, "cannot be made", lambda: dlc.logs.SummaryWriter("/proc/none"))


if __name__ == "__main__":
    unittest.main()
