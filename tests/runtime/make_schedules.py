#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes schedules.inc: the learning rates that torch.optim.lr_scheduler gives, step by step.

Each line is CASE(call of dlc, rates of the steps 0, 1, ...). Needs torch; what is stored is from PyTorch 2.13.
"""
import warnings
from pathlib import Path

import torch
from torch.optim import lr_scheduler as schedules
from torch.optim.swa_utils import SWALR

warnings.simplefilter("ignore")
BASE = 0.1


def rates(make, count, base=BASE):
    """The rates of the first `count` steps; an optimizer with two parameter groups would have the same."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
    schedule, result = make(optimizer), []
    for _ in range(count):
        result.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return result


def momenta(make, count, adam):
    """What a schedule makes of the momentum of SGD, or of beta1 of Adam."""
    parameters = [torch.zeros(1, requires_grad=True)]
    optimizer = torch.optim.Adam(parameters, lr=BASE) if adam else torch.optim.SGD(parameters, lr=BASE, momentum=0.7)
    schedule, result = make(optimizer), []
    for _ in range(count):
        group = optimizer.param_groups[0]
        result.append(group["betas"][0] if adam else group["momentum"])
        optimizer.step()
        schedule.step()
    return result


def chained(*parts):
    return lambda o: schedules.ChainedScheduler([part(o) for part in parts], optimizer=o)


def sequential(milestones, *parts):
    return lambda o: schedules.SequentialLR(o, [part(o) for part in parts], milestones)


def cases():
    one = "dlc_schedule_{}(0.1, step, {})".format
    yield one("constant", "0.25, 4"), lambda o: schedules.ConstantLR(o, 0.25, 4), 8
    yield one("constant", "1.0 / 3, 1"), lambda o: schedules.ConstantLR(o, 1 / 3, 1), 4
    yield one("constant", "1, 5"), lambda o: schedules.ConstantLR(o, 1.0, 5), 8
    yield one("step", "3, 0.1"), lambda o: schedules.StepLR(o, 3, 0.1), 14
    yield one("step", "1, 0.97"), lambda o: schedules.StepLR(o, 1, 0.97), 40
    yield one("step", "7, 1.5"), lambda o: schedules.StepLR(o, 7, 1.5), 30
    yield one("multi_step", "milestones, 3, 0.2"), lambda o: schedules.MultiStepLR(o, [2, 5, 6], 0.2), 9
    yield one("multi_step", "milestones, 0, 0.2"), lambda o: schedules.MultiStepLR(o, [], 0.2), 3
    yield one("multi_step", "milestones, 1, 3"), lambda o: schedules.MultiStepLR(o, [2], 3.0), 6
    yield one("exponential", "0.9"), lambda o: schedules.ExponentialLR(o, 0.9), 60
    yield one("exponential", "1"), lambda o: schedules.ExponentialLR(o, 1.0), 5
    yield one("exponential", "0.5"), lambda o: schedules.ExponentialLR(o, 0.5), 30
    yield one("linear", "1.0 / 3, 1, 5"), lambda o: schedules.LinearLR(o, 1 / 3, 1, 5), 9
    yield one("linear", "1, 0.01, 7"), lambda o: schedules.LinearLR(o, 1, 0.01, 7), 12
    yield one("linear", "0.25, 0.75, 1"), lambda o: schedules.LinearLR(o, 0.25, 0.75, 1), 4
    yield one("polynomial", "6, 1"), lambda o: schedules.PolynomialLR(o, 6, 1.0), 9
    yield one("polynomial", "9, 2.5"), lambda o: schedules.PolynomialLR(o, 9, 2.5), 12
    yield one("polynomial", "1, 0.5"), lambda o: schedules.PolynomialLR(o, 1, 0.5), 4
    yield one("cosine", "10, 0"), lambda o: schedules.CosineAnnealingLR(o, 10), 11
    yield one("cosine", "7, 0.02"), lambda o: schedules.CosineAnnealingLR(o, 7, 0.02), 30
    yield one("cosine", "1, 0.1"), lambda o: schedules.CosineAnnealingLR(o, 1, 0.1), 4
    yield one("warm_restarts", "5, 1, 0"), lambda o: schedules.CosineAnnealingWarmRestarts(o, 5), 17
    yield (one("warm_restarts", "3, 2, 0.001"),
           lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, 2, 0.001), 50)
    yield one("warm_restarts", "1, 3, 0"), lambda o: schedules.CosineAnnealingWarmRestarts(o, 1, 3), 45
    yield one("warm_up", "4"), lambda o: schedules.LambdaLR(o, lambda step: min(1, (step + 1) / 4)), 8
    yield one("warm_up", "1"), lambda o: schedules.LambdaLR(o, lambda step: 1), 3
    yield one("warm_up", "7"), lambda o: schedules.LambdaLR(o, lambda step: min(1, (step + 1) / 7)), 12
    yield one("lambda", "root, 0"), lambda o: schedules.LambdaLR(o, lambda step: (step + 1) ** -0.5), 20
    yield one("lambda", "halved, 0"), lambda o: schedules.LambdaLR(o, lambda step: 0.5 ** (step // 3)), 14
    yield one("lambda", "rising, 0"), lambda o: schedules.LambdaLR(o, lambda step: 1 + step / 10), 9
    cyclic = lambda **more: lambda o: schedules.CyclicLR(o, BASE, 0.6, cycle_momentum=False, **more)
    yield "cyclic(step, {0.6, 4, 4, DLC_TRIANGULAR, 1})", cyclic(step_size_up=4), 25
    yield "cyclic(step, {0.6, 3, 5, DLC_TRIANGULAR2, 1})", cyclic(step_size_up=3, step_size_down=5,
                                                                      mode="triangular2"), 33
    yield "cyclic(step, {0.6, 2, 3, DLC_EXP_RANGE, 0.95})", cyclic(step_size_up=2, step_size_down=3,
                                                                       mode="exp_range", gamma=0.95), 33
    one_cycle = lambda steps, **more: lambda o: schedules.OneCycleLR(o, BASE, steps, cycle_momentum=False, **more)
    yield "one_cycle(step, {20, 0.3, 25, 1e4, 0, 0})", one_cycle(20), 20
    yield ("one_cycle(step, {17, 0.4, 10, 100, 1, 0})",
           one_cycle(17, pct_start=0.4, div_factor=10, final_div_factor=100, anneal_strategy="linear"), 17)
    yield ("one_cycle(step, {23, 0.35, 25, 1e4, 0, 1})", one_cycle(23, pct_start=0.35, three_phase=True), 23)
    yield "one_cycle(step, {9, 0, 25, 1e4, 1, 0})", one_cycle(9, pct_start=0.0, anneal_strategy="linear"), 9
    step, decay = lambda o: schedules.StepLR(o, 3, 0.5), lambda o: schedules.ExponentialLR(o, 0.9)
    warm, cosine = lambda o: schedules.LinearLR(o, 0.1, 1, 4), lambda o: schedules.CosineAnnealingLR(o, 8)
    yield "chained({step_by_3, decay_of_09}, step)", chained(step, decay), 12
    yield "chained({warm_from_tenth, cosine_over_8}, step)", chained(warm, cosine), 8
    yield "chained({decay_of_09, step_by_3, warm_from_tenth}, step)", chained(decay, step, warm), 12
    yield "sequential({warm_from_tenth, cosine_over_8}, {4}, step)", sequential([4], warm, cosine), 12
    yield ("sequential({decay_of_09, step_by_3, decay_of_09}, {3, 9}, step)", sequential([3, 9], decay, step, decay), 15)
    yield "sequential({step_by_3, warm_from_tenth}, {1}, step)", sequential([1], step, warm), 9


    yield one("multiplicative", "slower, 0"), lambda o: schedules.MultiplicativeLR(o, lambda step: 1 - 0.05 * step), 12
    yield one("multiplicative", "halved, 0"), lambda o: schedules.MultiplicativeLR(o, lambda step: 0.5 ** (step // 3)), 9
    yield one("swa", "0.05, 10, 0"), lambda o: SWALR(o, 0.05), 14
    yield one("swa", "0.3, 7, 1"), lambda o: SWALR(o, 0.3, 7, "linear"), 10
    yield one("swa", "0.02, 0, 0"), lambda o: SWALR(o, 0.02, 0), 4
    yield one("swa", "0.02, 1, 0"), lambda o: SWALR(o, 0.02, 1), 4


def momentum_cases():
    """(call, schedule, steps, whether of Adam)."""
    cyclic = lambda **more: lambda o: schedules.CyclicLR(o, BASE, 0.6, **more)
    one_cycle = lambda steps, **more: lambda o: schedules.OneCycleLR(o, BASE, steps, **more)
    yield "cyclic_momentum(step, {0.6, 4, 4, DLC_TRIANGULAR, 1}, 0.8, 0.9)", cyclic(step_size_up=4), 25, False
    yield ("cyclic_momentum(step, {0.6, 3, 5, DLC_TRIANGULAR2, 1}, 0.5, 0.95)",
           cyclic(step_size_up=3, step_size_down=5, mode="triangular2", base_momentum=0.5, max_momentum=0.95), 33, True)
    yield ("cyclic_momentum(step, {0.6, 2, 3, DLC_EXP_RANGE, 0.95}, 0.8, 0.9)",
           cyclic(step_size_up=2, step_size_down=3, mode="exp_range", gamma=0.95), 33, False)
    yield "one_cycle_momentum(step, {20, 0.3, 25, 1e4, 0, 0}, 0.85, 0.95)", one_cycle(20), 20, False
    yield ("one_cycle_momentum(step, {17, 0.4, 10, 100, 1, 0}, 0.6, 0.9)",
           one_cycle(17, pct_start=0.4, div_factor=10, final_div_factor=100, anneal_strategy="linear", base_momentum=0.6,
                     max_momentum=0.9), 17, True)
    yield ("one_cycle_momentum(step, {23, 0.35, 25, 1e4, 0, 1}, 0.85, 0.95)",
           one_cycle(23, pct_start=0.35, three_phase=True), 23, True)


def averages():
    """(call, decay of each step): that of AveragedModel where update_parameters is called every so many steps."""
    for start, every, count in ((0, 1, 6), (4, 3, 15), (2, 1, 7)):
        model = torch.nn.Linear(1, 1, bias=False).double()
        average = torch.optim.swa_utils.AveragedModel(model)
        decays, seen = [], 0
        for step in range(count):
            model.weight.data.fill_(float(step % 5) + 0.5 * step)
            due = step >= start and (step - start) % every == 0
            before = average.module.weight.item()
            if due:
                average.update_parameters(model)
                decays.append(seen / (seen + 1.0))
                now = model.weight.item()
                assert abs(average.module.weight.item() - (decays[-1] * before + (1 - decays[-1]) * now)) < 1e-12
                seen += 1
            else:
                decays.append(1.0 if step >= start else 0.0)
        yield f"dlc_schedule_swa_decay(step, {start}, {every})", decays


def plateau_cases():
    """Metrics and the rates after each."""
    falling = [1.0, 0.5, 0.4, 0.39999, 0.41, 0.42, 0.43, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]
    rising = [0.1, 0.2, 0.2, 0.2, 0.2, float("nan"), 0.2, 0.25, 0.25, 0.25, 0.2501, 0.25, 0.25, 0.25]
    for metrics, settings, text in (
            (falling, dict(factor=0.5, patience=2), "plateau(0.5, 2, 1e-4, 0, 0, 0, 0)"),
            (falling, dict(factor=0.1, patience=0, cooldown=2, min_lr=1e-3), "plateau(0.1, 0, 1e-4, 1e-3, 2, 0, 0)"),
            (falling, dict(factor=0.5, patience=1, threshold=0.05, threshold_mode="abs"),
             "plateau(0.5, 1, 0.05, 0, 0, 0, 1)"),
            (rising, dict(factor=0.5, patience=1, mode="max"), "plateau(0.5, 1, 1e-4, 0, 0, 1, 0)"),
            (rising, dict(factor=0.2, patience=0, mode="max", threshold=0.01, threshold_mode="abs", cooldown=1),
             "plateau(0.2, 0, 0.01, 0, 1, 1, 1)")):
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=BASE)
        schedule, result = schedules.ReduceLROnPlateau(optimizer, **settings), []
        for metric in metrics:
            schedule.step(metric)
            result.append(optimizer.param_groups[0]["lr"])
        yield text, metrics, result


def numbers(values):
    return "{" + ", ".join("NAN" if v != v else repr(v) for v in values) + "}"


if __name__ == "__main__":
    lines = ["// Made by make_schedules.py with PyTorch 2.13: do not edit."]
    lines += [f"CASE({call}, {numbers(rates(make, count))})" for call, make, count in cases()]
    lines += [f"CASE({call}, {numbers(momenta(make, count, adam))})" for call, make, count, adam in momentum_cases()]
    lines += [f"CASE({call}, {numbers(decays)})" for call, decays in averages()]
    lines += [f"PLATEAU({text}, ({numbers(metrics)}), ({numbers(result)}))" for text, metrics, result in plateau_cases()]
    (Path(__file__).resolve().parent / "schedules.inc").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} cases, torch {torch.__version__}")
