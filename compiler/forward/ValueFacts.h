//===- ValueFacts.h - what is known of the numbers in a value --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loss takes scores, probabilities or logarithms of probabilities. Types do not tell them apart; the
// operations that a value went through often do: after a sigmoid all numbers lie in [0, 1], after a linear
// layer there is no limit.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_VALUEFACTS_H
#define DLC_COMPILER_FORWARD_VALUEFACTS_H

#include <cstdint>
#include <limits>
#include <optional>

namespace dlc::forward {

/// True for all inputs and parameters; without knowledge, the default, which says nothing.
struct ValueFacts {
  /// Every number lies in [low, high].
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  /// There are inputs and parameters for which a number comes as close to `low` as one likes, and to `high`.
  bool reached = false;
  /// Its numbers grow beyond all limits in both directions when a trained parameter does, also averaged.
  bool linear = false;
  /// A trained parameter, perhaps moved about.
  bool parameter = false;
  /// Known at compile time.
  bool constant = false;
  /// The numbers along this axis are not negative and sum to one: probabilities.
  std::optional<int64_t> sumsToOne;
  /// The same holds for their exponentials: logarithms of probabilities.
  std::optional<int64_t> expSumsToOne;
  /// The axis along which a layer's features lie: of a linear layer, or the channels of a convolution.
  std::optional<int64_t> features;

  bool isWithin(double from, double to) const { return from <= low && high <= to; }
};

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_VALUEFACTS_H
