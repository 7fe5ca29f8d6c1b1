//===- ChangedModel.cpp - a model with another table of launches -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/ChangedModel.h"
#include <utility>

namespace dlc::tool {

ChangedModel::ChangedModel(const dlc_model &model, const dlc_kernel_info &added)
    : copy(model), targets(1, *model.targets) {
  dlc_target &target = targets.front();
  kernels.assign(target.kernels, target.kernels + target.kernel_count);
  kernels.push_back(added);
  functions.assign(target.functions, target.functions + 32 - __builtin_clz(model.functions));
  target.kernels = kernels.data();
  target.kernel_count = static_cast<uint32_t>(kernels.size());
  target.functions = functions.data();
  copy.targets = targets.data();
  copy.target_count = 1;
}

std::vector<dlc_launch> ChangedModel::launches(dlc_function_kind function) const {
  const dlc_function &table = functions[function];
  return {table.launches, table.launches + table.launch_count};
}

void ChangedModel::setLaunches(dlc_function_kind function, std::vector<dlc_launch> launches) {
  changed = std::move(launches);
  functions[function].launches = changed.data();
  functions[function].launch_count = static_cast<uint32_t>(changed.size());
}

} // namespace dlc::tool
