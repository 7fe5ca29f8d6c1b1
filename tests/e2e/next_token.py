#!/usr/bin/env python3
"""A GPT that reads token by token, with a cache of keys and values, scores as the one that reads whole windows.

usage: next_token.py DLC MODELS_FOLDER

Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import ctypes
import pathlib
import random
import subprocess
import sys
from ctypes import byref, c_int64, c_void_p

sys.path.insert(0, sys.argv[2])
from write_transformer import gpt, gpt_next

VOCABULARY, LAYERS, WIDTH, HEADS, WINDOW = 11, 2, 24, 3, 20
SIZES = dict(vocabulary=VOCABULARY, layers=LAYERS, width=WIDTH, heads=HEADS, window=WINDOW)


def load(name, content, *options):
    """The compiled model: a function that calls one of its functions, which must succeed."""
    pathlib.Path(f"{name}.onnx").write_bytes(content)
    subprocess.run([sys.argv[1], "compile", f"{name}.onnx", "--emit=shared", "--embed-weights", *options], check=True)
    library, handle = ctypes.CDLL(str(pathlib.Path(f"lib{name}.so").resolve())), c_void_p()

    def call(function, *arguments):
        status = getattr(library, f"{name}_{function}")(handle, *arguments)
        if status:
            last_error = getattr(library, f"{name}_last_error")
            last_error.restype = ctypes.c_char_p
            sys.exit(f"{name}_{function} answers {status}: {last_error(handle).decode()}")

    if getattr(library, f"{name}_create")(None, byref(handle)):
        sys.exit(f"{name} was not created")
    return call


def address(values):
    return c_void_p(values.buffer_info()[0])


whole = load("gpt", gpt(1, **SIZES), "--batch=1")
token_by_token = load("gpt_next", gpt_next(1, **SIZES))
draw = random.Random(1)
tokens = array.array("q", (draw.randrange(VOCABULARY) for _ in range(WINDOW)))
expected = array.array("f", [0]) * (WINDOW * VOCABULARY)
whole("predict", c_int64(1), address(tokens), address(expected))
# What the cache holds beyond the tokens that were read does not count.
caches = [[array.array("f", (draw.gauss(0, 1) for _ in range(LAYERS * WINDOW * WIDTH))) for _ in range(2)]
          for _ in range(2)]
for position, token in enumerate(tokens):
    scores = array.array("f", [0]) * VOCABULARY
    before, after = caches[position % 2], caches[1 - position % 2]
    read, place = array.array("q", [token]), array.array("q", [position])
    token_by_token("predict", c_int64(1), address(read), address(place), *map(address, before), address(scores),
                   *map(address, after))
    for found, wanted in zip(scores, expected[position * VOCABULARY:(position + 1) * VOCABULARY]):
        if not abs(found - wanted) <= 1e-5 * (1 + abs(wanted)):
            sys.exit(f"FAIL position {position}: {found}, expected {wanted}")
