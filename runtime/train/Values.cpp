//===- Values.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of regression, and what numbers are like.
//===----------------------------------------------------------------------===//
#include "dlc/metrics.h"

#include <cmath>

extern "C" {

double dlc_mean_absolute_error(const float *predictions, const float *targets, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += std::fabs(static_cast<double>(predictions[i]) - static_cast<double>(targets[i]));
  return sum / static_cast<double>(count);
}

double dlc_r2(const float *predictions, const float *targets, int64_t count) {
  double mean = 0, error = 0, spread = 0;
  for (int64_t i = 0; i < count; ++i)
    mean += static_cast<double>(targets[i]) / static_cast<double>(count);
  bool differ = false;
  for (int64_t i = 0; i < count; ++i) {
    const double target = static_cast<double>(targets[i]), off = target - static_cast<double>(predictions[i]);
    error += off * off;
    spread += (target - mean) * (target - mean);
    differ |= targets[i] != targets[0];
  }
  return differ ? 1 - error / spread : NAN;
}

dlc_statistics dlc_statistics_of(const float *values, int64_t count) {
  dlc_statistics result = {};
  result.count = count;
  double sum = 0, squares = 0, spread = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    if (!std::isfinite(value))
      continue;
    result.least = result.finite == 0 || value < result.least ? value : result.least;
    result.largest = result.finite == 0 || value > result.largest ? value : result.largest;
    ++result.finite;
    sum += value;
    squares += value * value;
  }
  if (result.finite == 0)
    return result;
  result.mean = sum / static_cast<double>(result.finite);
  for (int64_t i = 0; i < count; ++i) {
    const double off = static_cast<double>(values[i]) - result.mean;
    spread += std::isfinite(off) ? off * off : 0;
  }
  result.deviation = std::sqrt(spread / static_cast<double>(result.finite));
  result.norm = std::sqrt(squares);
  return result;
}

} // extern "C"
