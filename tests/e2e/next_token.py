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
SIZE = WIDTH // HEADS  # of a head
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


def rows_of(head):
    """Of one head of one layer in a cache: where its positions begin."""
    return range(head * WINDOW * SIZE, (head + 1) * WINDOW * SIZE, SIZE)


def read(token, position):
    """The scores of the token after this one; the caches keep its keys and values."""
    scores, new = array.array("f", [0]) * VOCABULARY, [array.array("f", [0]) * (LAYERS * WIDTH) for _ in caches]
    inputs = [array.array("q", [token]), array.array("q", [position]), *caches]
    token_by_token("predict", c_int64(1), *map(address, inputs), address(scores), *map(address, new))
    for cache, rows in zip(caches, new):
        for head in range(LAYERS * HEADS):
            begin = rows_of(head)[position]
            cache[begin:begin + SIZE] = rows[head * SIZE:(head + 1) * SIZE]
    return scores


def check(tokens, what):
    """Reads them from the first place on, and compares with the scores of the whole window."""
    expected = array.array("f", [0]) * (WINDOW * VOCABULARY)
    filled = tokens + array.array("q", [0]) * (WINDOW - len(tokens))
    whole("predict", c_int64(1), address(filled), address(expected))
    for position, token in enumerate(tokens):
        for found, wanted in zip(read(token, position), expected[position * VOCABULARY:]):
            if not abs(found - wanted) <= 1e-5 * (1 + abs(wanted)):
                sys.exit(f"FAIL {what}, position {position}: {found}, expected {wanted}")


whole = load("gpt", gpt(1, **SIZES), "--batch=1")
token_by_token = load("gpt_next", gpt_next(1, **SIZES))
draw = random.Random(1)
tokens = array.array("q", (draw.randrange(VOCABULARY) for _ in range(WINDOW)))
# What the cache holds beyond the tokens that were read does not count.
caches = [array.array("f", (draw.gauss(0, 1) for _ in range(LAYERS * WINDOW * WIDTH))) for _ in range(2)]
check(tokens, "empty window")
# As the example does when its window is full: the later half once more, over what is there.
check(tokens[WINDOW // 2:], "full window")
