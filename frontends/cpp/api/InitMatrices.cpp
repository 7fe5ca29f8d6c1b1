//===- InitMatrices.cpp - initial values that are matrices -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/init.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Random.h"
#include <algorithm>
#include <cmath>

namespace dlc::nn::init {
using namespace detail;

/// The sizes of a parameter with at least `least` dims.
static std::vector<int64_t> sizesOf(const char *function, const Tensor &parameter, size_t least, size_t most,
                                    const Where &where) {
  std::vector<int64_t> sizes;
  if (parameter.defined())
    for (const Dim &dim : parameter.shape())
      sizes.push_back(dim.value());
  if (sizes.size() < least || sizes.size() > most)
    fail(std::string(function) + ": expected a parameter of at least " + std::to_string(least) + " dims" +
             (most < 9 ? ", and at most " + std::to_string(most) : "") + ", got " +
             (parameter.defined() ? str(parameter.shape()) : "none"),
         where);
  return sizes;
}

Tensor dirac_(const Tensor &parameter, int64_t groups, Where where) {
  std::vector<int64_t> sizes = sizesOf("dirac_", parameter, 3, 5, where);
  if (groups < 1 || sizes[0] % groups)
    fail("dirac_: expected a number of groups that divides " + std::to_string(sizes[0]) + ", got " +
             std::to_string(groups),
         where);
  int64_t perGroup = sizes[0] / groups, field = 1, middle = 0;
  for (size_t i = 2; i < sizes.size(); ++i) {
    field *= sizes[i];
    middle = middle * sizes[i] + sizes[i] / 2;
  }
  std::vector<double> numbers(size_t(sizes[0] * sizes[1] * field), 0);
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t i = 0; i < std::min(perGroup, sizes[1]); ++i)
      numbers[size_t(((group * perGroup + i) * sizes[1] + i) * field + middle)] = 1;
  return values_(parameter, numbers, where);
}

/// Normal numbers, made orthogonal one vector after the other (Gram and Schmidt, twice, after which rounding
/// is all that is left): the Q of a QR decomposition whose R has a positive diagonal, as PyTorch chooses it.
Tensor orthogonal_(const Tensor &parameter, double gain, Where where) {
  std::vector<int64_t> sizes = sizesOf("orthogonal_", parameter, 2, 9, where);
  int64_t rows = sizes[0], columns = 1;
  for (size_t i = 1; i < sizes.size(); ++i)
    columns *= sizes[i];
  std::vector<double> numbers = normal(rows * columns, 0, 1);
  int64_t count = std::min(rows, columns), length = std::max(rows, columns);
  // Element k of vector i.
  auto at = [&](int64_t i, int64_t k) -> double & {
    return numbers[size_t(rows < columns ? i * columns + k : k * columns + i)];
  };
  auto product = [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < length; ++k)
      sum += at(i, k) * at(j, k);
    return sum;
  };
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < 2 * i; ++j) {
      double share = product(i, j % i);
      for (int64_t k = 0; k < length; ++k)
        at(i, k) -= share * at(j % i, k);
    }
    double size = std::sqrt(product(i, i));
    for (int64_t k = 0; k < length; ++k)
      at(i, k) /= size;
  }
  for (double &number : numbers)
    number *= gain;
  return values_(parameter, numbers, where);
}

} // namespace dlc::nn::init
