#!/usr/bin/env python3
"""Trains models in several processes that mpirun starts, beside one process with the same batches.

usage: ranks.py {bits,uneven,resume,refused,killed} DLC MODELS_FOLDER

bits: 50 steps of 2 ranks are the compiler's own steps in 2 parts, bit for bit.
uneven: batches of 37 and 3 rows on 4 ranks, also with dropout, and what is evaluated, are those of one process, to
    rounding.
resume: 20 steps on 2 ranks, 15 on 4 and 15 on one are 50 on one, to rounding.
refused: a label that one rank finds wrong, other options and models whose samples meet end all ranks with a sentence.
killed: a rank that is killed, or stops, ends the others within a limit of time; the checkpoint is whole. Ctrl-C stops
    ranks of --launch after a step.

Only Python's standard library is needed. Says "skipped: " where there is no mpirun or no libdlc-mpi.so.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

FEATURES, HIDDEN, CLASSES = 12, 16, 5
X, Y = f"tensor<?x{FEATURES}xf32, #nn.dims<batch, _>>", f"tensor<?x{CLASSES}xf32, #nn.dims<batch, _>>"
H, LABELS = f"tensor<?x{HIDDEN}xf32, #nn.dims<batch, _>>", "tensor<?xi64, #nn.dims<batch>>"
# Of the samples: most labels of a batch's first half are ignored, so that ranks have different weights.
SAMPLES, ROWS = 200, 64
TOLERANCE = 2e-6  # of a tensor's norm
dlc = models = None


def fail(text):
    sys.exit(f"ranks.py: {text}")


# ---- models and data ----

def numbers(draw, *shape):
    if not shape:
        return f"{draw.uniform(-0.5, 0.5):.6f}"
    return "[" + ", ".join(numbers(draw, *shape[1:]) for _ in range(shape[0])) + "]"


def perceptron(path, rows=ROWS, parts="", is_open=False, reduction="mean", weights=False, layer=""):
    """A program with 2 layers, and perhaps something between them."""
    draw = random.Random(1)
    classes = f"tensor<{CLASSES}xf32>"
    constant = f"%classes = nn.constant dense<[1.0, 0.3, 3.0, 0.5, 2.0]> : {classes}" if weights else ""
    operand, type_ = ("weights %classes ", f", {classes}") if weights else ("", "")
    path.write_text(f"""train.program @p {parts} {{
  train.dim {"open " if is_open else ""}@batch = {rows}
  train.state parameter @w1 : tensor<{FEATURES}x{HIDDEN}xf32> = dense<{numbers(draw, FEATURES, HIDDEN)}>
  train.state parameter @b1 : tensor<{HIDDEN}xf32> = dense<{numbers(draw, HIDDEN)}>
  train.state parameter @w2 : tensor<{HIDDEN}x{CLASSES}xf32> = dense<{numbers(draw, HIDDEN, CLASSES)}>
  train.state rng @rng : tensor<2xi64>
  train.input @x : {X}
  train.input target @labels range [0, {CLASSES}) ignore -100 : {LABELS}
  train.output prediction @scores : {Y}
  train.output loss @step_loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {X}
    %w1 = train.read @w1 : tensor<{FEATURES}x{HIDDEN}xf32>
    %b1 = train.read @b1 : tensor<{HIDDEN}xf32>
    %w2 = train.read @w2 : tensor<{HIDDEN}x{CLASSES}xf32>
    %m = nn.matmul %x, %w1 : {X}, tensor<{FEATURES}x{HIDDEN}xf32>
    %z = nn.add %m, %b1 : {H}, tensor<{HIDDEN}xf32>
    {layer or f"%h = nn.tanh %z : {H}"}
    %y = nn.matmul %h, %w2 : {H}, tensor<{HIDDEN}x{CLASSES}xf32>
    %labels = train.read @labels : {LABELS}
    {constant}
    %loss, %weight = nn.softmax_cross_entropy {reduction} %y, %labels {operand}ignore_index -100 : {Y}, {LABELS}{type_}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
    train.write %y, @scores : {Y}
  }}
}}
""")
    return path


def write_npy(path, code, values, shape):
    header = f"{{'descr': '<{'f4' if code == 'f' else 'i8'}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     array.array(code, values).tobytes())


def write_data(folder, samples=SAMPLES, wrong=None, ignored=0.4):
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(2)
    x = [draw.uniform(-1, 1) for _ in range(samples * FEATURES)]
    labels = [-100 if draw.random() < ignored else int(5 * abs(math.sin(7 * x[i * FEATURES]))) for i in range(samples)]
    if wrong is not None:
        labels[wrong] = 12
    write_npy(folder / "x.npy", "f", x, (samples, FEATURES))
    write_npy(folder / "labels.npy", "q", labels, (samples,))
    return [f"--data=x={folder}/x.npy", f"--data=labels={folder}/labels.npy"]


# ---- training ----

def run(ranks, words, variables=None, limit=300):
    command = [str(word) for word in words]
    if ranks > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), *command]
    environment = {**os.environ, **ANYWHERE, "DLC_COLLECTIVE_SECONDS": "120", **(variables or {})}
    return subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)


def train(ranks, program, folder, *options):
    """The tensors that the training leaves: {name: (dtype, bytes)}; and what it printed."""
    if "--resume" not in options:
        shutil.rmtree(folder, ignore_errors=True)
    done = run(ranks, [dlc, "train", program, "-o", folder, "--threads=1", *options])
    if done.returncode != 0:
        fail(f"{ranks} ranks, {program.name}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return tensors(folder / "last.safetensors"), done.stdout


def tensors(path):
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    return {name: (entry["dtype"], content[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]])
            for name, entry in header.items() if name != "__metadata__"}


def same_bits(what, found, expected):
    if found.keys() != expected.keys():
        fail(f"{what}: the checkpoints have different tensors")
    for name, value in expected.items():
        if found[name] != value:
            fail(f"{what}: '{name}' has other bits")


def close(what, found, expected):
    for name, (dtype, content) in expected.items():
        if dtype != "F32":
            if found[name][1] != content:
                fail(f"{what}: '{name}' differs")
            continue
        ours, theirs = array.array("f", found[name][1]), array.array("f", content)
        if not math.dist(ours, theirs) <= TOLERANCE * math.hypot(*theirs) + 1e-12:
            fail(f"{what}: '{name}' is {math.dist(ours, theirs) / math.hypot(*theirs):.2e} away")


# Containers may not let a process read another one's memory, which Open MPI tries.
ANYWHERE = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
SGD = ["--optimizer=sgd", "--momentum=0.9", "--lr=0.05"]
# A convolution that pads, between the layers.
IMAGES = f"tensor<?x1x{HIDDEN}xf32, #nn.dims<batch, _, _>>"
PADDED = f"""%i = nn.reshape %z : {H} -> {IMAGES}
    %k = nn.constant dense<[[[0.5, -1.0, 0.25]]]> : tensor<1x1x3xf32>
    %c = nn.conv %i, %k strides [1] dilations [1] low [1] high [1] groups 1 : {IMAGES}, tensor<1x1x3xf32>
    %h = nn.reshape %c : {IMAGES} -> {H}"""
DROPOUT = f"""%r = train.read @rng : tensor<2xi64>
    %h = nn.dropout %z, %r ratio 0.5 stream 0 : {H}, tensor<2xi64>"""
IN_PARTS = "attributes {batch_parts = 2 : i64}"


# ---- what is tested ----

def imported(model, name, *options):
    """The program of an ONNX file whole, and the same with its batch in 2 parts."""
    text = run(1, [dlc, "compile", model, "--emit=import", *options]).stdout
    found = re.search(r"train\.program @\w+ ", text)
    whole, parts = pathlib.Path(name + ".mlir"), pathlib.Path(name + "_parts.mlir")
    whole.write_text(text)
    parts.write_text(text[:found.end()] + IN_PARTS + " " + text[found.end():])
    return whole, parts


def bits():
    data = write_data(pathlib.Path("data"))
    here = pathlib.Path()
    for name, options, more in (("mean", {}, []), ("clipped", {}, ["--clip-grad-norm=0.1"]),
                                ("sum", {"reduction": "sum"}, ["--lr=0.001"]), ("weights", {"weights": True}, []),
                                ("padded", {"layer": PADDED}, [])):
        settings = [*SGD, *data, "--steps=50", *more]
        settings = settings if name != "sum" else [option for option in settings if option != "--lr=0.05"]
        whole = perceptron(here / f"{name}.mlir", **options)
        parts = perceptron(here / f"{name}_parts.mlir", parts=IN_PARTS, **options)
        expected, _ = train(1, parts, here / "parts", *settings)
        found, _ = train(2, whole, here / "ranks", *settings)
        same_bits(name, found, expected)
    subprocess.run([sys.executable, models / "write_model.py", "lenet", "lenet.onnx"], check=True)
    draw = random.Random(3)
    write_npy(here / "images.npy", "f", [draw.gauss(0, 1) for _ in range(40 * 784)], (40, 1, 28, 28))
    write_npy(here / "digits.npy", "q", [draw.randrange(10) for _ in range(40)], (40,))
    subprocess.run([sys.executable, models / "write_transformer.py", "gpt", "gpt.onnx", "--layers=2", "--width=16", "--heads=2",
                    "--window=12", "--vocabulary=11"], check=True)
    write_npy(here / "tokens.npy", "q", [draw.randrange(11) for _ in range(40 * 12)], (40, 12))
    write_npy(here / "next.npy", "q", [draw.choice([-100, *range(11)]) for _ in range(40 * 12)], (40, 12))
    for name, loss, files in (("lenet", [], ("images.npy", "digits.npy")),
                              ("gpt", ["--class-axis=-1"], ("tokens.npy", "next.npy"))):
        whole, parts = imported(f"{name}.onnx", name, "--batch=8", "--loss=softmax-cross-entropy", *loss)
        takes = re.findall(r"train\.input (?:target )?@(\w+)", whole.read_text()) + ["labels"]
        settings = ["--optimizer=adamw", "--lr=1e-3", "--steps=50",
                    *(f"--data={taken}={path}" for taken, path in zip(takes, files))]
        expected, _ = train(1, parts, here / "parts", *settings)
        found, _ = train(2, whole, here / "ranks", *settings)
        same_bits(name, found, expected)


def uneven():
    here = pathlib.Path()
    for rows, layer in ((37, ""), (3, ""), (37, DROPOUT), (3, DROPOUT)):
        data = write_data(here / f"data{rows}", samples=3 * rows + 2, ignored=0.4 if rows > 3 else 0)
        program = perceptron(here / f"rows{rows}.mlir", rows=rows, is_open=True, layer=layer)
        settings = [*SGD, *data, "--steps=20", "--valid=0.2", "--seed=4"]
        expected, told = train(1, program, here / "one", *settings)
        found, also = train(4, program, here / "ranks", *settings)
        close(f"{rows} rows", found, expected)
        pattern = r"loss [0-9.]+|accuracy [0-9.]+|[0-9]+ samples"
        for ours, theirs in zip(re.findall(pattern, also), re.findall(pattern, told)):
            if abs(float(re.search(r"[0-9.]+", ours)[0]) - float(re.search(r"[0-9.]+", theirs)[0])) > 2e-4:
                fail(f"{rows} rows: '{ours}' on 4 ranks, '{theirs}' on one")
        if len(re.findall(pattern, also)) != len(re.findall(pattern, told)):
            fail(f"{rows} rows: not all is printed once:\n{also}")
    program = perceptron(here / "values.mlir", rows=16)
    data = write_data(here / "data")
    settings = [*SGD, *data, "--steps=12", "--valid=0.2", "--metrics=f1,accuracy"]  # of all predictions together
    told, also = train(1, program, here / "one", *settings)[1], train(2, program, here / "ranks", *settings)[1]
    if re.findall(r"f1 [0-9.]+", told) != re.findall(r"f1 [0-9.]+", also):
        fail("f1 of the validation data differs")


def resume():
    here = pathlib.Path()
    data = write_data(here / "data")
    program = perceptron(here / "p.mlir")
    settings = [*SGD, *data, "--schedule=step:size=10,gamma=0.7", "--save-every=1"]
    expected, _ = train(1, program, here / "whole", *settings, "--steps=50")
    train(2, program, here / "parts", *settings, "--steps=20")
    train(4, program, here / "parts", *settings, "--steps=35", "--resume")
    found, told = train(1, program, here / "parts", *settings, "--steps=50", "--resume")
    if "going on after step 35" not in told:
        fail(f"the training does not go on:\n{told}")
    close("20 + 15 + 15 steps", found, expected)


def ends(what, ranks, words, sentence, once=True, variables=None, limit=60):
    began = time.monotonic()
    done = run(ranks, words, variables, limit)
    found = re.findall(sentence, done.stderr)
    if done.returncode == 0 or not found or (once and len(found) != 1):
        fail(f"{what}: exit code {done.returncode}, expected one '{sentence}' in:\n{done.stdout}{done.stderr}")
    return time.monotonic() - began


def refused():
    here = pathlib.Path()
    program = perceptron(here / "p.mlir")
    data = write_data(here / "wrong", samples=ROWS, wrong=8)
    ends("a label", 2, [dlc, "train", program, *data, *SGD, "--steps=3"], "dlc: error: .*labels.npy: sample 9 is 12")
    data = write_data(here / "data")
    plain = [dlc, "train", program, *data, *SGD, "--steps=3"]
    many = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "1", *plain, "--seed=1", ":",
            "-np", "1", *plain, "--seed=2"]
    ends("another seed", 1, many, "rank 1: it has '--seed 2' where rank 0 has '--seed 1'")
    write_data(here / "one/data"), write_data(here / "two/data", ignored=0.2)
    at = [["-np", "1", "--wdir", here / folder, dlc, "train", program.resolve(), *write_data(pathlib.Path("data")), *SGD, "--steps=3"]
          for folder in ("one", "two")]
    ends("other data", 1, ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", *at[0], ":", *at[1]],
         "rank 1: it has '.*npy with the digest .*' where rank 0 has '.*npy with the digest")
    turned = H.replace("?x16", "16x?").replace("batch, _", "_, batch")
    layers = {"turned dropout": (f"""%r = train.read @rng : tensor<2xi64>
    %t = nn.transpose %z [1, 0] : {H}
    %d = nn.dropout %t, %r ratio 0.5 stream 0 : {turned}, tensor<2xi64>
    %h = nn.transpose %d [1, 0] : {turned}""", "draws random numbers for samples that are not along the first dim"),
              "softmax over samples": (f"%h = nn.softmax %z axis 0 : {H}", "samples of a batch may meet"),
              "a largest sample": (f"""%largest = nn.reduce_max %z axes [0] : {H}
    %h = nn.sub %z, %largest : {H}, tensor<{HIDDEN}xf32>""", "samples of a batch may meet")}
    for name, (layer, sentence) in layers.items():
        mixed = perceptron(here / "mixed.mlir", layer=layer)
        ends(name, 2, [dlc, "train", mixed, *data, *SGD, "--steps=3"],
             "ranks cannot share a training step of this model.*" + sentence)
    ends("a search for the rate", 2, [*plain, "--find-lr"], "--find-lr needs one process")
    ends("L-BFGS", 2, [dlc, "train", program, *data, "--optimizer=lbfgs", "--steps=3"], "--optimizer=lbfgs asks for the loss")
    # One process needs nothing of MPI.
    if run(1, [*plain, "--quiet"], {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"}).returncode != 0:
        fail("one process, as mpirun -np 1 starts it, does not train")
    for variables, sentence in (({"OMPI_COMM_WORLD_SIZE": "2x", "OMPI_COMM_WORLD_RANK": "0"},
                                 "OMPI_COMM_WORLD_SIZE in the environment is '2x'"),
                                ({"PMI_SIZE": "2", "PMI_RANK": "2"}, "PMI_RANK in the environment is '2': .*from 0 to 1"),
                                ({"SLURM_STEP_NUM_TASKS": "0", "SLURM_PROCID": "0"}, "SLURM_STEP_NUM_TASKS .*'0'"),
                                ({"WORLD_SIZE": "2", "RANK": "1"}, "torchrun"),
                                ({"PMI_SIZE": "2", "PMI_RANK": "1"}, "the launcher says that this is rank 1 of 2")):
        ends(str(variables), 1, plain, sentence, variables=variables)
    done = run(1, [*plain, "--launch=2"])
    if done.returncode != 0 or done.stdout.count("epoch 1: loss") != 1:
        fail(f"--launch=2:\n{done.stdout}{done.stderr}")


def killed():
    here = pathlib.Path()
    data = write_data(here / "data")
    program = perceptron(here / "p.mlir")
    for name, number, variables in (("kill", signal.SIGKILL, {}), ("stop", signal.SIGSTOP, {"DLC_COLLECTIVE_SECONDS": "3"})):
        folder = here / name
        shutil.rmtree(folder, ignore_errors=True)
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "2", dlc, "train", program,
                   *data, *SGD, "--steps=100000000", "--save-every=1", "-o", folder, "--quiet"]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, **ANYWHERE, **variables})
        limit = time.monotonic() + 120
        while not (folder / "last.safetensors").exists() and time.monotonic() < limit:
            time.sleep(0.1)
        time.sleep(0.5)
        victim = next(pid for pid in children(process.pid) if
                      b"OMPI_COMM_WORLD_RANK=1\0" in pathlib.Path(f"/proc/{pid}/environ").read_bytes())
        os.kill(victim, number)
        began = time.monotonic()
        try:
            errors = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            fail(f"{name}: the other rank goes on for a minute")
        if re.search(r"rank \d of \d: rank \d of", errors):
            fail(f"{name}: a rank says twice which one it is:\n{errors}")
        # Between weights and gradients nobody asks for a rank by its number.
        said = ("rank 1 has not answered for 3 s", "a sum over all ranks is not done after 3 s")
        if number == signal.SIGSTOP and not any(sentence in errors for sentence in said):
            fail(f"{name}: no sentence says that a rank stopped:\n{errors}")
        if process.returncode == 0 or (number == signal.SIGKILL and "rank 1" not in errors):
            fail(f"{name}: exit code {process.returncode}, expected rank 1 to be named:\n{errors}")
        print(f"{name}: ended after {time.monotonic() - began:.1f} s")
        tensors(folder / "last.safetensors")
        train(1, program, folder, *data, *SGD, "--save-every=1", "--resume",
              f"--steps={json.loads((folder / 'progress.json').read_text())['checkpoints'][0]['step'] + 2}")
    folder = here / "interrupted"  # Ctrl-C in a terminal: all of a group of processes get it
    shutil.rmtree(folder, ignore_errors=True)
    process = subprocess.Popen([str(word) for word in [dlc, "train", program, *data, *SGD, "--steps=100000000",
                                                       "--save-every=1", "-o", folder, "--launch=2"]],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, **ANYWHERE})
    limit = time.monotonic() + 120
    while not (folder / "last.safetensors").exists() and time.monotonic() < limit:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    told, errors = process.communicate(timeout=60)
    if process.returncode != 130 or told.count("stopped after step") != 1 or not told.endswith("--resume --launch=2\n"):
        fail(f"Ctrl-C with --launch: exit code {process.returncode}\n{told[-500:]}{errors}")


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *children(int(child))]
    return found


def main(tests):
    global dlc, models
    what, dlc, models = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    if not shutil.which("mpirun") or not (dlc.parent.parent / "lib/libdlc-mpi.so").exists():
        print("skipped: needs mpirun, and dlc built with DLC_MPI")
        sys.exit(0)
    sys.path.append(str(models))  # write_model.py
    tests[what]()


if __name__ == "__main__":
    main({"bits": bits, "uneven": uneven, "resume": resume, "refused": refused, "killed": killed})
