//===- Plateau.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A learning rate that falls where a metric gets no better.
//===----------------------------------------------------------------------===//
#include "dlc/schedules.h"

#include <cmath>

static bool isBetter(const dlc_plateau &p, double metric) {
  if (!p.has_best)
    return p.larger_is_better ? metric > -INFINITY : metric < INFINITY; // not so for NaN
  if (p.larger_is_better)
    return metric > (p.absolute ? p.best + p.threshold : p.best * (1 + p.threshold));
  return metric < (p.absolute ? p.best - p.threshold : p.best * (1 - p.threshold));
}

extern "C" double dlc_plateau_step(dlc_plateau *plateau, double metric) {
  dlc_plateau &p = *plateau;
  if (isBetter(p, metric)) {
    p.best = metric;
    p.bad_calls = 0;
    p.has_best = 1;
  } else {
    ++p.bad_calls;
  }
  if (p.cooling > 0) {
    --p.cooling;
    p.bad_calls = 0;
  }
  if (p.bad_calls > p.patience) {
    const double reduced = p.rate * p.factor, lower = reduced > p.least ? reduced : p.least;
    if (p.rate - lower > p.smallest_change)
      p.rate = lower;
    p.cooling = p.cooldown;
    p.bad_calls = 0;
  }
  return p.rate;
}
