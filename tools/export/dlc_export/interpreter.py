# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who runs a file: dlc's interpreter, which computes in double precision with plain loops, or ONNX Runtime."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time

import torch

DTYPES = {"F64": torch.float64, "F32": torch.float32, "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8,
          "BOOL": torch.bool}


LARGEST = 1 << 28  # bytes of a model's numbers: as a text, and in double precision, they become many more


class NotRun(Exception):
    """Why a file was not run, as the end of a sentence."""


def write_tensors(path, tensors):
    """A safetensors file."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        dtype = next(key for key, value in DTYPES.items() if value == tensor.dtype)
        content = tensor.detach().cpu().contiguous().numpy().tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_tensors(path):
    content = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header, data = json.loads(content[8:8 + size]), content[8 + size:]
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]]) if end > begin \
                else torch.zeros(0, dtype=DTYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


class Interpreter:
    """dlc compile as far as the stage backward or forward, and dlc-interpret."""

    name, trains = "dlc's interpreter in double precision", True

    def __init__(self, dlc, interpreter, seconds, options=()):
        self.dlc, self.interpreter, self.seconds, self.options = dlc, interpreter, seconds, list(options)
        self.deadline = None

    def begin(self):
        self.deadline = time.monotonic() + self.seconds
        return self

    def call(self, command, **options):
        left = self.deadline - time.monotonic()
        try:
            return subprocess.run([str(part) for part in command], timeout=max(left, 0.1), stderr=subprocess.PIPE,
                                  **options)
        except subprocess.TimeoutExpired:
            raise NotRun(f"{self.seconds:g} seconds were not enough for the interpreter; give a smaller example, or "
                         "more of them (--compare-seconds)") from None

    def program(self, model, stage, loss, folder, options=()):
        """The text of the model as a program of that stage."""
        if model.bytes > LARGEST:
            raise NotRun(f"its parameters have {model.bytes >> 20} MiB, of which the interpreter takes {LARGEST >> 20}; compare the "
                         "same module with fewer layers or smaller ones")
        file, text = model.save(folder), folder / f"{stage}.mlir"
        wanted = ["--loss=output", f"--prediction={model.name_of(loss)}"] if loss else []
        with open(text, "wb") as stream:
            done = self.call([self.dlc, "compile", file, f"--emit={stage}", "--name=model", "-q", *wanted,
                              *self.options, *options], stdout=stream)
        if done.returncode:
            errors = [line for line in done.stderr.decode(errors="replace").splitlines() if "error: " in line]
            reason = errors[0].split("error: ", 1)[-1] if errors else f"exit status {done.returncode}"
            raise NotRun(f"dlc does not compile the file: {reason}")
        return text

    def run(self, model, function, steps, loss=None, stage="backward", options=()):
        """(outputs, states) after the last of the steps, of each of which `steps` has the inputs: tensors by name."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            text = self.program(model, stage, loss, folder, options)
            states = []
            for inputs in steps:
                self.step(text, function, inputs, folder, states)
                states = [f"--state={folder / 'states'}"]
            return read_tensors(folder / "outputs"), read_tensors(folder / "states")

    def step(self, text, function, inputs, folder, states):
        write_tensors(folder / "inputs", inputs)
        with open(text, encoding="utf-8") as lines:
            declared = [line for line in lines if line.lstrip().startswith("train.input ")]
        given = [f"--input={name}={folder / 'inputs'}" for name in inputs
                 if any(f"@{name} " in line or f'@"{name}" ' in line for line in declared)]
        done = self.call([self.interpreter, text, f"--function={function}", *given, *states,
                          f"--write-outputs={folder / 'outputs'}", f"--write-state={folder / 'states'}"],
                         stdout=subprocess.DEVNULL)
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines() or ["an unknown error"]
            raise NotRun("dlc's interpreter does not run the file: " + lines[0].split("error: ", 1)[-1])


class OnnxRuntime:
    """Predictions alone: it does not train."""

    name, trains = "ONNX Runtime, which does not train: install dlc to compare gradients", False

    def begin(self):
        return self

    def run(self, model, function, steps, loss=None, stage="", options=()):
        import onnxruntime

        inputs = steps[-1]

        silent = onnxruntime.SessionOptions()
        silent.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(model.model.SerializeToString(), silent, ["CPUExecutionProvider"])
            read = {value.name for value in session.get_inputs()}
            names = [value.name for value in session.get_outputs()]
            values = session.run(None, {key: value.numpy() for key, value in inputs.items() if key in read})
        except Exception as error:  # it has many classes of them
            raise NotRun(f"ONNX Runtime does not run the file: {str(error).splitlines()[0]}") from None
        return {name: torch.from_numpy(value.copy()) for name, value in zip(names, values)}, {}


def program_beside(dlc):
    """dlc-interpret in dlc's folder, or on PATH; None where it is not there."""
    beside = pathlib.Path(dlc).resolve().parent / "dlc-interpret"
    return beside if os.access(beside, os.X_OK) else shutil.which("dlc-interpret")


def find_dlc(given):
    """The program dlc: the given one (a program, or a folder that has it), that of this project's build or
    installation, or the one on PATH; None without any."""
    if given:
        path = pathlib.Path(given)
        path = path / "dlc" if path.is_dir() else path
        if not os.access(path, os.X_OK):
            raise ValueError(f"--dlc: '{given}' is no program")
        return path
    here = pathlib.Path(__file__).resolve().parents[1]
    for path in here.parents[1] / "build" / "bin" / "dlc", here.parents[1] / "bin" / "dlc":
        if os.access(path, os.X_OK):
            return path
    return shutil.which("dlc")


def find_runner(given=None, seconds=300, options=()):
    """What runs files here; None without anything."""
    dlc = find_dlc(given)
    interpreter = program_beside(dlc) if dlc else None
    if interpreter:
        return Interpreter(dlc, interpreter, seconds, options)
    if given:
        raise ValueError(f"--dlc: there is no dlc-interpret beside '{given}'; it comes with dlc: build or install both")
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        return None
    return OnnxRuntime()
