#!/usr/bin/env python3
"""The GPT example writes, token by token and beyond its window, the text that the model writes that reads whole windows.

usage: sampled_text.py GPT DLC GPT_ONNX TEXT TESTS_FOLDER

The example trains and samples; this script draws the same numbers, with the scores of `predict` on all that is in the
window. Only Python's standard library is needed.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import math
import pathlib
import struct
import subprocess
import sys

program, dlc, onnx, text, tests = sys.argv[1:]
sys.path.insert(0, f"{tests}/pytorch")
import compiled  # noqa: E402

SEED, TEMPERATURE, TOP_K, CHARACTERS, PROMPT = 3, 0.8, 10, 150, "KING"


def parameters(path):
    """name -> bytes, of the file that the example saved."""
    data = pathlib.Path(path).read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    return {name: data[begin + entry["data_offsets"][0]:begin + entry["data_offsets"][1]]
            for name, entry in json.loads(data[8:begin]).items() if name != "__metadata__"}


def draws(state):
    """splitmix64: numbers from 0 to 1."""
    mask = 2**64 - 1
    while True:
        z = state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        yield ((z ^ z >> 31) >> 11) * 2.0**-53


def choose(scores, drawn):
    ordered = sorted(scores, reverse=True)
    weights = [math.exp((s - ordered[0]) / TEMPERATURE) if s >= ordered[TOP_K - 1] else 0.0 for s in scores]
    left, chosen = drawn * sum(weights), 0
    for token, weight in enumerate(weights):
        if left < 0:
            break
        if weight > 0:
            chosen = token
            left -= weight
    return chosen


printed = subprocess.run([program, "--text", text, "--tokens", "sampled.tokens", "--steps", "10", "--warmup", "2",
                          "--save", "sampled.gpt", "--sample", str(CHARACTERS), "--seed", str(SEED), "--prompt", PROMPT],
                         check=True, capture_output=True, text=True).stdout
written = printed[printed.index(PROMPT):-1]
compiled.compile_model(dlc, onnx, "model", ["--batch=1"])
letters = sorted(set(pathlib.Path(text).read_bytes()))
with compiled.Model("model") as model:
    window, classes = model.description["inputs"][0]["shape"][1], model.description["outputs"][0]["shape"][2]
    saved = parameters("sampled.gpt")
    for tensor in model.description["state"]:
        if tensor["kind"] == "parameter":
            content = saved[tensor["name"]]
            model.check(model.library.model_parameter_write(model.handle, tensor["name"].encode(), content,
                                                            compiled.ctypes.c_size_t(len(content))), tensor["name"])
    assert CHARACTERS > 2 * window, "the window must become full more than once"
    numbers, seen, expected = draws(SEED), [letters.index(ord(c)) for c in PROMPT], PROMPT
    for _ in range(CHARACTERS):
        scores = model.predict([seen + [0] * (window - len(seen))])[0]
        token = choose(scores[(len(seen) - 1) * classes:len(seen) * classes], next(numbers))
        expected += chr(letters[token])
        if len(seen) == window:  # the later half is read again, from the first place on
            seen = seen[window - window // 2:]
        seen.append(token)
if written != expected:
    sys.exit(f"FAIL the example writes\n{written}\nexpected\n{expected}")
