//===- Derivative.h - functions that differentiate -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives are functions of the kind `predict`, which say which derivative they are. So does what they
// alone are given and give. Of the prediction's derivatives it says of what it is the derivative:
//
//   train.input target @scores_cotangent derivative <vjp of @scores>
//   train.output prediction @image_gradient derivative <vjp of @image>
//   train.function predict @vjp derivative vjp
//
// The Hessian-vector product is one of the loss by all trained parameters, which lie in one array:
//
//   train.input target @vector derivative <hvp>
//   train.output prediction @product derivative <hvp>
//   train.function predict @hvp derivative hvp
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_DERIVATIVE_H
#define DLC_DIALECTS_TRAIN_DERIVATIVE_H

#include "dialects/train/Train.h"

namespace train {

/// The name of its function in C.
inline llvm::StringRef derivativeName(Derivative derivative) {
  return derivative == Derivative::None ? "" : stringifyDerivative(derivative);
}

/// The function of C that makes whole Jacobians of calls of vjp or jvp.
constexpr llvm::StringLiteral jacobianName = "jacobian";

/// Whether it is one of the loss, whose function takes targets, too.
inline bool isOfLoss(Derivative derivative) { return derivative == Derivative::Hvp; }

/// Which derivative a function, input or output belongs to.
inline Derivative derivativeOf(FunctionOp function) {
  return function.getDerivative().value_or(Derivative::None);
}
inline Derivative derivativeOf(DerivativeOfAttr of) { return of ? of.getDerivative() : Derivative::None; }
inline Derivative derivativeOf(InputOp input) { return derivativeOf(input.getDerivativeAttr()); }
inline Derivative derivativeOf(OutputOp output) { return derivativeOf(output.getDerivativeAttr()); }

/// The name of the input or prediction that an input or output of a derivative belongs to; "" for the loss.
template <typename Op> llvm::StringRef differentiated(Op op) {
  DerivativeOfAttr derivative = op.getDerivativeAttr();
  return derivative && derivative.getOf() ? derivative.getOf().getValue() : "";
}

/// What a function is called: "train_step", "predict", "vjp".
inline llvm::StringRef functionName(FunctionOp function) {
  Derivative derivative = derivativeOf(function);
  return derivative == Derivative::None ? stringifyFunctionKind(function.getKind())
                                        : derivativeName(derivative);
}

/// Whether it is the role of the output to be a prediction of the model's.
inline bool isPrediction(OutputOp output) {
  return output.getRole() == OutputRole::Prediction && derivativeOf(output) == Derivative::None;
}

} // namespace train

#endif // DLC_DIALECTS_TRAIN_DERIVATIVE_H
