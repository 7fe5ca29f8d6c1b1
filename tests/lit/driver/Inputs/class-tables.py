"""Compares the tables of --metrics=classes,confusion with what follows from labels and predictions: class-tables.py LABELS
PREDICTIONS TEXT... Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import csv
import sys

labels = [row["kind"] for row in csv.DictReader(open(sys.argv[1]))]
predicted = [row["class"] for row in csv.DictReader(open(sys.argv[2]))]
names = sorted(set(labels))
counts = {(a, b): sum(pair == (a, b) for pair in zip(labels, predicted)) for a in names for b in names}
assert len(labels) == len(predicted) and 0 < sum(counts[a, a] for a in names) < len(labels), counts


def share(part, whole):
    return part / whole if whole else 0


def line(name, *numbers):
    return [name, *[f"{number:.4f}" for number in numbers[:-1]], str(numbers[-1])]


reports = []
for name in names:
    right, given, found = counts[name, name], sum(counts[name, b] for b in names), sum(counts[a, name] for a in names)
    precision, recall = share(right, found), share(right, given)
    reports.append((precision, recall, share(2 * precision * recall, precision + recall), given))
expected = [line(f"{i} {name}", *reports[i]) for i, name in enumerate(names)]
expected.append(line("mean", *[sum(report[i] for report in reports) / len(names) for i in range(3)], len(labels)))
matrix = [[f"{i} {name}", *[str(counts[name, b]) for b in names]] for i, name in enumerate(names)]
for path in sys.argv[3:]:
    lines = [text.split() for text in open(path).read().splitlines()]
    start = max(i for i, words in enumerate(lines) if words[:2] == ["class", "precision"])
    found = [" ".join(words) for words in lines[start + 1:start + 2 * len(names) + 3]]
    wanted = [" ".join(row) for row in [*expected, ["label,", "predicted:", "0", "1", "2"], *matrix]]
    assert found == wanted, f"{path}: {found}, expected {wanted}"
