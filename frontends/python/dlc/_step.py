# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step: what a compiled model does with batches."""
from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, MutableMapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _export, _optimizer_state, _program, _torch_state
from ._arrays import Batch, is_torch, shape_text, to_numpy
from ._derivatives import Derivatives
from ._instance import Code, Instance
from ._manifest import Manifest, State
from ._names import OF_PYTORCH, Closed
from ._options import Origin
from .errors import ArrayTypeError, ArrayValueError, Error, UnavailableError, warn

Path = Union[str, "os.PathLike[str]"]
PARAMETERS = ("parameter", "buffer")


class Evaluation(NamedTuple):
    """Sums over rows; add them up over the batches of a data set."""

    loss_sum: float = 0.0
    loss_weight: float = 0.0
    correct: int = 0
    count: int = 0
    other_loss = ""  # its name where no prediction is right or wrong by it; no part of the tuple

    @property
    def loss(self) -> float:
        """The mean loss."""
        return self.loss_sum / self.loss_weight if self.loss_weight else float("nan")

    @property
    def accuracy(self) -> float:
        """The share of labels whose class has the largest score; with a binary loss, of rows on the target's side. An error
        with other losses, where they are known: of dlc.load they are not, and it is 0."""
        if self.other_loss:
            name = "that the model computes" if self.other_loss == "output" else self.other_loss
            raise UnavailableError(f"accuracy: by the loss {name} no prediction is right or wrong; loss is its mean, and "
                                   "dlc.metrics.MeanAbsoluteError and R2Score measure what predict gives")
        return self.correct / self.count if self.count else float("nan")

    def __add__(self, other):  # of NamedTuple it would be one behind the other
        return evaluation_of((mine + others for mine, others in zip(self, other)), self.other_loss or other.other_loss)


class _Undecided(Evaluation):
    """Of a loss by which no prediction is right or wrong."""

    def __repr__(self) -> str:
        return repr(Evaluation(*self))


def evaluation_of(sums: Iterable[Any], loss: str) -> Evaluation:
    """The four numbers, with a loss as dlc_compiled_loss names it; "" where none is known."""
    if loss in ("", "softmax-cross-entropy", "nll", "bce", "bce-with-logits"):
        return Evaluation(*sums)
    result = _Undecided(*sums)
    result.other_loss = loss
    return result


class Hyperparameters(Closed, Mapping[str, float]):
    """The numbers that training reads anew in each step, by the names that the manifest has."""

    _instance: Instance
    _names: List[str]

    def __init__(self, instance: Instance):
        self._instance = instance
        self._names = [state.name for state in instance.manifest.of_kind("hyperparameter")]

    def __getitem__(self, name: str) -> float:
        self._require(name)
        return self._instance.get(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._require(name)
        self._instance.set(name, float(value))

    def _require(self, name: str) -> None:
        if name not in self._names:
            raise KeyError(f"the step has no hyperparameter '{name}'; it has {', '.join(self._names) or 'none'}")

    def _proposal(self, name: str) -> str:
        return f"; numbers are set as hyperparameters['{self._names[0]}']" if self._names else "; there are none"

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Extras(MutableMapping[str, Union[float, str]]):
    """Entries of the program's own in a checkpoint: numbers and texts, such as the epoch or the best accuracy. save writes
    them, load replaces all of them by those of the file."""

    def __init__(self, instance: Instance):
        self._instance = instance

    def _require(self, name: str) -> bool:
        names = self._instance.extra_names()
        if name not in names:
            raise KeyError(f"there is no entry '{name}'; there are {', '.join(names) or 'none'}")
        return names[name]

    def __getitem__(self, name: str) -> Union[float, str]:
        return self._instance.read_extra(name, self._require(name))

    def __setitem__(self, name: str, value: Union[float, str]) -> None:
        if value is None or isinstance(value, bytes):
            raise TypeError(f"the entry '{name}': expected a number or a text, got {value!r}")
        self._instance.write_extra(name, value)

    def __delitem__(self, name: str) -> None:
        self._require(name)
        self._instance.write_extra(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._instance.extra_names())

    def __len__(self) -> int:
        return len(self._instance.extra_names())

    def __repr__(self) -> str:
        return repr(dict(self))


class _Scheduled:
    """A hook that sets a number."""

    def __init__(self, name: str, schedule: Callable[[int], float]):
        self.name, self.schedule = name, schedule

    def __call__(self, step: "Step") -> None:
        step.hyperparameters[self.name] = self.schedule(step.step_count)


class Step(Derivatives, Closed):
    """Made by dlc.compile, dlc.from_onnx and dlc.load.

    Arrays are NumPy's or any that have `__dlpack__`, such as PyTorch's tensors on the CPU: their memory is read in place.
    They have the dtype and shape that `inputs` says; those of another dtype are refused, never converted, and those that
    do not lie row by row in memory (Fortran's order, slices with steps) are copied first. A call is done whole or not at
    all, also where Ctrl-C comes in between or an exception is raised. One thread at a time may call a step.
    """

    manifest: Manifest
    instance: Instance
    hyperparameters: Hyperparameters
    extras: Extras  # what save writes beside the state
    origin: Optional[Origin]  # how it was compiled; of dlc.load nothing is known
    _code: Code
    _options: Dict[str, Any]
    _hooks: List[Any]  # called before each update
    _elsewhere = OF_PYTORCH

    def __init__(self, code: Code, manifest: Manifest, **options):
        self.manifest = manifest
        self._code, self._options = code, options
        self.instance = Instance(code, manifest, **options)
        self.hyperparameters = Hyperparameters(self.instance)
        self.extras = Extras(self.instance)
        self.origin = None
        self._hooks = []
        if self.instance.remark():
            warn(self.instance.remark(), depth=4)

    def _proposal(self, name: str) -> str:
        if name in self.hyperparameters:
            return f"; it is set as hyperparameters['{name}']"
        return super()._proposal(name)

    # ---- training

    def __call__(self, *arrays: Any, **named: Any) -> float:
        """One training step; the loss of the batch before the update."""
        return self._train("train_step", arrays, named)

    def grad(self, *arrays: Any, **named: Any) -> float:
        """Computes the gradients of a batch, without an update; returns its loss."""
        return self._train("grad_step", arrays, named)

    def accumulate(self, *arrays: Any, **named: Any) -> float:
        """Adds the gradients of a batch to those that there are; returns its loss."""
        return self._train("accumulate", arrays, named)

    def apply(self) -> None:
        """Updates the parameters by the gradients that there are. grad and then apply are a training step, bit for bit."""
        self._before_update()
        self.instance.call("apply", [])

    def _train(self, name: str, arrays: Sequence[Any], named: Dict[str, Any]) -> float:
        self._require_loss()
        batch = Batch(self.manifest, arrays, named, with_targets=True, any_rows=False)
        if name == "train_step":
            self._before_update()
        return self.instance.train(name, batch)

    def _before_update(self) -> None:
        for hook in self._hooks:
            hook(self)

    def _require_loss(self) -> None:
        if not self.manifest.trains:
            raise UnavailableError(f"the model '{self.manifest.name}' was compiled without a loss, and predicts only: compile it "
                                   "with loss=...")

    # ---- evaluation

    def evaluate(self, *arrays: Any, **named: Any) -> Evaluation:
        """The loss and how many rows are right, without training; any number of rows."""
        self._require_loss()
        batch = Batch(self.manifest, arrays, named, with_targets=True, any_rows=True)
        total = Evaluation()
        for first, rows in batch.parts():
            part = self.instance.evaluate(batch, first, rows)
            total += evaluation_of((part.loss_sum, part.loss_weight, part.correct, part.count), self._code.loss)
        return total

    def predict(self, *arrays: Any, **named: Any) -> Union[np.ndarray, Tuple[np.ndarray, ...]]:
        """The model's output, or a tuple where it has several, without training; any number of rows."""
        batch = Batch(self.manifest, arrays, named, with_targets=False, any_rows=True)
        outputs = [np.empty(batch.shape_of(tensor), tensor.dtype) for tensor in self.manifest.predictions]
        for first, rows in batch.parts():
            addresses = [array.ctypes.data + (first * array.nbytes // batch.rows if first else 0) for array in outputs]
            self.instance.predict(batch, first, rows, addresses)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    # ---- settings

    @property
    def lr(self) -> float:
        """The learning rate. Groups with a rate of their own have a factor of it."""
        self._require_loss()
        return self.instance.get("learning_rate")

    @lr.setter
    def lr(self, value: float) -> None:
        self._require_loss()
        self.instance.set("learning_rate", float(value))

    @property
    def step_count(self) -> int:
        """Updates done, those before a checkpoint was loaded among them."""
        return self.instance.step_count() if self.manifest.trains else 0

    def follow(self, schedule: Optional[Callable[[int], float]], *, momentum: Optional[Callable[[int], float]] = None,
               ema_decay: Optional[Callable[[int], float]] = None) -> None:
        """Before each update the learning rate becomes what `schedule` gives for the number of updates done, such as
        dlc.schedules.cosine(1e-3, steps=1000); None: it is set by `lr` alone again. So do the momentum (beta1 of optimizers with
        betas) and the decay of averages, where they have schedules."""
        self._require_loss()
        moved = "momentum" if "momentum" in self.hyperparameters else "beta1"
        wanted = {"learning_rate": schedule, moved: momentum, "ema_decay": ema_decay}
        for name, of in wanted.items():
            if of is not None and name not in self.hyperparameters:
                raise UnavailableError("the step keeps no moving averages: compile it with ema_decay=0.999 or another decay"
                                       if name == "ema_decay" else
                                       "momentum: the step's optimizer has none, and no betas; SGD has one that is above 0 when it is "
                                       "compiled")
        self._hooks = [hook for hook in self._hooks if not isinstance(hook, _Scheduled)]
        self._hooks += [_Scheduled(name, of) for name, of in wanted.items() if of is not None]

    def seed(self, seed: int) -> None:
        """Seeds dropout's random numbers."""
        self._require_loss()
        if not 0 <= seed < 1 << 64:
            raise ArrayValueError(f"seed: expected a number from 0 to 2^64 - 1, got {seed}")
        self.instance.set_seed(seed)

    @property
    def inputs(self) -> Dict[str, str]:
        """What a call takes, in this order: "float32 [batch, 784]" by the names of the inputs."""
        return {tensor.name: tensor.type_text() for tensor in self.manifest.inputs}

    # ---- parameters

    def _state(self, name: str, *kinds: str) -> State:
        for state in self.manifest.of_kind(*kinds):
            if state.name == name:
                return state
        known = [state.name for state in self.manifest.of_kind(*PARAMETERS)]
        raise KeyError(f"the model has no {kinds[0].replace('_', ' ')} '{name}'; it has {', '.join(known) or 'none'}")

    def _read(self, state: State, function: str = "parameter_read") -> np.ndarray:
        array = np.empty(state.shape, state.dtype)
        self.instance.read(state.name, array, function)
        return array

    def parameter(self, name: str) -> np.ndarray:
        """A copy of a parameter, a running statistic or what the optimizer keeps."""
        return self._read(self._state(name, *PARAMETERS, "optimizer_state"))

    def set_parameter(self, name: str, value: Any) -> None:
        state = self._state(name, *PARAMETERS, "optimizer_state")
        self.instance.write(name, self._checked(state, value))

    @staticmethod
    def _checked(state: State, value: Any) -> np.ndarray:
        array = to_numpy(value, f"'{state.name}'")
        if array.dtype != state.dtype:
            raise ArrayTypeError(f"'{state.name}': expected {state.dtype.name} {shape_text(state.shape)}, got {array.dtype.name} "
                                 f"{shape_text(array.shape)}; convert it with x.astype('{state.dtype.name}')")
        if array.shape != state.shape:
            raise ArrayValueError(f"'{state.name}': expected the shape {shape_text(state.shape)}, got {shape_text(array.shape)}")
        return np.require(array, requirements=["C", "A"])

    def gradient(self, name: str) -> np.ndarray:
        """The gradient of a parameter that grad and accumulate have computed."""
        return self._read(self._state(name, "parameter"), "gradient_read")

    def gradients(self) -> Dict[str, np.ndarray]:
        """Those of all trained parameters."""
        return {state.name: self._read(state, "gradient_read") for state in self.manifest.of_kind("parameter")
                if state.trainable}

    def set_gradient(self, name: str, value: Any) -> None:
        """What apply will use, for example a mean over several machines."""
        self.instance.write(name, self._checked(self._state(name, "parameter"), value), "gradient_write")

    def grad_norm(self) -> float:
        """The norm of all gradients of the last step, before they were clipped."""
        return self.instance.grad_norm()

    def step_metrics(self) -> Evaluation:
        """The sums and counts of the last step, grad or accumulate, of its own batch and before an update, as evaluate gives
        them: of the training itself, with its dropout and the statistics of the batch. Compile with step_metrics=True."""
        if not self.instance.has("step_metrics"):
            raise UnavailableError("training steps do not count what they predict right: compile with step_metrics=True")
        told = self.instance.step_metrics()
        return evaluation_of((told.loss_sum, told.loss_weight, told.correct, told.count), self._code.loss)

    @contextlib.contextmanager
    def averages(self):
        """Within the block the moving averages (ema_decay=...) stand in the places of the parameters: evaluate, predict and
        state_dict use them."""
        if not self.instance.has("use_average"):
            raise UnavailableError("the step keeps no moving averages: compile it with ema_decay=0.999 or another decay")
        self.instance.use_average(True)
        try:
            yield self
        finally:
            self.instance.use_average(False)

    def state_dict(self, *, as_torch: Optional[bool] = None) -> Dict[str, Any]:
        """Copies of all parameters and running statistics by name. Of a step that was compiled from a module of PyTorch they
        are tensors, and the names are those of the module's own state_dict; otherwise arrays of NumPy. as_torch says
        which."""
        values = {state.name: self._read(state) for state in self.manifest.of_kind(*PARAMETERS)}
        if as_torch is None:
            as_torch = self.origin is not None and self.origin.is_torch
        if not as_torch:
            return values
        return _torch_state.state_dict(self, values)

    def load_state_dict(self, values: Mapping[str, Any], strict: bool = True) -> Tuple[List[str], List[str]]:
        """Sets the parameters and running statistics; returns (missing, unexpected) names, which strict refuses. Counters
        of PyTorch named num_batches_tracked, and other names of a tied parameter, are no unexpected ones. Nothing is
        changed where something does not fit."""
        states = {state.name: state for state in self.manifest.of_kind(*PARAMETERS)}
        other_names = self.origin.other_names if self.origin is not None else set()
        missing = [name for name in states if name not in values]
        unexpected = [name for name in values
                      if name not in states and name not in other_names and not name.endswith("num_batches_tracked")]
        if strict and (missing or unexpected):
            raise ArrayValueError("the state_dict does not fit the model: " + "; ".join(
                f"{what} {', '.join(names)}" for what, names in (("missing are", missing), ("unexpected are", unexpected))
                if names) + "; strict=False takes what fits")
        checked = [(name, self._checked(state, values[name])) for name, state in states.items() if name in values]
        for name, array in checked:
            self.instance.write(name, array)
        return missing, unexpected

    def optimizer_state_dict(self, *, as_torch: Optional[bool] = None) -> Dict[str, Any]:
        """What the optimizer keeps, in the form of torch.optim's state_dict: an optimizer of PyTorch of the same kind, made of
        module.parameters(), loads it and goes on. Arrays or tensors as in state_dict."""
        self._require_loss()
        values = _optimizer_state.state_dict(self)
        if as_torch is None:
            as_torch = self.origin is not None and self.origin.is_torch
        return _optimizer_state.as_torch(values, self.manifest.optimizer) if as_torch else values

    def load_optimizer_state_dict(self, values: Mapping[str, Any]) -> None:
        """The other way: from the state_dict of an optimizer of PyTorch, or of optimizer_state_dict. Where the optimizer has
        one group, its settings (lr, betas ...) are taken, too. Nothing is changed where something does not fit."""
        self._require_loss()
        _optimizer_state.load(self, values)

    # ---- files

    def save(self, path: Path) -> None:
        """Writes everything that training goes on from to a safetensors file, whole or not at all."""
        self.instance.file("save", path)

    def save_weights(self, path: Path) -> None:
        """Writes parameters and running statistics alone, which safetensors.torch.load_file reads, too."""
        self.instance.file("save_weights", path)

    def load(self, path: Path) -> None:
        """Reads a file that save or save_weights has written; after the former, training goes on as if there had been no
        interruption."""
        self.instance.file("load", path)
        if self.instance.remark():
            warn(self.instance.remark())

    def export(self, folder: Path, *, target: Optional[str] = None, shared: bool = False, name: Optional[str] = None,
               **options: Any) -> List["pathlib.Path"]:
        """Compiles the model once more, with the same options, to files for programs in C and other languages: a library
        (shared=True: a shared one, which dlc.load takes), its header and manifest, and the parameters that the step has
        now. Returns their paths. target: for another machine, "aarch64-linux-gnu"; options: others of `dlc compile`
        (cpu="generic", batch=1, ...)."""
        values = {state.name: self._read(state) for state in self.manifest.of_kind(*PARAMETERS)}
        files = _export.files_of(self.origin, values, target, shared, name, options, depth=5)
        return _export.write(pathlib.Path(folder), files)

    # ---- what the program dlc says of it

    def profile(self, *arrays: Any, function: Optional[str] = None, threads: Optional[int] = None, steps: Optional[int] = None,
                by_node: bool = False, values: bool = False, trace: Optional[Path] = None, **named: Any) -> str:
        """Where the time of a call goes, as the table that `dlc profile` prints: each kernel's time beside the machine's limits.
        The program dlc runs a library of the same code, with a copy of what the step has now, which stays as it is.

        arrays      a batch, as in a call; without one, random numbers and valid labels
        function    "train_step" (without a loss, "predict"), "grad_step", "accumulate", "apply", "eval_step"
        threads     by default as many as the step has
        steps       calls to measure; by default a second of them
        by_node     a line for each node of the model in place of each kernel
        values      what each launch gives (least, largest, NaN) in place of its time, up to the first NaN
        trace       a file for the last ten calls, for chrome://tracing or ui.perfetto.dev
        """
        return _program.profile(self, arrays, named, function, threads, steps, by_node, values, trace)

    def report(self, path: Path = "report.html", *, log: _program.Logs = None, profile: bool = False,
               function: Optional[str] = None, threads: Optional[int] = None) -> "pathlib.Path":
        """Writes one page with pictures, as `dlc report` does: the model, what became of it, its memory, and

        log         curves of tables: one file or several, of dlc.logs.Table or `dlc train --log`
        profile     times of kernels, which are measured as in Step.profile; function and threads are of that
        """
        return _program.report(self, path, log, profile, function, threads)

    # ---- lives

    def copy(self) -> "Step":
        """Another instance of the same code, for another thread: with the parameters and all that training keeps."""
        other = Step(self._code, self.manifest, **self._options)
        other.origin = self.origin
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state.safetensors")
            save, load = ("save", "load") if self.manifest.trains else ("save_weights", "load")
            self.instance.file(save, path)
            other.instance.file(load, path)
        return other

    def __reduce__(self):
        raise TypeError("a dlc.Step holds compiled code, and cannot be pickled or copied by the module copy: save(path) and load(path) "
                        "keep what it has learned, export(folder) its code, too, and copy() makes another one")

    def close(self) -> None:
        """Gives back the memory; it is given back, too, when nobody has the step any more."""
        self.instance.close()

    def __enter__(self) -> "Step":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}: {text}" for name, text in self.inputs.items())
        return f"<dlc.Step '{self.manifest.name}' ({inputs}), {self.step_count} steps>"
