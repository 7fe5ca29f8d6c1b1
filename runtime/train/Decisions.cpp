//===- Decisions.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from a metric: when to stop, and which learning rate to take.
//===----------------------------------------------------------------------===//
#include "dlc/metrics.h"

#include <cmath>

extern "C" {

int32_t dlc_early_stop_step(dlc_early_stop *stop, double metric) {
  dlc_early_stop &s = *stop;
  ++s.calls;
  const bool better = !s.has_best          ? !std::isnan(metric)
                      : s.larger_is_better ? metric > s.best + s.least_change
                                           : metric < s.best - s.least_change;
  if (!better)
    return ++s.bad_calls > s.patience;
  s.has_best = 1;
  s.best = metric;
  s.best_call = s.calls;
  s.bad_calls = 0;
  return 0;
}

static double rateAt(const dlc_rate_finder &f, int64_t step) {
  if (f.steps < 2)
    return NAN;
  return f.lowest *
         std::pow(f.highest / f.lowest, static_cast<double>(step) / static_cast<double>(f.steps - 1));
}

double dlc_rate_finder_rate(const dlc_rate_finder *finder) { return rateAt(*finder, finder->done); }

int32_t dlc_rate_finder_add(dlc_rate_finder *finder, double loss) {
  dlc_rate_finder &f = *finder;
  f.smooth = 0.95 * f.smooth + 0.05 * loss;
  f.weight = 0.95 * f.weight + 0.05;
  const double now = f.smooth / f.weight;
  // All steps are equally far on the logarithm of the rate. The mean of the first few losses moves much with
  // each, for which the weight makes up.
  const double fall = (f.before - now) * f.weight;
  if (f.done > 0 && now < f.best && fall > f.slope) {
    f.slope = fall;
    f.rate = rateAt(f, f.done);
  }
  if (f.done == 0 || now < f.best) {
    f.best = now;
    f.best_rate = rateAt(f, f.done);
  }
  f.before = now;
  return ++f.done >= f.steps || !(now <= 4 * f.best);
}

double dlc_rate_finder_suggestion(const dlc_rate_finder *finder) {
  const double most = finder->best_rate / 10;
  return !(finder->slope > 0) ? NAN : finder->rate < most ? finder->rate : most;
}

} // extern "C"
