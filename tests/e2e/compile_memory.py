#!/usr/bin/env python3
"""Weights go from file to file: compiling a model whose weights are large takes little more memory than compiling the
same model with small ones.

    compile_memory.py DLC ROOT

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "docs/examples/models"))
from write_model import FLOAT, Network, message

LAYERS = 6


def write(path, units, external):
    """A perceptron without activations, whose weights a file of any size is quickly made of; in a file of their own, if
    `external`."""
    model = Network("large", 1)
    x, data = "x", b""
    for layer in range(LAYERS):
        row = array.array("f", (model.random.uniform(-0.1, 0.1) for _ in range(units)))
        if external:
            begin, data = len(data), data + row.tobytes() * units
            place = {"location": "weights.bin", "offset": str(begin), "length": str(len(data) - begin)}
            model.initializers.append(message((1, units), (1, units), (2, FLOAT), (8, f"w{layer}"), (14, 1),
                                              *((13, message((1, key), (2, value))) for key, value in place.items())))
        else:
            model.initializer(f"w{layer}", [units, units], row * units)
        x = model.node("MatMul", f"layer{layer}", [x, f"w{layer}"], ["y"] if layer == LAYERS - 1 else None)
    path.write_bytes(model.file({"x": ["batch", units]}, {"y": ["batch", units]}, 17))
    if external:
        (path.parent / "weights.bin").write_bytes(data)


def memory_of(command):
    """The most memory that the command had, in bytes."""
    child = os.fork()
    if child == 0:
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    assert status == 0, f"{command[:2]} ended with {status}"
    return usage.ru_maxrss * 1024


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for external in (False, True):
            memory, written = {}, {}
            for units in (64, 2560):
                path = folder / f"large{units}.onnx"
                write(path, units, external)
                memory[units] = memory_of([sys.argv[1], "compile", str(path), "--batch=2", "--loss=mse", "--name=large",
                                           "-q", "-o", str(folder / f"out{units}")])
                written[units] = (folder / f"out{units}" / "large.safetensors").stat().st_size
            more, weights = memory[2560] - memory[64], written[2560] - written[64]
            print(f"{'external' if external else 'in the file'}: {weights >> 20} MB of weights more take "
                  f"{more >> 20} MB of memory more")
            # One weight is in memory at a time, and the pages in front of it.
            if not 0 < more < weights / LAYERS * 2:
                sys.exit("weights did not go from file to file")


if __name__ == "__main__":
    main()
