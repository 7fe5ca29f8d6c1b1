//===- Values.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of regression.
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

} // extern "C"
