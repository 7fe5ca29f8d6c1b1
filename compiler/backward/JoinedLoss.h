//===- JoinedLoss.h - the loss of several batches --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_JOINEDLOSS_H
#define DLC_COMPILER_BACKWARD_JOINEDLOSS_H

#include "dialects/train/Train.h"
#include <optional>

namespace dlc::backward {

/// What the loss of several batches that are joined to one is of those of each: their sum, or their mean, in
/// which each counts by its weight, the number by which its own mean was divided.
enum class JoinedLoss { Sum, Mean };

/// Is told the operation that is neither a sum nor a mean over the batch, and why it is none.
using ReportUnknown = llvm::function_ref<void(mlir::Operation *op, llvm::StringRef why)>;

/// Looks at what the loss of a function with named dims is made of; nullopt where that is not known. That of
/// a mean gets its weight, which `train.loss` lacks where the model computes its loss itself.
std::optional<JoinedLoss> findJoinedLoss(train::FunctionOp function, ReportUnknown report);
/// The same for gradients that are to be averaged: what is not known is an error.
mlir::FailureOr<JoinedLoss> joinLosses(train::FunctionOp forward);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_JOINEDLOSS_H
