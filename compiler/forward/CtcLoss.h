//===- CtcLoss.h - sequences of labels without an alignment ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_CTCLOSS_H
#define DLC_COMPILER_FORWARD_CTCLOSS_H

#include "compiler/forward/Prediction.h"
#include "compiler/forward/ValueFacts.h"
#include "dialects/nn/Expr.h"

namespace dlc::forward {

/// The axes of a prediction of sequences.
struct SequenceAxes {
  int64_t time, batch, classes;
};
/// Classes lie along `class-axis`, or the axis of the softmax that the model ends in, or the last one. Of the
/// other two axes one is the batch, which its name tells, or `time-axis`. An error where neither does, or the
/// number of places or of classes is not fixed.
mlir::FailureOr<SequenceAxes> chooseSequenceAxes(Prediction prediction, const ValueFacts &facts,
                                                 train::LossAttr recipe);

/// What the loss is computed from.
struct SequenceOperands {
  mlir::Value logProbs; ///< logarithms of probabilities, along `axes`
  SequenceAxes axes;
  mlir::Value labels;                     ///< integers [batch, most]
  mlir::Value inputLengths, labelLengths; ///< of the type of the labels, [batch]
};
/// The sum or the mean of the sequences' losses as PyTorch's CTCLoss has them, of the operands' type or
/// float32. A label `ignore-index` stands behind a sequence's end; within, the loss is not a number.
nn::Expr buildCtcLoss(mlir::ImplicitLocOpBuilder &builder, const SequenceOperands &operands,
                      train::LossAttr recipe);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_CTCLOSS_H
