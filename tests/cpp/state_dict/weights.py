# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""State_dicts whose values follow from their names' places, so that references need not store them; and safetensors
files. Python's standard library is enough."""
import array
import json
import math
import random
import struct

SIZES = {"F32": "f", "I64": "q"}


def numbers(seed, count, center, reach):
    """Numbers of 16 bits around a center."""
    steps = array.array("h", random.Random(seed).randbytes(2 * count))
    return array.array("f", [center + reach / 32768 * step for step in steps])


def values(seed, name, dtype, shape):
    """Of a size that keeps a deep net's numbers in their range; scales and variances are positive."""
    count = math.prod(shape)
    if dtype == "I64":
        return array.array("q", [seed] * count)
    if len(shape) > 1:
        return numbers(seed, count, 0, math.sqrt(3 / math.prod(shape[1:])))
    isScale = name.endswith((".running_var", ".weight"))
    return numbers(seed, count, 1 if isScale else 0, 0.25)


def state_dict(tensors):
    """Of [name, dtype, shape]: as bytes, by name."""
    return {name: (dtype, shape, values(seed, name, dtype, shape).tobytes())
            for seed, (name, dtype, shape) in enumerate(tensors)}


def input_of(case):
    """What the model predicts for: pixels and features are numbers, tokens below `below`."""
    count = math.prod(case["input"])
    if "below" in case:
        return array.array("q", random.Random(1000).choices(range(case["below"]), k=count)).tobytes()
    return numbers(1000, count, 0, 2).tobytes()


def write(path, tensors):
    header, offset = {}, 0
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + len(raw)]}
        offset += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, raw in tensors.values():
            file.write(raw)


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, raw = json.loads(file.read(length)), file.read()
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"], raw[slice(*entry["data_offsets"])]) for name, entry in header.items()}
