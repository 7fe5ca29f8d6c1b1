//===- Composed.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning rates made of other schedules.
//===----------------------------------------------------------------------===//
#include "dlc/schedules.h"

#include <cmath>

extern "C" {

double dlc_schedule_chained(double base, int64_t step, const dlc_schedule *schedules, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    base = schedules[i].rate(base, step, schedules[i].settings);
  return base;
}

double dlc_schedule_sequential(double base, int64_t step, const dlc_schedule *schedules, int32_t count,
                               const int64_t *milestones) {
  if (step < 0 || count < 1)
    return NAN;
  int32_t now = 0;
  while (now + 1 < count && milestones[now] <= step)
    ++now;
  return schedules[now].rate(base, now ? step - milestones[now - 1] : step, schedules[now].settings);
}

} // extern "C"
