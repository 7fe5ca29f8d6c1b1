# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model with dlc's command and calls its functions, with Python's standard library alone."""
import ctypes
import json
import math
import pathlib
import re
import subprocess

TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
         "bool": ctypes.c_uint8}


class CreateOptions(ctypes.Structure):
    """dlc_create_options of dlc/runtime.h."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("weights_path", ctypes.c_char_p), ("seed", ctypes.c_uint64),
                ("use_seed", ctypes.c_int32), ("threads", ctypes.c_int32), ("arena", ctypes.c_void_p),
                ("arena_bytes", ctypes.c_size_t), ("check_finite", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("error", ctypes.c_char_p), ("error_bytes", ctypes.c_size_t)]


class Refused(Exception):
    """dlc reported an error; its text."""


def compile_model(dlc, model, folder, options):
    """What dlc printed: remarks and warnings. Raises Refused where it reports an error and ends with 1."""
    command = [dlc, "compile", str(model), "-o", str(folder), "--name=model", "--emit=shared",
               "--embed-weights", "-j1", *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if result.returncode == 1 and "error: " in result.stderr:
        raise Refused(result.stderr)
    if result.returncode != 0:
        raise RuntimeError(f"dlc compile: exit status {result.returncode}: {result.stderr[-2000:]}")
    return result.stderr


class Model:
    """A model that --emit=shared --name=model wrote to `folder`."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.description = json.loads((folder / "model.json").read_text())
        header = (folder / "model.h").read_text()
        constant = lambda name: int(re.search(rf"#define MODEL_{name} (0x[0-9a-f]+|\d+)", header)[1], 0)
        self.library = ctypes.CDLL(str(folder / "libmodel.so"))
        self.library.model_last_error.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(1000)
        options = CreateOptions(struct_size=ctypes.sizeof(CreateOptions), threads=1,
                                error=ctypes.cast(message, ctypes.c_char_p), error_bytes=1000)
        status = self.library.model_create_checked(
            ctypes.c_uint32(constant("ABI_VERSION")), ctypes.c_uint64(constant("FINGERPRINT")),
            ctypes.byref(options), ctypes.byref(self.handle))
        if status:
            raise RuntimeError(f"create: status {status}: {message.value.decode()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.model_destroy(self.handle)

    def check(self, status, what):
        if status:
            raise RuntimeError(f"{what}: status {status}: {self.library.model_last_error(self.handle).decode()}")

    def shape(self, tensor):
        return [self.description["batch"] if size == "batch" else size for size in tensor["shape"]]

    def declared(self, which, role):
        return [t for t in self.description[which] if t.get("role", t.get("target")) == role]

    def arrays(self, tensors, values):
        """C arrays of lists of numbers, as the declared tensors want them."""
        made = []
        for tensor, numbers in zip(tensors, values):
            count = math.prod(self.shape(tensor))
            if count != len(numbers):
                raise RuntimeError(f"'{tensor['name']}' has {count} elements, the reference {len(numbers)}")
            made.append((TYPES[tensor["dtype"]] * count)(*numbers))
        return made

    def step(self, name, values):
        """grad_step or train_step on the inputs and then the targets; the loss."""
        if len(self.description["inputs"]) != len(values):
            raise RuntimeError(f"{len(self.description['inputs'])} inputs, the reference has {len(values)}")
        loss = ctypes.c_float()
        function = getattr(self.library, f"model_{name}")
        self.check(function(self.handle, *self.arrays(self.description["inputs"], values), ctypes.byref(loss)),
                   name)
        return loss.value

    def predict(self, values):
        """The outputs, as lists of numbers, of a full batch of inputs."""
        inputs, outputs = self.declared("inputs", False), self.declared("outputs", "prediction")
        results = [(TYPES[t["dtype"]] * math.prod(self.shape(t)))() for t in outputs]
        self.check(self.library.model_predict(self.handle, ctypes.c_int64(self.description.get("batch", 1)),
                                              *self.arrays(inputs, values), *results), "predict")
        return [list(result) for result in results]

    def read(self, what, parameter):
        """parameter_read or gradient_read: the elements in logical order."""
        tensor = next(t for t in self.description["state"] if t["name"] == parameter)
        result = (TYPES[tensor["dtype"]] * math.prod(tensor["shape"]))()
        function = getattr(self.library, f"model_{what}")
        self.check(function(self.handle, parameter.encode(), result, ctypes.c_size_t(ctypes.sizeof(result))),
                   f"{what} of '{parameter}'")
        return list(result)

    def trained(self):
        """{name: shape} of the trainable parameters."""
        return {t["name"]: t["shape"] for t in self.description["state"]
                if t["kind"] == "parameter" and t.get("trainable")}
