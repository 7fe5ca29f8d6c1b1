//===- Manifest.h - what the manifest beside a library says -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest may be anyone's. It names files beside it alone, which have the digests that it says; and what
// it says of launches must be what the library's own tables allow before anything is read by it. All errors
// are std::runtime_error, and name the field.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_MANIFEST_H
#define DLC_TOOLS_DLC_PROFILE_MANIFEST_H

#include "dlc/abi.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlc::tool {

/// Where a launch writes a result. Strides are in elements.
struct ResultInfo {
  size_t place = 0;          ///< number among the launch's places
  dlc_dtype dtype = DLC_F32; ///< of floating-point numbers
  std::vector<int64_t> shape, strides;
};

/// One launch of a function, as the manifest describes it.
struct LaunchInfo {
  std::string kernel, node;
  int64_t operations = 0, bytes = 0, chunks = 1;
  bool addsPairs = false;          ///< its products are of bf16, two of which are added at once
  std::vector<ResultInfo> results; ///< in floating-point numbers, of known sizes
};

struct Manifest {
  std::string path; ///< for messages
  std::string name;
  std::vector<std::string> files;             ///< names of files beside it
  std::map<std::string, std::string> digests; ///< of some of them
  std::map<std::string, std::vector<LaunchInfo>> functions;

  /// The first of the files with one of these extensions; empty where there is none.
  std::string fileOf(const std::vector<std::string> &extensions) const;
};

/// The kernels are those of CPUs, where there are several targets.
Manifest readManifest(const std::string &path);
/// The manifest `text` of a program in memory, which has no files: the name and the functions.
Manifest manifestOf(const std::string &text);

/// Compares all launches with the tables of the library: kernels, their chunks, places, and that results lie
/// inside of what the places name. `model` has one target.
void checkAgainst(const Manifest &manifest, const dlc_model &model);

/// "train_step" ... in the order of dlc_function_kind.
extern const char *const functionNames[DLC_FUNCTIONS];

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_MANIFEST_H
