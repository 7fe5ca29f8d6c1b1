//===- Stamps.h - a function with clock readings between launches ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch before each one of a function, and one at its end, whose kernel reads the clock.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_STAMPS_H
#define DLC_TOOLS_DLC_PROFILE_STAMPS_H

#include "tools/dlc/profile/ChangedModel.h"
#include <vector>

namespace dlc::tool {

int64_t nanoseconds();

/// One at a time in a process.
class StampedModel {
public:
  StampedModel(const dlc_model &model, dlc_function_kind function);
  StampedModel(const StampedModel &) = delete;
  StampedModel &operator=(const StampedModel &) = delete;

  const dlc_model &model() const { return changed.model(); }
  /// Before each call of the function.
  void reset();
  /// After it: when each launch began, and when the last one ended. Two readings stand side by side before
  /// the first launch: what lies between them is the time of a reading.
  const std::vector<int64_t> &times() const;
  /// For each launch of the table, copies included.
  bool isCopy(size_t launch) const { return original[launch].kernel == DLC_COPY; }
  size_t launchCount() const { return original.size(); }

private:
  ChangedModel changed;
  std::vector<dlc_launch> original;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_STAMPS_H
