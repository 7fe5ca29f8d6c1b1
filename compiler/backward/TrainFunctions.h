//===- TrainFunctions.h - train_step, grad_step, accumulate, apply ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_TRAINFUNCTIONS_H
#define DLC_COMPILER_BACKWARD_TRAINFUNCTIONS_H

#include "compiler/backward/TrainingState.h"

namespace dlc::backward {

/// Reports all at once what stops the gradients of `forward`: operations between trainable parameters and
/// the loss that have none, and trainable parameters that the loss does not depend on.
mlir::LogicalResult checkGradients(train::FunctionOp forward);

/// Builds the four functions that train from `forward`.
mlir::LogicalResult buildTrainFunctions(train::FunctionOp forward, const Optimizer &optimizer);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_TRAINFUNCTIONS_H
