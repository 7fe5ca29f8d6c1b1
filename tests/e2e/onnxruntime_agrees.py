#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the models of all examples for three steps, exports them with the state of training, and compares what ONNX
Runtime predicts from the files with what the compiled models predict. ONNX's checker must accept the files.

usage: onnxruntime_agrees.py DLC PROJECT [DESCRIPTION.cpp[=MODEL]...]

Prints "skipped: ..." where Python has no onnx, onnxruntime or numpy.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

DLC, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
MODELS = PROJECT / "docs/examples/models"
sys.path.insert(0, str(PROJECT / "tests/pytorch"))
from compiled import Model, compile_model  # noqa: E402

BATCH = 4
TRAINING = ["--loss=softmax-cross-entropy", "--optimizer=adam", "--lr=0.01"]
# Name, and the command that writes it.
EXAMPLES = [
    ("lenet", [MODELS / "write_model.py", "lenet"]),
    ("resnet18", [MODELS / "write_model.py", "resnet18"]),
    ("gpt", [MODELS / "write_transformer.py", "gpt", "--layers=2", "--width=48", "--window=16"]),
    ("gpt_next", [MODELS / "write_transformer.py", "gpt_next", "--layers=2", "--width=48", "--window=16"]),
    ("bert_words", [MODELS / "write_bert.py", "words", "--layers=2"]),
    ("bert_classes", [MODELS / "write_bert.py", "classes", "--layers=2"]),
]


def data_for(tensor, shape, random):
    if tensor["dtype"] in ("i64", "i32"):
        low, limit = tensor.get("range", [0, 2])
        return random.integers(low, limit, shape).astype("int64" if tensor["dtype"] == "i64" else "int32")
    return random.random(shape, dtype="float32")


def check(name, source, options, folder, steps=3):
    compile_model(DLC, source, folder, options)
    random = numpy.random.default_rng(1)
    with Model(folder) as model:
        tensors = model.description["inputs"]
        values = [data_for(t, model.shape(t), random) for t in tensors]
        for _ in range(steps):
            model.step("train_step", [v.ravel().tolist() for v in values])
        state = folder / "state.safetensors"
        model.check(model.library.model_save(model.handle, str(state).encode()), "save")
        given = [v for t, v in zip(tensors, values) if not t.get("target")]
        expected = model.predict([v.ravel().tolist() for v in given])
    exported = folder / "exported.onnx"
    which = [option for option in options if option.startswith("--model=")]
    subprocess.run([DLC, "export", source, state, "-o", exported, *which], check=True)
    onnx.checker.check_model(str(exported), full_check=True)
    session = onnxruntime.InferenceSession(str(exported), providers=["CPUExecutionProvider"])
    names = [t["name"] for t in tensors if not t.get("target")]
    for output, wanted in zip(session.run(None, dict(zip(names, given))), expected):
        wanted = numpy.array(wanted, dtype="float64").reshape(output.shape)
        error = numpy.abs(output - wanted).max() / max(1.0, numpy.abs(wanted).max())
        print(f"{name}: largest difference {error:.1e}")
        if not error <= 1e-5:
            sys.exit(f"{name}: ONNX Runtime and dlc differ by {error}")


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    check("mlp", PROJECT / "docs/examples/mlp/mlp.onnx", [*TRAINING, f"--batch={BATCH}"], scratch / "mlp.d")
    for name, command in EXAMPLES:
        source = scratch / f"{name}.onnx"
        subprocess.run([sys.executable, *command, source], check=True)
        if name == "gpt_next":  # which predicts one token, with the weights of the GPT
            check(name, source, [], scratch / f"{name}.d", steps=0)
        else:
            check(name, source, [*TRAINING, f"--batch={BATCH}"], scratch / f"{name}.d")
    for description in sys.argv[3:]:
        path, _, which = description.partition("=")
        name = which or pathlib.Path(path).stem
        check(f"{name} of {pathlib.Path(path).name}", pathlib.Path(path),
              [f"--batch={BATCH}", *([f"--model={which}"] if which else [])], scratch / f"{name}.d")
