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
    : changed(model, {"clock", readClock, 1}), original(changed.launches(function)) {
  const dlc_launch clock = {changed.added(), 0, 0, 0};
  std::vector<dlc_launch> launches = {clock, clock};
  for (const dlc_launch &launch : original) {
    launches.push_back(clock);
    launches.push_back(launch);
  }
  launches.push_back(clock);
  changed.setLaunches(function, std::move(launches));
  readings.assign(launchCount() + 3, 0);
}

void StampedModel::reset() { nextReading = 0; }

const std::vector<int64_t> &StampedModel::times() const { return readings; }

} // namespace dlc::tool
