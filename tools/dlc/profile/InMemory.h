//===- InMemory.h - profiles of programs in this process --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_INMEMORY_H
#define DLC_TOOLS_DLC_PROFILE_INMEMORY_H

#include "tools/dlc/profile/Report.h"

namespace dlc::tool {

/// A measurement as text and numbers, or the sentence that says why there is none.
struct ProfileInMemory {
  std::string error;
  std::string text, trace;
  std::vector<TimedLine> lines;
  double nanoseconds = 0; ///< of one call
  int64_t calls = 0;
  int threads = 0;
};

/// Measures a function of a model whose code and initial values are in memory, with the manifest that was
/// made of it. Throws nothing.
ProfileInMemory profileInMemory(const dlc_model &model, const std::string &manifest,
                                const ProfileOptions &options);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_INMEMORY_H
