//===- LossFit.h - does a loss fit what the model gives --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_LOSSFIT_H
#define DLC_COMPILER_FORWARD_LOSSFIT_H

#include "compiler/forward/Prediction.h"
#include "compiler/forward/ValueFacts.h"

namespace dlc::forward {

/// The axis of the classes for a class loss: `option` (a number, negative ones count from the end) where it
/// is given, else the axis of the softmax that the model ends in, else axis 1, with a warning where there is
/// more than one way to read the prediction.
mlir::FailureOr<int64_t> chooseClassAxis(Prediction prediction, const ValueFacts &facts, llvm::StringRef loss,
                                         llvm::StringRef option);

/// An axis as chooseClassAxis takes it; "" for none.
inline std::string textOfAxis(std::optional<int64_t> axis) { return axis ? std::to_string(*axis) : ""; }

/// Whether the loss can work with `x`, which it takes of the prediction: an error where it gives NaN or has
/// no lower end for numbers that the model can give, a warning where it probably is not what is meant.
mlir::LogicalResult checkFit(Prediction prediction, mlir::Value x, const ValueFacts &facts,
                             llvm::StringRef loss, int64_t classes);

/// Warns where a loss that is a part of the model is given probabilities, of which it takes a softmax or a
/// sigmoid once more.
void warnOfOwnLosses(train::FunctionOp function);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_LOSSFIT_H
