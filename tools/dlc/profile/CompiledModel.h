//===- CompiledModel.h - a library and its manifest --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_COMPILEDMODEL_H
#define DLC_TOOLS_DLC_PROFILE_COMPILEDMODEL_H

#include "tools/dlc/profile/Manifest.h"
#include "tools/dlc/profile/Profile.h"

namespace dlc::tool {

/// A library in memory, and what its manifest says of it. Errors are exceptions (std::runtime_error).
class CompiledModel {
public:
  /// `file` is the library or its manifest. The library that is loaded is the one whose digest the manifest
  /// has.
  CompiledModel(const std::string &file, const ProfileServices &services);
  CompiledModel(const CompiledModel &) = delete;
  CompiledModel &operator=(const CompiledModel &) = delete;
  ~CompiledModel();

  /// With the target for CPUs alone.
  const dlc_model &model() const { return description; }
  /// The weights file that belongs to the model, as the compiler wrote it; empty where there is none.
  std::string weights() const;
  /// The launches of a function in order; copies are not among them.
  const std::vector<LaunchInfo> &launches(dlc_function_kind function) const;

  /// The same of all functions, by their names.
  const std::map<std::string, std::vector<LaunchInfo>> &functions() const { return manifest.functions; }

private:
  /// The path of a file beside the manifest, after its digest was compared.
  std::string checked(const std::string &file) const;
  void open(const std::string &library);

  const ProfileServices services;
  Manifest manifest;
  void *handle = nullptr;
  dlc_model description = {};
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_COMPILEDMODEL_H
