# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metrics over the batches of a data set, with the names and calls of torchmetrics and the definitions of scikit-learn. They are
computed by dlc/metrics.h, in double precision. A step counts loss and accuracy itself: step.evaluate.

    f1 = dlc.metrics.F1Score(num_classes=10)
    for x, y in batches:
        f1.update(step.predict(x), y)
    print(f1.compute())

Scores are float32 [rows, classes], as predict gives them, and labels int64 [rows]; labels that are no class, such as -100, do not
count. A metric of nothing is NaN.
"""
from __future__ import annotations

from ctypes import addressof, c_double
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from . import _runtime
from ._arrays import shape_text, to_numpy
from .errors import ArrayTypeError, ArrayValueError


def _array(value: Any, name: str, dtype: Any, rank: Optional[int]) -> np.ndarray:
    array = to_numpy(value, name)
    if array.dtype != dtype:
        raise ArrayTypeError(f"{name}: expected {np.dtype(dtype).name}, got {array.dtype.name}; convert it with "
                             f"x.astype('{np.dtype(dtype).name}')")
    if rank is not None and array.ndim != rank:
        raise ArrayValueError(f"{name}: expected {rank} axes, got the shape {shape_text(array.shape)}")
    return np.require(array, requirements=["C", "A"])


def _same_rows(preds: np.ndarray, target: np.ndarray, whole: bool) -> None:
    if (preds.shape if whole else preds.shape[:1]) != target.shape:
        raise ArrayValueError(f"target: expected {'the shape' if whole else 'a label for each row'} of preds, "
                              f"{shape_text(preds.shape)}; got {shape_text(target.shape)}")


def _whole(value: int, least: int, what: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise ValueError(f"{what}: expected a whole number of at least {least}, got {value!r}")
    return value.__index__()


class Metric:
    """update adds a batch, compute gives the value of all, reset begins anew; a call does update, and gives the value of its batch
    alone."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        raise NotImplementedError

    def update(self, preds: Any, target: Any) -> None:
        raise NotImplementedError

    def compute(self) -> Any:
        raise NotImplementedError

    def __call__(self, preds: Any, target: Any) -> Any:
        kept = dict(vars(self))
        self.reset()
        try:
            self.update(preds, target)
            value = self.compute()
        finally:
            vars(self).update(kept)
        self.update(preds, target)
        return value


class Accuracy(Metric):
    """The share of rows whose label is among the `top_k` largest scores."""

    def __init__(self, top_k: int = 1):
        self.top_k = _whole(top_k, 1, "top_k")
        super().__init__()

    def reset(self) -> None:
        self._correct, self._rows = 0, 0

    def update(self, preds: Any, target: Any) -> None:
        scores, labels = _array(preds, "preds", np.float32, 2), _array(target, "target", np.int64, 1)
        _same_rows(scores, labels, whole=False)
        rows = int(((labels >= 0) & (labels < scores.shape[1])).sum())
        if rows:
            share = _runtime.function("top_k_accuracy")(scores.ctypes.data, labels.ctypes.data, *scores.shape, self.top_k)
            self._correct, self._rows = self._correct + round(share * rows), self._rows + rows

    def compute(self) -> float:
        return self._correct / self._rows if self._rows else float("nan")


class ConfusionMatrix(Metric):
    """How many rows of each class (the first axis) were predicted to be of each class. With two classes, preds may have one score
    for each row: above `threshold` (0.5 for probabilities, 0 for logits) it is of class 1."""

    def __init__(self, num_classes: int, threshold: float = 0.5):
        self.num_classes, self.threshold = _whole(num_classes, 2, "num_classes"), float(threshold)
        super().__init__()

    def reset(self) -> None:
        self._matrix = np.zeros((self.num_classes, self.num_classes), np.int64)

    def update(self, preds: Any, target: Any) -> None:
        scores, labels = _array(preds, "preds", np.float32, None), _array(target, "target", np.int64, 1)
        matrix = self._matrix.copy()
        if scores.ndim == 1 and self.num_classes == 2:
            _same_rows(scores, labels, whole=True)
            _runtime.function("confusion_add_binary")(matrix.ctypes.data, scores.ctypes.data, labels.ctypes.data, len(labels),
                                                      self.threshold)
        else:
            if scores.ndim != 2 or scores.shape[1] != self.num_classes:
                raise ArrayValueError(f"preds: expected float32 [rows, {self.num_classes}], got {shape_text(scores.shape)}")
            _same_rows(scores, labels, whole=False)
            _runtime.function("confusion_add")(matrix.ctypes.data, scores.ctypes.data, labels.ctypes.data, *scores.shape)
        self._matrix = matrix

    def compute(self) -> Any:
        return self._matrix.copy()

    def _of(self, which: Optional[int]) -> _runtime.ClassReport:
        if which is None:
            return _runtime.function("report_mean")(self._matrix.ctypes.data, self.num_classes)
        return _runtime.function("report_class")(self._matrix.ctypes.data, self.num_classes, which)


class _OfClasses(ConfusionMatrix):
    """average="macro": the mean over the classes that were predicted or are there; "none": an array with each class's; "binary": of
    class 1 of two."""

    _field = ""

    def __init__(self, num_classes: int, average: str = "macro", threshold: float = 0.5):
        if average not in ("macro", "none", "binary") or (average == "binary" and num_classes != 2):
            raise ValueError(f"average: expected 'macro', 'none' or, of two classes, 'binary'; got {average!r}")
        self.average = average
        super().__init__(num_classes, threshold)

    def compute(self) -> Union[float, np.ndarray]:
        if self.average == "none":
            return np.array([getattr(self._of(which), self._field) for which in range(self.num_classes)])
        return getattr(self._of(1 if self.average == "binary" else None), self._field)


class Precision(_OfClasses):
    """Rows of the class, of those that were predicted to be."""

    _field = "precision"


class Recall(_OfClasses):
    """Rows that were predicted to be of the class, of those that are."""

    _field = "recall"


class F1Score(_OfClasses):
    """2 precision recall / (precision + recall)."""

    _field = "f1"


class _OfAll(Metric):
    """What needs all rows at once keeps them."""

    def reset(self) -> None:
        self._kept: List[Tuple[np.ndarray, np.ndarray]] = []

    def _all(self) -> Tuple[np.ndarray, np.ndarray]:
        self._kept = [(np.concatenate([preds for preds, _ in self._kept]), np.concatenate([target for _, target in self._kept]))]
        return self._kept[0]

    def _keep(self, preds: Any, target: Any, dtype: Any) -> None:
        mine, theirs = _array(preds, "preds", np.float32, None), _array(target, "target", dtype, None)
        _same_rows(mine, theirs, whole=True)
        self._kept = [*self._kept, (mine.reshape(-1).copy(), theirs.reshape(-1).copy())]


class AUROC(_OfAll):
    """The chance that a row with label 1 has a larger score than one with label 0; scores are float32 [rows]."""

    def update(self, preds: Any, target: Any) -> None:
        self._keep(preds, target, np.int64)

    def compute(self) -> float:
        area = c_double(float("nan"))
        if self._kept:
            scores, labels = self._all()
            _runtime.check(_runtime.function("auc")(scores.ctypes.data, labels.ctypes.data, len(labels), addressof(area)),
                           "AUROC: a score is NaN")
        return area.value


class R2Score(_OfAll):
    """1 - the sum of squares of what is off, by that of what is off the mean."""

    def update(self, preds: Any, target: Any) -> None:
        self._keep(preds, target, np.float32)

    def compute(self) -> float:
        if not self._kept:
            return float("nan")
        preds, target = self._all()
        return _runtime.function("r2")(preds.ctypes.data, target.ctypes.data, len(preds))


class MeanAbsoluteError(Metric):
    """The mean of |prediction - target|."""

    def reset(self) -> None:
        self._sum, self._count = 0.0, 0

    def update(self, preds: Any, target: Any) -> None:
        mine, theirs = _array(preds, "preds", np.float32, None), _array(target, "target", np.float32, None)
        _same_rows(mine, theirs, whole=True)
        if mine.size:
            mean = _runtime.function("mean_absolute_error")(mine.ctypes.data, theirs.ctypes.data, mine.size)
            self._sum, self._count = self._sum + mean * mine.size, self._count + mine.size

    def compute(self) -> float:
        return self._sum / self._count if self._count else float("nan")
