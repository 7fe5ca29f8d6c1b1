//===- Cycles.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning rates that rise and fall: CyclicLR and OneCycleLR.
//===----------------------------------------------------------------------===//
#include "dlc/schedules.h"

#include <cmath>

namespace {

constexpr double pi = 3.14159265358979323846;

double between(double from, double to, double part, bool linear) {
  return linear ? (to - from) * part + from : to + (from - to) / 2 * (std::cos(pi * part) + 1);
}

/// What a cycle goes between.
struct Levels {
  double first, top, last;
};

double inOneCycle(int64_t step, const dlc_one_cycle &cycle, const Levels &levels) {
  if (step < 0 || cycle.steps < 2 || !(cycle.rising >= 0 && cycle.rising <= 1))
    return NAN;
  const double total = static_cast<double>(cycle.steps), top = cycle.rising * total - 1, last = total - 1;
  const double now = static_cast<double>(step < cycle.steps ? step : cycle.steps - 1);
  const bool linear = cycle.linear != 0;
  if (now <= top)
    return top > 0 ? between(levels.first, levels.top, now / top, linear) : levels.top;
  if (!cycle.three_phase)
    return between(levels.top, levels.last, (now - top) / (last - top), linear);
  const double level = 2 * cycle.rising * total - 2; // where it is what it was first
  if (now <= level)
    return between(levels.top, levels.first, (now - top) / (level - top), linear);
  return between(levels.first, levels.last, (now - level) / (last - level), linear);
}

} // namespace

extern "C" {

double dlc_schedule_cyclic(double base, int64_t step, const dlc_cycle *cycle) {
  if (step < 0 || cycle->steps_up < 1 || cycle->steps_down < 1)
    return NAN;
  const int64_t steps = cycle->steps_up + cycle->steps_down;
  const int64_t place = step % steps, number = step / steps;
  const double height = place <= cycle->steps_up
                            ? static_cast<double>(place) / static_cast<double>(cycle->steps_up)
                            : static_cast<double>(steps - place) / static_cast<double>(cycle->steps_down);
  const double scale = cycle->shape == DLC_TRIANGULAR    ? 1
                       : cycle->shape == DLC_TRIANGULAR2 ? std::pow(0.5, static_cast<double>(number))
                       : cycle->shape == DLC_EXP_RANGE   ? std::pow(cycle->gamma, static_cast<double>(step))
                                                         : NAN;
  return base + (cycle->highest - base) * height * scale;
}

double dlc_schedule_cyclic_momentum(int64_t step, const dlc_cycle *cycle, double low, double high) {
  dlc_cycle down = *cycle;
  down.highest = low;
  return dlc_schedule_cyclic(high, step, &down);
}

double dlc_schedule_one_cycle(double base, int64_t step, const dlc_one_cycle *cycle) {
  const double first = base / cycle->divisor;
  return inOneCycle(step, *cycle, {first, base, first / cycle->last_divisor});
}

double dlc_schedule_one_cycle_momentum(int64_t step, const dlc_one_cycle *cycle, double low, double high) {
  return inOneCycle(step, *cycle, {high, low, high});
}

} // extern "C"
