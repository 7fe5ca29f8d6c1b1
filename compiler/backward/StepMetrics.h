//===- StepMetrics.h - sums and counts of a batch ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What eval_step counts of its rows, and, where it is asked for, what steps that train count of theirs.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_STEPMETRICS_H
#define DLC_COMPILER_BACKWARD_STEPMETRICS_H

#include "compiler/backward/Functions.h"
#include "dialects/nn/Expr.h"

namespace dlc::backward {

/// The operation that a loss takes predictions by, also where the loss is what a description makes of it,
/// such as its mean, or its sum with a penalty; null where there are several or none.
mlir::Operation *classLossIn(mlir::Value loss);

/// How many predictions are right, as the loss tells: labels whose class has the largest score, rows on the
/// target's side; 0 (i64) with losses that tell nothing of the kind.
mlir::Value countCorrect(mlir::ImplicitLocOpBuilder &builder, mlir::Value loss);

/// The outputs of `train_step`, `grad_step` and `accumulate` that tell of their own batch. Where a batch is
/// gone over in parts (BatchParts.h), its weight and its count are sums over them.
struct StepMetrics {
  train::OutputOp lossSum, lossWeight, correct;
  train::StateOp partWeight, partCorrect; ///< null where a batch is one
  bool isMean = false;                    ///< the loss: its sum is it times its weight

  /// Declares them. Looks at the loss of the model, as findJoinedLoss does, and gives it a weight where it
  /// lacks one.
  static StepMetrics declare(train::FunctionOp forward);

  /// Adds what is to be written to a function that has its loss still.
  void measure(train::FunctionOp function);

  /// The same in parts: before the first one, in each, and when all are done and `loss` is the batch's, or,
  /// where other ranks have other parts, a share that was divided by `divisor`.
  void beginParts(mlir::ImplicitLocOpBuilder &builder, llvm::SmallVectorImpl<Write> &writes);
  void measurePart(train::FunctionOp function);
  void finishParts(train::FunctionOp function, nn::Expr loss,
                   std::optional<nn::Expr> divisor = std::nullopt);

private:
  void write(train::FunctionOp function, nn::Expr loss, nn::Expr weight, nn::Expr count, nn::Expr divisor);
};

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_STEPMETRICS_H
