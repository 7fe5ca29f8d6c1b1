//===- Stamps.cpp - a function with clock readings between launches ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Stamps.h"
#include <ctime>

namespace dlc::tool {

namespace {

std::vector<int64_t> readings;
size_t nextReading = 0;

void readClock(void *const *, const int64_t *, int64_t, int64_t) { readings[nextReading++] = nanoseconds(); }

} // namespace

int64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

StampedModel::StampedModel(const dlc_model &model, dlc_function_kind function)
    : copy(model), targets(1, *model.targets) {
  dlc_target &target = targets.front();
  kernels.assign(target.kernels, target.kernels + target.kernel_count);
  const dlc_launch clock = {target.kernel_count, 0, 0, 0};
  kernels.push_back({"clock", readClock, 1});
  functions.assign(target.functions, target.functions + 32 - __builtin_clz(model.functions));
  dlc_function &table = functions[function];
  launches = {clock, clock};
  for (uint32_t i = 0; i < table.launch_count; ++i) {
    launches.push_back(clock);
    launches.push_back(table.launches[i]);
  }
  launches.push_back(clock);
  table.launches = launches.data();
  table.launch_count = static_cast<uint32_t>(launches.size());
  target.kernels = kernels.data();
  target.kernel_count = static_cast<uint32_t>(kernels.size());
  target.functions = functions.data();
  copy.targets = targets.data();
  copy.target_count = 1;
  readings.assign(launchCount() + 3, 0);
}

void StampedModel::reset() { nextReading = 0; }

const std::vector<int64_t> &StampedModel::times() const { return readings; }

} // namespace dlc::tool
