"""Checks what dlc predict has written. Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    check-predictions.py words ANSWERS.csv DATA.csv TRAINED.txt
        the words of ANSWERS are those of the highest scores, in the order of their names, and those of DATA's column
        "kind" as often as the accuracy in TRAINED says
    check-predictions.py arrays ANSWERS.csv ANSWERS.npy ANSWERS.safetensors
        all have the same float32 numbers, in the same order
"""
import ast
import csv
import json
import re
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        return file.read()


def floats(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


with open(sys.argv[2]) as file:
    answers = list(csv.DictReader(file))
names = [name for name in answers[0] if name != "class"]
scores = [[float(row[name]) for name in names] for row in answers]
if sys.argv[1] == "words":
    with open(sys.argv[3]) as file:
        kinds = [row["kind"] for row in csv.DictReader(file)]
    words = sorted(set(kinds))
    for row, answer in zip(scores, answers):
        assert answer["class"] == words[row.index(max(row))], (answer, words)
    right = sum(kind == answer["class"] for kind, answer in zip(kinds, answers))
    with open(sys.argv[4]) as file:
        accuracy = re.search(r"accuracy ([0-9.]+)", file.read()).group(1)
    assert len(kinds) == len(answers) and f"{right / len(kinds):.4f}" == accuracy, (right, accuracy)
else:
    npy, tensors = read(sys.argv[3]), read(sys.argv[4])
    length = struct.unpack("<H", npy[8:10])[0]
    header = ast.literal_eval(npy[10:10 + length].decode())
    assert npy[:8] == b"\x93NUMPY\x01\x00" and (10 + length) % 64 == 0, npy[:10]
    shape = (len(answers), len(names))
    assert header == {"descr": "<f4", "fortran_order": False, "shape": shape}, header
    length = struct.unpack("<Q", tensors[:8])[0]
    entry = json.loads(tensors[8:8 + length])["y"]
    assert entry["dtype"] == "F32" and tuple(entry["shape"]) == shape, entry
    expected = struct.unpack(f"<{shape[0] * shape[1]}f", struct.pack(f"<{shape[0] * shape[1]}f", *sum(scores, [])))
    assert floats(npy[128:]) == expected and floats(tensors[8 + length:]) == expected
