//===- CompiledModel.h - a model compiled to a shared library --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_CONFORMANCE_COMPILEDMODEL_H
#define DLC_TOOLS_CONFORMANCE_COMPILEDMODEL_H

#include "tools/conformance/TestData.h"

namespace conformance {

struct Compilation {
  int status = 0; ///< of dlc; above 128: the signal that ended it, plus 128
  std::string messages;
};
/// Runs `dlc compile` on `model`, or on what `dlc export` makes of it; the library is libt.so in `folder`.
Compilation compile(const std::string &dlc, std::filesystem::path model, const std::filesystem::path &folder,
                    bool exported);

/// Calls the library's predict on the data and compares; an empty string if all outputs agree.
std::string predictAndCompare(const std::filesystem::path &folder, const DataSet &data);

} // namespace conformance

#endif
