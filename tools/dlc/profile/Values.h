//===- Values.h - what each launch of a function gives ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Behind each launch stands another one on the same places, whose kernel looks at the results: which
// operation made the first NaN of a step, and how large gradients are.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_VALUES_H
#define DLC_TOOLS_DLC_PROFILE_VALUES_H

#include "tools/dlc/profile/ChangedModel.h"
#include "tools/dlc/profile/CompiledModel.h"

namespace dlc::tool {

/// What the elements of one result are like, which are floating-point numbers.
struct Statistics {
  int64_t count = 0, nans = 0, infinities = 0;
  double smallest = 0, largest = 0, magnitude = 0; ///< of finite elements; the mean of their |x|

  void add(const ResultInfo &result, const void *memory);
};

/// A copy of a model that looks at the results of a function's launches; there is one at a time in a process.
class WatchedModel {
public:
  /// `known` are the function's launches without copies.
  WatchedModel(const dlc_model &model, dlc_function_kind function, const std::vector<LaunchInfo> &known);

  const dlc_model &model() const { return changed.model(); }
  /// Is to be called before each call of the function.
  void reset();
  /// What the last call found: a list for each launch, with the statistics of its results, in order.
  const std::vector<std::vector<Statistics>> &values() const;

private:
  ChangedModel changed;
};

/// A line for each result, and which launch gave the first NaN and the first infinite number.
void printValues(const std::vector<LaunchInfo> &launches, const std::vector<std::vector<Statistics>> &values);

bool hasNan(const std::vector<std::vector<Statistics>> &values);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_VALUES_H
