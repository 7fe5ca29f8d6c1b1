//===- Samples.h - where samples of a batch meet ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_SAMPLES_H
#define DLC_COMPILER_FUSE_SAMPLES_H

#include "dialects/train/Train.h"
#include <optional>

namespace dlc::fuse {

/// What in the forward pass of a step, after the stage lower, cannot be computed for so many parts of a batch
/// apart, up to the sums of the loss: because samples meet there, or because it is not known whether they do.
/// Nullopt where all can.
std::optional<std::string> whatJoinsSamples(train::FunctionOp step, int64_t parts);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_SAMPLES_H
