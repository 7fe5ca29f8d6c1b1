# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learning rates as functions of the step, from 0: those of dlc/schedules.h, with PyTorch's formulas.

    rate = dlc.schedules.cosine(1e-3, steps=10_000, warm_up=500)
    step.follow(rate)                   # before each update; or: step.lr = rate(step.step_count)

They depend on the count of steps alone, which save and load keep, so that training which goes on has the same rates.
"""
from __future__ import annotations

import math
from typing import Callable, Sequence

Schedule = Callable[[int], float]


def _least(value: int, least: int, what: str) -> int:
    if value < least:
        raise ValueError(f"{what}: expected a number of at least {least}, got {value}")
    return value


def _warmed(schedule: Schedule, warm_up: int) -> Schedule:
    """The same, whose first `warm_up` steps rise in a straight line: the first one moves already. The schedule counts from
    the first step, not from the end of the warm-up."""
    _least(warm_up, 0, "warm_up")
    return lambda step: schedule(step) * min(1.0, (step + 1) / warm_up) if warm_up else schedule(step)


def constant(base: float, *, warm_up: int = 0) -> Schedule:
    """The same rate in all steps."""
    return _warmed(lambda step: base, warm_up)


def step(base: float, *, size: int, gamma: float = 0.1, warm_up: int = 0) -> Schedule:
    """base * gamma^(step / size), rounded down (StepLR)."""
    _least(size, 1, "size")
    return _warmed(lambda number: base * gamma ** (number // size), warm_up)


def multi_step(base: float, *, milestones: Sequence[int], gamma: float = 0.1, warm_up: int = 0) -> Schedule:
    """base * gamma^(number of milestones that are not above the step) (MultiStepLR)."""
    places = sorted(milestones)
    return _warmed(lambda number: base * gamma ** sum(place <= number for place in places), warm_up)


def exponential(base: float, *, gamma: float, warm_up: int = 0) -> Schedule:
    """base * gamma^step (ExponentialLR)."""
    return _warmed(lambda number: base * gamma ** number, warm_up)


def linear(base: float, *, steps: int, first: float = 1.0, last: float = 0.0, warm_up: int = 0) -> Schedule:
    """From base * first to base * last in a straight line, then base * last (LinearLR)."""
    _least(steps, 1, "steps")
    return _warmed(lambda number: base * (first + (last - first) * min(number, steps) / steps), warm_up)


def polynomial(base: float, *, steps: int, power: float = 1.0, warm_up: int = 0) -> Schedule:
    """base * (1 - step / steps)^power, then 0 (PolynomialLR)."""
    _least(steps, 1, "steps")
    return _warmed(lambda number: base * (1 - min(number, steps) / steps) ** power, warm_up)


def cosine(base: float, *, steps: int, least: float = 0.0, warm_up: int = 0) -> Schedule:
    """Down to `least` at `steps` by half a cosine (CosineAnnealingLR), where it stays."""
    _least(steps, 1, "steps")
    return _warmed(lambda number: least + (base - least) * (1 + math.cos(math.pi * min(number, steps) / steps)) / 2, warm_up)
