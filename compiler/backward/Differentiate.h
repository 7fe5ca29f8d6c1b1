//===- Differentiate.h - a copy of forward becomes a step ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_DIFFERENTIATE_H
#define DLC_COMPILER_BACKWARD_DIFFERENTIATE_H

#include "compiler/backward/Functions.h"
#include "compiler/backward/TrainingState.h"

namespace dlc::backward {

/// The values of the trainable parameters that the function reads.
llvm::SmallVector<mlir::Value> trainableValues(train::FunctionOp function);

/// Where a training step writes its loss; null where the program has no place for it.
train::OutputOp lossOutput(train::ProgramOp program);

/// The border between a parameter's gradient and what is done with it.
void markGradient(mlir::OpBuilder &builder, mlir::StringAttr parameter, mlir::Value gradient);

/// In what comes after an operation of a function: makes one product of those in a sum that have few terms
/// each, like the gradients of a weight that is applied at each time.
void joinProducts(mlir::Operation *last);

/// Adds the gradients to `function`, a copy of `forward`, which ends in its writes afterwards. The loss goes
/// to the program's output, or is added to `sumOfParts`; its weight to `weight`, where there is one.
mlir::LogicalResult differentiate(train::FunctionOp function, train::StateOp sumOfParts = nullptr,
                                  train::StateOp weight = nullptr);

/// Writes the gradients to their states, or adds them to what is there. With a `weight`, which the function
/// writes, what is there becomes the mean of both.
void writeGradients(train::FunctionOp function, const GradientStates &states, train::StateOp weight,
                    bool accumulate);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_DIFFERENTIATE_H
