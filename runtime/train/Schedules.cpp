//===- Schedules.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning rates with one formula for all steps. dlc/schedules.h has the formulas.
//===----------------------------------------------------------------------===//
#include "dlc/schedules.h"

#include <cmath>

namespace {

constexpr double pi = 3.14159265358979323846;

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

double halfCosine(double base, double part, double least) {
  return least + (base - least) * (1 + std::cos(pi * part)) / 2;
}

double ratio(int64_t a, int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

} // namespace

extern "C" {

double dlc_schedule_constant(double base, int64_t step, double factor, int64_t steps) {
  return step < 0 ? NAN : step < steps ? base * factor : base;
}

double dlc_schedule_step(double base, int64_t step, int64_t size, double gamma) {
  return step < 0 || size < 1 ? NAN : base * std::pow(gamma, static_cast<double>(step / size));
}

double dlc_schedule_multi_step(double base, int64_t step, const int64_t *milestones, int32_t count,
                               double gamma) {
  if (step < 0 || count < 0)
    return NAN;
  int32_t passed = 0;
  while (passed < count && milestones[passed] <= step)
    ++passed;
  return base * std::pow(gamma, passed);
}

double dlc_schedule_exponential(double base, int64_t step, double gamma) {
  return step < 0 ? NAN : base * std::pow(gamma, static_cast<double>(step));
}

double dlc_schedule_linear(double base, int64_t step, double first, double last, int64_t steps) {
  return step < 0 || steps < 1 ? NAN : base * (first + (last - first) * ratio(smaller(step, steps), steps));
}

double dlc_schedule_polynomial(double base, int64_t step, int64_t steps, double power) {
  return step < 0 || steps < 1 ? NAN : base * std::pow(1 - ratio(smaller(step, steps), steps), power);
}

double dlc_schedule_cosine(double base, int64_t step, int64_t steps, double least) {
  return step < 0 || steps < 1 ? NAN : halfCosine(base, ratio(step, steps), least);
}

double dlc_schedule_warm_restarts(double base, int64_t step, int64_t steps, int64_t factor, double least) {
  if (step < 0 || steps < 1 || factor < 1)
    return NAN;
  int64_t period = steps;
  if (factor == 1)
    step %= period;
  while (step >= period) {
    step -= period;
    if (__builtin_mul_overflow(period, factor, &period))
      return NAN; // no program has so many steps
  }
  return halfCosine(base, ratio(step, period), least);
}

double dlc_schedule_warm_up(double base, int64_t step, int64_t steps) {
  return step < 0 || steps < 1 ? NAN : step < steps ? base * ratio(step + 1, steps) : base;
}

double dlc_schedule_lambda(double base, int64_t step, double (*factor)(int64_t step, void *context),
                           void *context) {
  return step < 0 ? NAN : base * factor(step, context);
}

double dlc_schedule_multiplicative(double base, int64_t step, double (*factor)(int64_t step, void *context),
                                   void *context) {
  if (step < 0)
    return NAN;
  for (int64_t i = 1; i <= step; ++i)
    base *= factor(i, context);
  return base;
}

double dlc_schedule_swa(double base, int64_t step, double last, int64_t steps, int32_t linear) {
  if (step < 0 || steps < 0)
    return NAN;
  if (step >= steps)
    return last;
  return linear ? base + (last - base) * ratio(step, steps) : halfCosine(base, ratio(step, steps), last);
}

double dlc_schedule_swa_decay(int64_t step, int64_t start, int64_t every) {
  if (step < 0 || start < 0 || every < 1)
    return NAN;
  const int64_t after = step < start ? -1 : step - start;
  if (after < 0)
    return 0;
  return after % every == 0 ? ratio(after / every, after / every + 1) : 1;
}

} // extern "C"
