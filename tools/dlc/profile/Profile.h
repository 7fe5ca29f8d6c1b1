//===- Profile.h - dlc profile -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_PROFILE_H
#define DLC_TOOLS_DLC_PROFILE_PROFILE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dlc::tool {

struct ProfileOptions {
  std::string expression;          ///< in place of a file: what is compiled first
  std::string function;            ///< empty: train_step, or predict where nothing is trained
  int64_t steps = 0;               ///< 0: as many as fit into a second, at least 20
  int32_t threads = 0;             ///< 0: one per core
  uint64_t seed = 0;               ///< of random data
  std::vector<std::string> inputs; ///< "NAME=FILE": values as they lie in memory
  std::string weights;             ///< a checkpoint or weights; empty: the initial ones
  bool byNode = false;
  bool values = false; ///< what launches give, in place of their times
  std::string trace;   ///< where a Chrome trace goes; empty: nowhere
};

/// Makes a shared library of a static one and gives back its path, "" after an error that has been printed.
using LinkArchive = std::function<std::string(const std::string &archive, const std::string &name)>;

/// Writes a file as a whole or not at all; what went wrong, "" if nothing did.
using WriteFile = std::function<std::string(const std::string &path, const std::string &content)>;

/// The SHA-256 of a file in hexadecimal digits, "" after an error that has been printed.
using Digest = std::function<std::string(const std::string &path)>;

/// What needs the compiler's own libraries.
struct ProfileServices {
  LinkArchive linkArchive;
  WriteFile writeFile;
  Digest digest;
};

/// Runs a compiled model and prints where its time goes, or what it computes; an exit code. `file` is a
/// library or its manifest.
int profile(const std::string &file, const ProfileOptions &options, const ProfileServices &services);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_PROFILE_H
