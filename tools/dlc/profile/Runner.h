//===- Runner.h - calls of a compiled model's functions ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_RUNNER_H
#define DLC_TOOLS_DLC_PROFILE_RUNNER_H

#include "tools/dlc/profile/Tensors.h"

namespace dlc::tool {

/// An instance of a model, and calls of one function of it. Errors are exceptions (std::runtime_error).
class Runner {
public:
  /// It starts from the model's own `weights`, or from `checkpoint` where that is not empty.
  Runner(const dlc_model &model, dlc_function_kind function, Tensors &tensors, const std::string &weights,
         const std::string &checkpoint, int threads);
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;
  ~Runner();

  /// Nanoseconds of one call.
  double call();

private:
  dlc_status callFunction();
  void check(dlc_status status);

  const dlc_model &model;
  dlc_function_kind function;
  Tensors &tensors;
  dlc_instance *instance = nullptr;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_RUNNER_H
