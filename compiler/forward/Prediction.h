//===- Prediction.h - the output that a loss is of -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_PREDICTION_H
#define DLC_COMPILER_FORWARD_PREDICTION_H

#include "dialects/train/Train.h"

namespace dlc::forward {

/// An output of the model: its name and value.
struct Prediction {
  llvm::StringRef name;
  mlir::Value value;
};

/// The output `name`, or the only one if `name` is empty; else an error that says what `loss` needs.
mlir::FailureOr<Prediction> findPrediction(train::FunctionOp forward, llvm::StringRef name,
                                           llvm::StringRef loss);

/// "[batch, 10] f32", for messages.
std::string describe(mlir::Type type);

/// Logits for a loss that computes a softmax over dim 1. If the model ends in a softmax (or log-softmax),
/// this is the operand of that softmax, and a remark says so; otherwise it is `value`. A softmax over another
/// dim is an error.
mlir::FailureOr<mlir::Value> withoutSoftmax(mlir::OpBuilder &builder, Prediction prediction,
                                            llvm::StringRef loss);

/// The same for a loss that computes a sigmoid.
mlir::Value withoutSigmoid(mlir::OpBuilder &builder, Prediction prediction, llvm::StringRef loss);

/// Warns where the model ends in a softmax though the loss wants log-probabilities.
void warnOfProbabilities(Prediction prediction, llvm::StringRef loss);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_PREDICTION_H
