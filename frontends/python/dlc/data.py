# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches that are ready when a step wants them.

    for x, y in dlc.data.DataLoader((images, labels), batch_size=64, shuffle=True):
        step(x, y)                      # meanwhile a thread of C gathers the next ones
    for x, y in dlc.data.prefetch(batches):
        step(x, y)                      # the same for batches that Python makes
"""
from __future__ import annotations

import ctypes
import os
import queue
import threading
import weakref
from ctypes import addressof, c_int64, c_void_p
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar

import numpy as np

from . import _runtime
from ._arrays import to_numpy
from .errors import ArrayTypeError, ArrayValueError, ForkError, UnavailableError

T = TypeVar("T")


def _described(array: np.ndarray) -> _runtime.Array:
    shape = (c_int64 * 8)(*array.shape)
    return _runtime.Array(_runtime.DTYPES[array.dtype.name], array.ndim, shape, array.nbytes, array.ctypes.data)


def _held(value: Any, name: str) -> np.ndarray:
    array = to_numpy(value, name)
    if array.dtype.name not in _runtime.DTYPES or not array.dtype.isnative:
        raise ArrayTypeError(f"{name}: expected an array of {', '.join(_runtime.DTYPES)}, got {array.dtype}; convert it first")
    if not 1 <= array.ndim <= 8:
        raise ArrayValueError(f"{name}: expected 1 to 8 axes, of which the first counts the samples; got {array.ndim}")
    return np.require(array, requirements=["C", "A"])


def _whole(value: Any, what: str, least: int, most: int) -> int:
    number = value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else least - 1
    if not least <= number <= most:
        raise ValueError(f"{what}: expected a whole number from {least} to {most}, got {value!r}")
    return number


class DataLoader:
    """Batches of arrays whose first axes count the same samples: an iteration is an epoch. Its order follows from `seed` and the
    number of the epoch alone, not from the threads. Arrays are read where they are, and must not change meanwhile.

    dataset      an array, or a tuple of them: of NumPy, or with __dlpack__
    batch_size   rows; the last batch of an epoch has fewer, or is left out (drop_last)
    shuffle      another order in each epoch
    num_workers  threads (of C, without Python's lock) that gather ahead; 0: gathered when they are asked for
    prefetch     batches ahead; by default two for each thread
    seed         of the order and of random changes
    samples      numbers of those that an epoch has, for example a part for training
    weights      one for each sample of an epoch: drawn again and again in proportion to them (needs shuffle)
    random_crop  pixels by which images move at most, and mirror: whether half of them are mirrored, anew in each epoch. Images are
                 the array number `images`, float32 [samples, channels, height, width]; what comes in from beyond the border is
                 `fill`, a number for each channel, 0 without one
    rank, ranks  which of so many processes this is, from 0: each batch of `batch_size` rows, the same in all of them, is cut into a
                 part for each. Of a last batch of fewer rows than processes, some have arrays without rows
    """

    def __init__(self, dataset: Any, batch_size: int = 1, shuffle: bool = False, *, drop_last: bool = False, num_workers: int = 1,
                 prefetch: int = 0, seed: int = 0, samples: Optional[Sequence[int]] = None,
                 weights: Optional[Sequence[float]] = None, random_crop: int = 0, mirror: bool = False, images: int = 0,
                 fill: Optional[Sequence[float]] = None, rank: int = 0, ranks: int = 1):
        arrays = list(dataset) if isinstance(dataset, (tuple, list)) else [dataset]
        self._arrays = [_held(array, f"array {number}") for number, array in enumerate(arrays)]
        self.batch_size, self.epoch = _whole(batch_size, "batch_size", 1, 1 << 40), 0
        self._is_single, self._running, self._process = not isinstance(dataset, (tuple, list)), 0, os.getpid()
        changes = _whole(images, "images", 0, 63), _whole(random_crop, "random_crop", 0, 1 << 20), int(bool(mirror)), fill
        self._create(int(bool(shuffle)), int(bool(drop_last)), _whole(num_workers, "num_workers", 0, 256),
                     _whole(prefetch, "prefetch", 0, 65536), _whole(seed, "seed", 0, (1 << 64) - 1), samples, weights, changes,
                     _whole(ranks, "ranks", 1, (1 << 31) - 1), _whole(rank, "rank", 0, ranks - 1))

    def _create(self, shuffle: int, drop_last: int, threads: int, prefetch: int, seed: int, samples: Any, weights: Any,
                changes: Tuple[int, int, int, Any], ranks: int, rank: int) -> None:
        described = [_described(array) for array in self._arrays]
        pointers = (c_void_p * len(described))(*[addressof(each) for each in described])
        error = _runtime.error_buffer()
        options = _runtime.LoaderOptions(struct_size=ctypes.sizeof(_runtime.LoaderOptions), batch=self.batch_size, seed=seed,
                                         shuffle=shuffle, drop_last=drop_last, threads=threads, prefetch=prefetch,
                                         error=addressof(error), error_bytes=_runtime.ERROR_BYTES, rank=rank, ranks=ranks)
        kept = []  # until create has read them
        if samples is not None:
            numbers = np.asarray(samples)
            if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
                raise ArrayTypeError(f"samples: expected a list of whole numbers, got {numbers.dtype} {list(numbers.shape)}")
            kept.append(np.ascontiguousarray(numbers, np.int64))
            options.samples, options.sample_count = kept[-1].ctypes.data, len(kept[-1])
        if weights is not None:
            kept.append(np.ascontiguousarray(weights, np.float64))
            count = len(self._arrays[0]) if samples is None else options.sample_count
            if kept[-1].shape != (count,):
                raise ArrayValueError(f"weights: expected one for each of the {count} samples of an epoch, got the shape "
                                      f"{list(kept[-1].shape)}")
            options.weights = kept[-1].ctypes.data
        if changes[1] or changes[2]:
            options.augmentation = ctypes.pointer(self._changes(kept, *changes))
        handle = c_void_p()
        status = _runtime.function("loader_create")(addressof(pointers), len(described), addressof(options), addressof(handle))
        _runtime.check(status, "the loader", error)
        self._handle = handle
        weakref.finalize(self, _destroy, _runtime.function("loader_destroy"), handle, self._arrays, self._process)

    def _changes(self, kept: List[np.ndarray], images: int, padding: int, mirror: int, fill: Any) -> _runtime.Augmentation:
        place = None
        if fill is not None:
            kept.append(np.ascontiguousarray(fill, np.float32))
            array = self._arrays[images] if 0 <= images < len(self._arrays) else None
            channels = 1 if array is None or array.ndim < 4 else array.shape[1]
            if kept[-1].shape != (channels,):
                raise ArrayValueError(f"fill: expected a number for each of the {channels} channels, got the shape "
                                      f"{list(kept[-1].shape)}")
            place = kept[-1].ctypes.data
        return _runtime.Augmentation(images, padding, mirror, 0, place)

    def __len__(self) -> int:
        """Batches of an epoch."""
        return _runtime.function("loader_batches")(self._handle)

    def __iter__(self) -> Iterator[Any]:
        """The batches of the next epoch, `epoch`, which may be set before. One iteration at a time: a second one ends the first."""
        return self.batches(0)

    def batches(self, first: int) -> Iterator[Any]:
        """Those of the next epoch from this one on: how training goes on in the middle of an epoch."""
        if self._process != os.getpid():
            raise ForkError(f"the loader belongs to process {self._process}, of which this one is a fork, and its threads are not here: "
                            "make it in the child")
        _whole(first, "the first batch", 0, len(self))
        _whole(self.epoch, "epoch", 0, (1 << 62))
        self._running += 1
        epoch, self.epoch = self.epoch, self.epoch + 1
        _runtime.check(_runtime.function("loader_start_at")(self._handle, epoch, first), "the loader")
        return self._epoch(self._running)

    def _epoch(self, number: int) -> Iterator[Any]:
        rows, places = c_int64(), (c_void_p * len(self._arrays))()
        while True:
            if number != self._running:
                raise UnavailableError("the loader has begun another epoch since: it has one at a time")
            _runtime.check(_runtime.function("loader_next")(self._handle, addressof(rows), addressof(places)), "the loader")
            if not places[0]:
                return
            # Copies: the loader's own memory becomes another batch.
            batch = tuple(self._copied(array, place, rows.value) for array, place in zip(self._arrays, places))
            yield batch[0] if self._is_single else batch

    @staticmethod
    def _copied(array: np.ndarray, place: int, rows: int) -> np.ndarray:
        result = np.empty((rows, *array.shape[1:]), array.dtype)
        ctypes.memmove(result.ctypes.data, place, result.nbytes)
        return result


def _destroy(destroy: Any, handle: c_void_p, arrays: List[np.ndarray], process: int) -> None:
    """The arrays live as long as the threads that read them, of which a fork has none."""
    if process == os.getpid():
        destroy(handle)
    del arrays[:]


def prefetch(batches: Iterable[T], ahead: int = 2) -> Iterator[T]:
    """The same items, which a thread takes up to `ahead` of them before they are asked for: while a step runs, which gives up Python's
    lock. What the iterable raises is raised where its item would have come. The thread ends with the iteration, also with one that is
    left early."""
    if isinstance(ahead, bool) or not isinstance(ahead, int) or ahead < 1:
        raise ValueError(f"ahead: expected a number of batches of at least 1, got {ahead!r}")
    return _prefetched(iter(batches), ahead)


_END = object()


def _prefetched(batches: Iterator[T], ahead: int) -> Iterator[T]:
    items: "queue.Queue[Tuple[Any, Optional[BaseException]]]" = queue.Queue()
    free, ends = threading.Semaphore(ahead), threading.Event()

    def work() -> None:
        item, error = None, None
        while error is None and item is not _END:
            free.acquire()
            if ends.is_set():
                return
            try:
                item = next(batches, _END)
            except BaseException as raised:  # whatever it is, it is the caller's
                error = raised
            items.put((item, error))

    thread = threading.Thread(target=work, name="dlc.data.prefetch", daemon=True)
    thread.start()
    try:
        while True:
            item, error = items.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
            free.release()
    finally:
        ends.set()
        free.release()
        thread.join()
