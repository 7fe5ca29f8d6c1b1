//===- Models.h - the models of a file
//----------------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_MODELS_H
#define DLC_FRONTENDS_CPP_API_MODELS_H

#include "dlc/program.h"

namespace dlc::detail {

/// A DLC_MODEL.
struct RegisteredModel {
  std::string name;
  Program (*describe)();
};
/// In order of their initialization.
DLC_API std::vector<RegisteredModel> &models();
DLC_API Program describe(const RegisteredModel &model);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_MODELS_H
