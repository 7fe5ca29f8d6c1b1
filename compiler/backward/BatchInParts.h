//===- BatchInParts.h - training functions that go over a batch in parts -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_BATCHINPARTS_H
#define DLC_COMPILER_BACKWARD_BATCHINPARTS_H

#include "compiler/backward/StepMetrics.h"
#include "compiler/backward/TrainingState.h"
#include "dialects/train/BatchParts.h"
#include <optional>

namespace dlc::backward {

/// Builds train_step, grad_step and accumulate, and the functions for one part that they begin with: as many
/// parts as the attribute of the program says. `weight` is as of writeGradients; `told` is what they tell of
/// their batch, if anything.
mlir::LogicalResult buildStepsInParts(train::FunctionOp forward, const GradientStates &states,
                                      train::StateOp weight, std::optional<StepMetrics> told);

/// In front of what keeps ranks from having parts of a batch.
constexpr llvm::StringLiteral whyNoRanks =
    "ranks cannot share a training step of this model; train it in one process, without mpirun and --launch: ";

/// Whether the loss is the mean or the sum of one operation's losses, which a part of the batch can divide by
/// the weight of the whole.
bool isOneOperations(train::LossOp loss);

/// Why a batch cannot be gone over in parts, as far as the model's whole operations tell; nullopt if it can.
/// Whether samples meet before the loss is seen later, in loop nests.
std::optional<std::string> whatKeepsBatchWhole(train::ProgramOp program);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_BATCHINPARTS_H
