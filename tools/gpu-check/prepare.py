#!/usr/bin/env python3
"""Compiles what tools/gpu-check.sh runs on a machine with a GPU.

usage: prepare.py DLC FOLDER [--quick] [options of dlc compile for GPUs]

FOLDER gets a folder for each model, with a library and what is needed to run it, and the file `list`, whose lines are
KIND NAME FUNCTION. Kinds: check (trains on the CPU and on the GPU; in place of a function there stands how far apart
losses may be), product (one matrix product), memory (kernels that
memory limits) and step (training steps, timed). Initial values of parameters are not carried: they are drawn where
the check runs. --quick compiles a few small models only, so that every part of the check can be tried out.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import math
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRAJECTORIES = ROOT / "tests" / "e2e" / "trajectories"
sys.path[:0] = [str(ROOT / "docs" / "examples" / "models"), str(TRAJECTORIES)]
import generated  # noqa: E402
import write_model  # noqa: E402
import write_transformer  # noqa: E402

LIMIT = 64 << 20  # bytes that are carried
CROSS_ENTROPY = "--loss=softmax-cross-entropy"
ADAM = [CROSS_ENTROPY, "--optimizer=adam", "--lr=1e-3"]
MOMENTUM = [CROSS_ENTROPY, "--optimizer=sgd", "--lr=0.003", "--momentum=0.9"]
TOKENS = [CROSS_ENTROPY, "--class-axis=-1", "--optimizer=adamw", "--lr=1e-3", "--betas=0.9,0.99", "--weight-decay=0.1"]


def wide():
    """A net whose first layer has so many results that a GPU computes it in its largest tiles."""
    net = write_model.Network("wide", 1)
    x = net.relu(net.linear("image", "fc1", 136, 1500), "relu1")
    net.linear(x, "fc2", 1500, 10, "scores")
    return net.model(["batch", 136], ["batch", 10])


# What is trained on both machines: name, file or writer, batch, options.
CHECKS = [
    ("circle", TRAJECTORIES / "circle.onnx", 500, ["--loss=bce", "--optimizer=adamw", "--lr=1e-2", "--weight-decay=0.01"]),
    ("regression", TRAJECTORIES / "regression.onnx", 64, ["--loss=mse", "--optimizer=sgd", "--lr=0.02", "--momentum=0.9"]),
    ("mlp", ROOT / "docs" / "examples" / "mlp" / "mlp.onnx", 64, ADAM),
    # Each precision's library carries the weights: few of them.
    ("lenet", lambda: write_model.lenet(seed=1, hidden=16), 64, MOMENTUM),
    ("wide", wide, 1000, MOMENTUM),
    ("gpt_narrow", generated.MODELS["gpt_narrow"], 6, TOKENS)]
# What is timed, in each precision. GPT-2 124M has the vocabulary of nanoGPT, a multiple of 64.
GPT2 = dict(vocabulary=50304, layers=12, width=768, heads=12, window=1024)
STEPS = [
    ("mlp", ROOT / "docs" / "examples" / "mlp" / "mlp.onnx", 64, ADAM),
    ("lenet", generated.MODELS["lenet"], 64, MOMENTUM),
    ("resnet18", generated.MODELS["resnet18"], 32, MOMENTUM),
    ("block", generated.MODELS["block"], 8, ["--loss=mse", "--optimizer=adamw", "--lr=3e-4"]),
    ("gpt", lambda: write_transformer.gpt(1, vocabulary=65, layers=6, width=384, heads=6, window=256), 4, TOKENS),
    ("gpt2", lambda: write_transformer.gpt(1, **GPT2, network=Unfilled), 8, TOKENS)]
PRECISIONS = ["fp32", "tf32", "bf16"]
# How far losses of the two machines may be apart, relative to the CPU's: operands are rounded alike, but a sum that
# differs in its last bit may round to the next operand. Predictions are allowed ten times as much: where only the last
# bits of initial weights differ, those of the CPU itself are up to 5e-2 apart after 50 steps in tf32, and 6e-2 in bf16.
TOLERANCES = {"fp32": 1e-5, "tf32": 1e-2, "bf16": 2e-2, "fp16": 1e-2}
CHECKED_IN_FP16 = ("mlp", "gpt_narrow")  # which has the kernels of bf16
# Products of GPT-2 at 8x1024 tokens: rows, inputs, outputs of each linear layer.
TOKENS_OF_BATCH = 8 * 1024
LAYERS = {"qkv": (768, 2304), "proj": (768, 768), "fc": (768, 3072), "out": (3072, 768), "head": (768, 50304)}


class Unfilled(write_transformer.Transformer):
    """Weights are a file of zeros that takes no room: what is timed has others."""
    def weight(self, name, shape):
        size = 4 * math.prod(shape)
        if size > ZEROS.stat().st_size:
            with ZEROS.open("r+b") as file:
                file.truncate(size)
        entries = [write_model.message((1, key), (2, str(value)))
                   for key, value in (("location", ZEROS.name), ("offset", 0), ("length", size))]
        self.initializers.append(write_model.message(
            *((1, extent) for extent in shape), (2, write_model.FLOAT), (8, name), *((13, entry) for entry in entries),
            (14, 1)))
        return name


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


def product(name, rows, columns, steps, flag=""):
    """A program whose prediction is the product of two parameters; `flag`: transpose_a or transpose_b."""
    a = tensor(steps, rows) if flag == "transpose_a" else tensor(rows, steps)
    b = tensor(columns, steps) if flag == "transpose_b" else tensor(steps, columns)
    c = tensor(rows, columns)
    return f"""train.program @{name} {{
  train.state parameter @a : {a}
  train.state parameter @b : {b}
  train.output prediction @c : {c}
  train.function forward @forward {{
    %a = train.read @a : {a}
    %b = train.read @b : {b}
    %c = nn.matmul %a, %b {flag} : {a}, {b}
    train.write %c, @c : {c}
  }}
}}
"""


def products(quick):
    """Names, texts and precisions."""
    square = 32 if quick else 4096
    for precision in PRECISIONS:
        yield f"square_{precision}", product(f"square_{precision}", square, square, square), precision
    tokens, layers = (40, {"qkv": (24, 48)}) if quick else (TOKENS_OF_BATCH, LAYERS)
    for layer, (inputs, outputs) in layers.items():
        for pass_, sizes in (("forward", (tokens, outputs, inputs, "transpose_b")),
                             ("data", (tokens, inputs, outputs)),
                             ("weight", (outputs, inputs, tokens, "transpose_a"))):
            name = f"{layer}_{pass_}"
            yield name, product(name, *sizes), "bf16"


def elementwise(name, rows, width, body):
    """A program that trains the parameter @x: its loss is the mean of what `body` makes of %x, times an input."""
    x, row = tensor(rows, width), tensor(width)
    return f"""train.program @{name} {{
  train.state parameter @x : {x}
  train.state parameter @scale : {row}
  train.state parameter @bias : {row}
  train.input @other : {x}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {x}
    %scale = train.read @scale : {row}
    %bias = train.read @bias : {row}
    %other = train.read @other : {x}
    {body.format(x=x, row=row)}
    %product = nn.mul %y, %other : {x}, {x}
    %loss = nn.mean %product axes [0, 1] : {x}
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }}
}}
"""


def memory_bound(quick):
    """Names, texts and options: normalizations and functions of GPT-2's activations, and an update of as many numbers
    as the embedding of its tokens has."""
    rows, width, many = (24, 40, 64) if quick else (TOKENS_OF_BATCH, 768, 50304)
    norm = "%y, %mean, %rstd = nn.layer_norm %x, %scale, %bias axis 1 epsilon 1.0e-5 : {x}, {row}, {row}"
    function = "%z = nn.gelu %x : {x}\n    %v = nn.mul %z, %scale : {x}, {row}\n    %y = nn.add %v, %bias : {x}, {row}"
    scaled = "%v = nn.mul %x, %scale : {x}, {row}\n    %y = nn.add %v, %bias : {x}, {row}"
    yield "layer_norm", elementwise("layer_norm", rows, width, norm), []
    yield "gelu", elementwise("gelu", rows, 4 * width, function), []
    yield "adamw", elementwise("adamw", many, width, scaled), ["--optimizer=adamw", "--weight-decay=0.1"]


def strip(folder, name):
    """Of the initial values, constants of the program stay."""
    weights = folder / f"{name}.safetensors"
    if not weights.exists():
        return
    manifest = json.loads((folder / f"{name}.json").read_text())
    with weights.open("rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin, kept, content = file.tell(), {}, b""
        for state in manifest["state"]:
            if state["kind"] == "constant":
                entry = header[state["name"]]
                file.seek(begin + entry["data_offsets"][0])
                data = file.read(entry["data_offsets"][1] - entry["data_offsets"][0])
                kept[state["name"]] = {**entry, "data_offsets": [len(content), len(content) + len(data)]}
                content += data
    weights.unlink()
    if kept:
        text = json.dumps(kept).encode()
        text += b" " * (-len(text) % 8)
        (folder / "constants.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + content)


class Preparation:
    def __init__(self, dlc, folder, options):
        self.dlc, self.folder, self.options, self.lines = dlc, folder, options, []

    def compile(self, kind, name, what, source, arguments):
        """`what`: the third word of the list's line. `source`: a file, the bytes of an ONNX file or a program's text."""
        folder, begin = self.folder / name, time.perf_counter()
        if any(line.split()[1] == name for line in self.lines):
            sys.exit(f"error: two models are called {name}")
        folder.mkdir(parents=True, exist_ok=True)
        written = None
        if not isinstance(source, Path):
            written = self.folder / (name + (".mlir" if isinstance(source, str) else ".onnx"))
            written.write_bytes(source.encode() if isinstance(source, str) else source)
        subprocess.run([self.dlc, "compile", written or source, "-o", folder, f"--name={name}", "--cpu=x86-64-v3", "-q",
                        *arguments, *self.options], check=True)
        if written:
            written.unlink()
        strip(folder, name)
        manifest = json.loads((folder / f"{name}.json").read_text())
        gpu = manifest["targets"][-1] if "targets" in manifest else manifest
        (folder / "counts").write_text("".join(f"{k['name']} {k['operations']} {k['bytes']}\n" for k in gpu["kernels"]))
        (folder / f"{name}.json").unlink()
        self.lines.append(f"{kind} {name} {what}\n")
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{name:24} {kind:8} {time.perf_counter() - begin:7.1f} s {size:12,} bytes carried, arena "
              f"{gpu['memory']['arena_bytes'] / 2**20:9,.1f} MiB", flush=True)

    def all(self, quick):
        for name, source, batch, options in CHECKS[:2 if quick else None]:
            source = source if isinstance(source, Path) else source()
            for precision, tolerance in list(TOLERANCES.items())[:1 if quick else None]:
                if precision == "fp16" and name not in CHECKED_IN_FP16:
                    continue
                self.compile("check", name if precision == "fp32" else f"{name}_checked_{precision}", tolerance, source,
                             ["--target=cpu,nvptx", "--embed-weights", f"--batch={batch // 10 if quick else batch}",
                              f"--precision={precision}", *options])
        for name, text, precision in products(quick):
            self.compile("product", name, "predict", text, ["--target=nvptx", f"--precision={precision}"])
        for name, text, options in memory_bound(quick):
            self.compile("memory", name, "train_step", text, ["--target=nvptx", *options])
        small = [("gpt", lambda: write_transformer.gpt(1, 17, 1, 16, 2, 8, network=Unfilled), 2, TOKENS)]
        for name, source, batch, options in small if quick else STEPS:
            source = source if isinstance(source, Path) else source()
            for precision in PRECISIONS:
                self.compile("step", f"{name}_{precision}", "train_step", source,
                             ["--target=nvptx", f"--batch={batch}", f"--precision={precision}", "--max-memory=70",
                              *options])


def main():
    arguments = sys.argv[1:]
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    folder = Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    global ZEROS
    ZEROS = folder / "zeros.bin"
    ZEROS.touch()
    preparation = Preparation(arguments[0], folder, arguments[2:] or ["--gpu=sm_80"])
    begin = time.perf_counter()
    preparation.all(quick)
    ZEROS.unlink()
    (folder / "list").write_text("".join(preparation.lines))
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{len(preparation.lines)} models, {size / 2**20:.1f} MiB, {time.perf_counter() - begin:.0f} s")
    if size > LIMIT:
        sys.exit(f"error: more than the {LIMIT >> 20} MiB that may be carried")


if __name__ == "__main__":
    main()
