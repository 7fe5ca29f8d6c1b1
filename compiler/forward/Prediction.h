//===- Prediction.h - the output that a loss is computed from --------------===//
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

/// The scores for a loss that applies a softmax itself: where the model ends in a softmax or log-softmax over
/// `axis`, what goes into it; else the prediction's value. Reshapes and transposes after the softmax are done
/// to the scores instead. A log-softmax changes nothing of the loss, which a remark says; a softmax does,
/// which is a warning, and where `keepsSoftmax` it stays.
mlir::Value withoutSoftmax(mlir::OpBuilder &builder, Prediction prediction, llvm::StringRef loss,
                           int64_t axis, bool keepsSoftmax);

/// The scores for a loss that applies a sigmoid itself: where the model ends in a sigmoid, what goes into it,
/// with a warning; else the prediction's value.
mlir::Value withoutSigmoid(mlir::OpBuilder &builder, Prediction prediction, llvm::StringRef loss);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_PREDICTION_H
