//===- Models.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiled models that a program of the check is linked with. The macro MODELS, which the build defines,
// has X(name) for each.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_GPUCHECK_MODELS_H
#define DLC_TOOLS_GPUCHECK_MODELS_H

#include "dlc/abi.h"

#include <stdexcept>
#include <string>

#define X(name) extern "C" const dlc_model description_of_##name __asm__(#name ".model");
MODELS
#undef X

namespace dlc::check {

/// The description of the model of this name.
inline const dlc_model &modelNamed(const std::string &wanted) {
#define X(name)                                                                                              \
  if (wanted == #name)                                                                                       \
    return description_of_##name;
  MODELS
#undef X
  throw std::runtime_error("this program has no model '" + wanted + "'");
}

} // namespace dlc::check

#endif
