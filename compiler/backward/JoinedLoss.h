//===- JoinedLoss.h - the loss of several batches --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_JOINEDLOSS_H
#define DLC_COMPILER_BACKWARD_JOINEDLOSS_H

#include "dialects/train/Train.h"

namespace dlc::backward {

/// What the loss of several batches that are joined to one is of those of each: their sum, or their mean, in
/// which each counts by its weight, the number by which its own mean was divided.
enum class JoinedLoss { Sum, Mean };

/// Looks at what the loss of `forward` is made of. That of a mean gets its weight, which `train.loss` lacks
/// where the model computes its loss itself. An error names what is neither a sum nor a mean over the batch.
mlir::FailureOr<JoinedLoss> joinLosses(train::FunctionOp forward);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_JOINEDLOSS_H
