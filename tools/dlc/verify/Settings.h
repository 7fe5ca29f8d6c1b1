//===- Settings.h - what dlc verify can be told ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_VERIFY_SETTINGS_H
#define DLC_TOOLS_DLC_VERIFY_SETTINGS_H

#include <cstdint>
#include <string>
#include <vector>

namespace dlc::tool {

struct VerifyOptions {
  int64_t steps = 10;              ///< training steps that are followed
  double seconds = 60;             ///< after which nothing new is begun
  uint64_t inputSeed = 0;          ///< of random inputs
  std::vector<std::string> inputs; ///< "NAME=FILE": values as they lie in memory
  std::string device;              ///< empty: the first of the targets that is there
  int32_t threads = 0;             ///< 0: one per core
  int64_t lines = 20;              ///< of the table
  bool json = false;
  bool beforeWriting = false; ///< of dlc compile: nothing is written where it differs
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_VERIFY_SETTINGS_H
