//===- CompiledModel.h - a library and its manifest --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_COMPILEDMODEL_H
#define DLC_TOOLS_DLC_PROFILE_COMPILEDMODEL_H

#include "dlc/abi.h"
#include "tools/dlc/profile/Profile.h"
#include <map>

namespace dlc::tool {

/// Where a launch writes a result. Strides are in elements.
struct ResultInfo {
  size_t place = 0; ///< number among the launch's places
  bool isDouble = false;
  std::vector<int64_t> shape, strides;
};

/// One launch of a function, as the manifest describes it.
struct LaunchInfo {
  std::string kernel, node;
  int64_t operations = 0, bytes = 0, chunks = 1;
  bool addsPairs = false;          ///< its products are of bf16, two of which are added at once
  std::vector<ResultInfo> results; ///< in floating-point numbers, of known sizes
};

/// A library in memory. Errors are exceptions (std::runtime_error).
class CompiledModel {
public:
  CompiledModel(const std::string &file, const LinkArchive &linkArchive);
  CompiledModel(const CompiledModel &) = delete;
  CompiledModel &operator=(const CompiledModel &) = delete;
  ~CompiledModel();

  /// With the target for CPUs alone.
  const dlc_model &model() const { return description; }
  /// The weights file that belongs to the model; empty where there is none.
  const std::string &weights() const { return weightsPath; }
  /// The launches of a function in order; copies are not among them.
  const std::vector<LaunchInfo> &launches(dlc_function_kind function) const;

private:
  void readManifest(const std::string &path, std::string &library);
  void open(const std::string &library);

  std::string name, weightsPath;
  std::map<std::string, std::vector<LaunchInfo>> functions;
  void *handle = nullptr;
  dlc_model description = {};
};

/// "train_step" ... in the order of dlc_function_kind.
extern const char *const functionNames[DLC_PREDICT + 1];

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_COMPILEDMODEL_H
