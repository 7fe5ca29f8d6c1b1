//===- SavedAverages.cpp - averages of parameters in a checkpoint ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tools/dlc/train/Instance.h"
#include <memory>

namespace dlc::tool::training {

void Instance::useSavedAverages(const std::string &path) {
  char error[512];
  dlc_tensors *opened = nullptr;
  if (dlc_tensors_open(path.c_str(), &opened, error, sizeof error) != DLC_OK)
    throw Failure(error);
  const std::unique_ptr<dlc_tensors, decltype(&dlc_tensors_close)> file(opened, dlc_tensors_close);
  for (int64_t i = 0; i < dlc_tensors_count(opened); ++i) {
    const std::string name = dlc_tensors_name(opened, i), ending = ".ema";
    if (name.size() <= ending.size() || name.compare(name.size() - ending.size(), ending.size(), ending) != 0)
      continue;
    Array array;
    if (dlc_tensors_read(opened, name.c_str(), array.get(), error, sizeof error) != DLC_OK)
      throw Failure(std::string(error) + "; take weights.safetensors, which has the averages for parameters");
    const std::string parameter = name.substr(0, name.size() - ending.size());
    check(dlc_instance_parameter_write(handle, parameter.c_str(), array->data, array->bytes));
  }
}

} // namespace dlc::tool::training
