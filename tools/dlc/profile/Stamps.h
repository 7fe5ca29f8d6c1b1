//===- Stamps.h - a function with clock readings between launches ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are data: the profiler makes a copy of the model in which a function's table has one more launch
// before each of its own and one at its end, whose kernel reads the clock. Library and runtime know nothing
// of it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_STAMPS_H
#define DLC_TOOLS_DLC_PROFILE_STAMPS_H

#include "dlc/abi.h"
#include <vector>

namespace dlc::tool {

int64_t nanoseconds();

/// One at a time in a process.
class StampedModel {
public:
  StampedModel(const dlc_model &model, dlc_function_kind function);
  StampedModel(const StampedModel &) = delete;
  StampedModel &operator=(const StampedModel &) = delete;

  const dlc_model &model() const { return copy; }
  /// Before each call of the function.
  void reset();
  /// After it: when each launch began, and when the last one ended. Two readings stand side by side before
  /// the first launch: what lies between them is the time of a reading.
  const std::vector<int64_t> &times() const;
  /// For each launch of the table, copies included.
  bool isCopy(size_t launch) const { return launches[2 * launch + 3].kernel == DLC_COPY; }
  size_t launchCount() const { return (launches.size() - 3) / 2; }

private:
  dlc_model copy;
  std::vector<dlc_target> targets;
  std::vector<dlc_kernel_info> kernels;
  std::vector<dlc_function> functions;
  std::vector<dlc_launch> launches;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_STAMPS_H
