//===- ChangedModel.h - a model with another table of launches -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are data: a copy of the model can have launches of the profiler's own between those of a
// function. Library and runtime know nothing of it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_CHANGEDMODEL_H
#define DLC_TOOLS_DLC_PROFILE_CHANGEDMODEL_H

#include "dlc/abi.h"
#include <vector>

namespace dlc::tool {

class ChangedModel {
public:
  /// A copy of `model` with one more kernel.
  ChangedModel(const dlc_model &model, const dlc_kernel_info &added);
  ChangedModel(const ChangedModel &) = delete;
  ChangedModel &operator=(const ChangedModel &) = delete;

  const dlc_model &model() const { return copy; }
  /// The number of the added kernel.
  uint32_t added() const { return copy.targets->kernel_count - 1; }
  /// The launches of a function of the copy, and what they become. One function of a copy can be changed.
  std::vector<dlc_launch> launches(dlc_function_kind function) const;
  void setLaunches(dlc_function_kind function, std::vector<dlc_launch> launches);

private:
  dlc_model copy;
  std::vector<dlc_target> targets;
  std::vector<dlc_kernel_info> kernels;
  std::vector<dlc_function> functions;
  std::vector<dlc_launch> changed;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_CHANGEDMODEL_H
