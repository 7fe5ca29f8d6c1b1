# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learning rates as functions of the step, from 0: those of dlc/schedules.h, with PyTorch's formulas.

    rate = dlc.schedules.cosine(1e-3, steps=10_000, warm_up=500)
    step.follow(rate)                   # before each update; or: step.lr = rate(step.step_count)

Some give a momentum (beta1 of Adam and its relatives), or the decay of averages, which follow beside a rate:

    step.follow(dlc.schedules.one_cycle(1e-2, steps=900), momentum=dlc.schedules.one_cycle_momentum(steps=900))

They depend on the count of steps alone, which save and load keep, so that training which goes on has the same rates.
"""
from __future__ import annotations

import math
from typing import Callable, Sequence

Schedule = Callable[[int], float]
SHAPES = ("triangular", "triangular2", "exp_range")


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


def warm_restarts(base: float, *, steps: int, factor: int = 1, least: float = 0.0, warm_up: int = 0) -> Schedule:
    """The same, but each time that `least` is near, base again: the first period has `steps` steps, each further one `factor`
    times as many (CosineAnnealingWarmRestarts)."""
    _least(steps, 1, "steps")
    _least(factor, 1, "factor")

    def rate(number: int) -> float:
        period = steps
        while number >= period:
            number, period = number - period, period * factor
        return least + (base - least) * (1 + math.cos(math.pi * number / period)) / 2
    return _warmed(rate, warm_up)


def cyclic(base: float, *, highest: float, up: int, down: int = 0, shape: str = "triangular", gamma: float = 1.0,
           warm_up: int = 0) -> Schedule:
    """From base up to `highest` in `up` steps and down again in `down`, 0: as many (CyclicLR). The shape triangular2 halves
    each cycle's height, exp_range makes it gamma^step."""
    _least(up, 1, "up")
    _least(down, 0, "down")
    if shape not in SHAPES:
        raise ValueError(f"shape: expected {', '.join(SHAPES)}, got {shape!r}")
    steps = up + (down or up)

    def rate(number: int) -> float:
        place, cycle = number % steps, number // steps
        height = place / up if place <= up else (steps - place) / (steps - up)
        scale = {"triangular": 1.0, "triangular2": 0.5 ** cycle, "exp_range": gamma ** number}[shape]
        return base + (highest - base) * height * scale
    return _warmed(rate, warm_up)


def cyclic_momentum(low: float = 0.8, high: float = 0.9, *, up: int, down: int = 0, shape: str = "triangular",
                    gamma: float = 1.0) -> Schedule:
    """A momentum that goes the other way: from `high` down to `low` and up again (cycle_momentum of CyclicLR)."""
    return cyclic(high, highest=low, up=up, down=down, shape=shape, gamma=gamma)


def _in_one_cycle(levels: Sequence[float], steps: int, rising: float, linear: bool, three_phase: bool) -> Schedule:
    """Between the first, the top and the last level."""
    _least(steps, 2, "steps")
    if not 0 <= rising <= 1:
        raise ValueError(f"rising: expected a part from 0 to 1, got {rising}")
    top, last, level = rising * steps - 1, steps - 1, 2 * rising * steps - 2

    def between(start: float, end: float, part: float) -> float:
        return (end - start) * part + start if linear else end + (start - end) / 2 * (math.cos(math.pi * part) + 1)

    def rate(number: int) -> float:
        now = min(number, last)
        if now <= top:
            return between(levels[0], levels[1], now / top) if top > 0 else levels[1]
        if not three_phase:
            return between(levels[1], levels[2], (now - top) / (last - top))
        if now <= level:
            return between(levels[1], levels[0], (now - top) / (level - top))
        return between(levels[0], levels[2], (now - level) / (last - level))
    return rate


def one_cycle(base: float, *, steps: int, rising: float = 0.3, divisor: float = 25.0, last_divisor: float = 1e4,
              linear: bool = False, three_phase: bool = False) -> Schedule:
    """Up to base, and down again (OneCycleLR, whose max_lr is base); from the last step on the rate stays."""
    first = base / divisor
    return _in_one_cycle((first, base, first / last_divisor), steps, rising, linear, three_phase)


def one_cycle_momentum(low: float = 0.85, high: float = 0.95, *, steps: int, rising: float = 0.3, linear: bool = False,
                       three_phase: bool = False) -> Schedule:
    """A momentum that is `low` where the rate is base, and `high` at both ends (cycle_momentum of OneCycleLR)."""
    return _in_one_cycle((high, low, high), steps, rising, linear, three_phase)


def multiplied(base: float, factor: Callable[[int], float], *, warm_up: int = 0) -> Schedule:
    """base * factor(step) (LambdaLR)."""
    return _warmed(lambda number: base * factor(number), warm_up)


def multiplicative(base: float, factor: Callable[[int], float], *, warm_up: int = 0) -> Schedule:
    """base * factor(1) * ... * factor(step) (MultiplicativeLR)."""
    return _warmed(lambda number: base * math.prod(factor(each) for each in range(1, number + 1)), warm_up)


def swa(base: float, *, last: float, steps: int = 10, linear: bool = False) -> Schedule:
    """From base to `last`, where it stays (SWALR)."""
    _least(steps, 0, "steps")

    def rate(number: int) -> float:
        if number >= steps:
            return last
        part = number / steps if linear else (1 - math.cos(math.pi * number / steps)) / 2
        return base + (last - base) * part
    return rate


def swa_decay(*, start: int, every: int = 1) -> Schedule:
    """The decay of averages (`ema_decay`) with which they are the means of the parameters after the steps start, start + every ...
    (AveragedModel of torch.optim.swa_utils)."""
    _least(start, 0, "start")
    _least(every, 1, "every")

    def decay(number: int) -> float:
        if number < start:
            return 0.0
        seen, rest = divmod(number - start, every)
        return 1.0 if rest else seen / (seen + 1)
    return decay


def chained(base: float, *makers: Callable[[float], Schedule]) -> Schedule:
    """Several at the same time: each takes the rate of the one before as its base (ChainedScheduler, for schedules that
    multiply)."""
    def rate(number: int) -> float:
        value = base
        for maker in makers:
            value = maker(value)(number)
        return value
    return rate


def sequential(schedules: Sequence[Schedule], milestones: Sequence[int]) -> Schedule:
    """One after the other: schedule k, from 0, begins at milestones[k - 1] with its own step 0 (SequentialLR)."""
    if len(milestones) + 1 != len(schedules) or list(milestones) != sorted(milestones):
        raise ValueError(f"milestones: expected {len(schedules) - 1} that rise, got {list(milestones)}")

    def rate(number: int) -> float:
        now = sum(place <= number for place in milestones)
        return schedules[now](number - milestones[now - 1] if now else number)
    return rate
