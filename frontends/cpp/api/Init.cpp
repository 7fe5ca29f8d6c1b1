//===- Init.cpp - initial values of parameters ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Elements.h"
#include "frontends/cpp/api/Random.h"

namespace dlc::detail {

Tensor uniformTensor(const std::vector<int64_t> &shape, double bound, const Where &where) {
  return constant(uniform(countOf(shape), -bound, bound), shape, float32, where);
}

Tensor normalTensor(const std::vector<int64_t> &shape, double deviation, const Where &where,
                    std::optional<int64_t> zeroRow) {
  std::vector<double> numbers = normal(countOf(shape), 0, deviation);
  if (zeroRow) {
    int64_t row = countOf(shape) / shape[0];
    std::fill_n(numbers.begin() + *zeroRow * row, row, 0);
  }
  return constant(numbers, shape, float32, where);
}

void requirePositive(const char *name, int64_t value, const Where &where) {
  if (value < 1)
    fail(std::string(name) + ": expected a number above 0, got " + std::to_string(value), where);
}

} // namespace dlc::detail
