//===- Values.cpp - what each launch of a function gives -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Values.h"
#include "tools/dlc/Printable.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace dlc::tool {

namespace {

// A kernel has no place for data of its own.
std::vector<LaunchInfo> watched;
std::vector<std::vector<Statistics>> seen;
size_t nextLaunch = 0;

void look(void *const *buffers, const int64_t *, int64_t, int64_t) {
  const LaunchInfo &launch = watched[nextLaunch];
  for (size_t i = 0; i < launch.results.size(); ++i)
    seen[nextLaunch][i].add(launch.results[i], buffers[launch.results[i].place]);
  ++nextLaunch;
}

template <typename Number> Number at(const void *memory, int64_t index) {
  Number number;
  std::memcpy(&number, static_cast<const char *>(memory) + index * int64_t(sizeof number), sizeof number);
  return number;
}

float fromBits(uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

/// The number that has the bits `half`. All five bits of the exponent are set for infinities and NaN, none
/// for zero and denormals.
double fromHalf(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double sign = half >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::nan("") : sign * HUGE_VAL;
  return sign * std::ldexp(exponent ? fraction + 1024 : fraction, std::max(exponent, 1) - 25);
}

double numberAt(const void *memory, int64_t index, dlc_dtype dtype) {
  switch (dtype) {
  case DLC_F64:
    return at<double>(memory, index);
  case DLC_BF16:
    return fromBits(uint32_t{at<uint16_t>(memory, index)} << 16);
  case DLC_F16:
    return fromHalf(at<uint16_t>(memory, index));
  default:
    return at<float>(memory, index);
  }
}

} // namespace

void Statistics::add(const ResultInfo &result, const void *memory) {
  const size_t rank = result.shape.size();
  std::vector<int64_t> position(rank, 0);
  int64_t total = 1;
  for (int64_t size : result.shape)
    total *= size;
  double sum = 0;
  for (int64_t i = 0; i < total; ++i) {
    int64_t index = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      index += position[axis] * result.strides[axis];
    const double number = numberAt(memory, index, result.dtype);
    if (std::isfinite(number)) {
      const bool isFirst = count == nans + infinities;
      smallest = isFirst ? number : std::min(smallest, number);
      largest = isFirst ? number : std::max(largest, number);
      sum += std::fabs(number);
    }
    ++count;
    nans += std::isnan(number);
    infinities += std::isinf(number);
    for (size_t axis = rank; axis-- > 0 && ++position[axis] == result.shape[axis];)
      position[axis] = 0;
  }
  magnitude = sum / double(std::max<int64_t>(count - nans - infinities, 1));
}

WatchedModel::WatchedModel(const dlc_model &model, dlc_function_kind function,
                           const std::vector<LaunchInfo> &known)
    : changed(model, {"look", look, 1}) {
  std::vector<dlc_launch> launches;
  for (const dlc_launch &launch : changed.launches(function)) {
    launches.push_back(launch);
    if (launch.kernel != DLC_COPY)
      launches.push_back({changed.added(), launch.first_place, launch.place_count, 0});
  }
  changed.setLaunches(function, std::move(launches));
  watched = known;
  reset();
}

void WatchedModel::reset() {
  nextLaunch = 0;
  seen.clear();
  for (const LaunchInfo &launch : watched)
    seen.emplace_back(launch.results.size());
}

const std::vector<std::vector<Statistics>> &WatchedModel::values() const { return seen; }

bool hasNan(const std::vector<std::vector<Statistics>> &values) {
  for (const std::vector<Statistics> &results : values)
    for (const Statistics &result : results)
      if (result.nans > 0)
        return true;
  return false;
}

/// The first launch in whose results `member` is not 0.
static void printFirst(const std::vector<LaunchInfo> &launches,
                       const std::vector<std::vector<Statistics>> &values, int64_t Statistics::*member,
                       const char *what) {
  for (size_t i = 0; i < launches.size(); ++i)
    for (const Statistics &result : values[i])
      if (result.*member > 0) {
        std::printf("the first %s comes from %s, for node %s: %lld of %lld elements\n", what,
                    launches[i].kernel.c_str(), printable(launches[i].node).c_str(),
                    static_cast<long long>(result.*member), static_cast<long long>(result.count));
        return;
      }
}

void printValues(const std::vector<LaunchInfo> &launches,
                 const std::vector<std::vector<Statistics>> &values) {
  int width = 6;
  for (const LaunchInfo &launch : launches)
    width = std::max(width, std::min(int(launch.kernel.size()), 48));
  std::printf("%-*s   elements   smallest    largest   mean |x|       NaN  infinite  node\n", width,
              "kernel");
  for (size_t i = 0; i < launches.size(); ++i)
    for (const Statistics &result : values[i])
      std::printf("%-*s %10lld %10.3g %10.3g %10.3g %9lld %9lld  %s\n", width, launches[i].kernel.c_str(),
                  static_cast<long long>(result.count), result.smallest, result.largest, result.magnitude,
                  static_cast<long long>(result.nans), static_cast<long long>(result.infinities),
                  printable(launches[i].node).c_str());
  std::printf("\n");
  printFirst(launches, values, &Statistics::nans, "NaN");
  printFirst(launches, values, &Statistics::infinities, "infinite number");
}

} // namespace dlc::tool
