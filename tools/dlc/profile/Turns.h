//===- Turns.h - libraries timed against each other --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_TURNS_H
#define DLC_TOOLS_DLC_PROFILE_TURNS_H

#include "tools/dlc/profile/Profile.h"
#include <string>
#include <vector>

namespace dlc::tool {

/// Nanoseconds of a training step of each library, named by its manifest, on one thread: the least of many
/// steps. They run in turn, so that whatever else the machine does meets all of them. Empty after an error,
/// which has been printed.
std::vector<double> timeInTurn(const std::vector<std::string> &manifests, const Digest &digest,
                               double secondsEach);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_TURNS_H
