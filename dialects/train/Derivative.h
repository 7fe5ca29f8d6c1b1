//===- Derivative.h - functions that differentiate -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives are functions of the kind `predict`, which mark themselves with an attribute. What they alone
// are given and give is marked by the same name. Those of the prediction say of what it is the derivative:
//
//   train.input target @scores_cotangent {vjp = @scores}
//   train.output prediction @image_gradient {vjp = @image}
//   train.function predict @vjp attributes {vjp}
//
// The Hessian-vector product is one of the loss by all trained parameters, which lie in one array:
//
//   train.input target @vector {hvp}
//   train.output prediction @product {hvp}
//   train.function predict @hvp attributes {hvp}
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_DERIVATIVE_H
#define DLC_DIALECTS_TRAIN_DERIVATIVE_H

#include "dialects/train/Train.h"

namespace train {

enum class Derivative { None, Vjp, Jvp, Hvp };

/// The name of its function in C, and of the attribute.
inline llvm::StringRef derivativeName(Derivative derivative) {
  switch (derivative) {
  case Derivative::Vjp:
    return "vjp";
  case Derivative::Jvp:
    return "jvp";
  case Derivative::Hvp:
    return "hvp";
  case Derivative::None:
    return "";
  }
  llvm_unreachable("a kind of derivative");
}

/// Marks vjp or jvp where a function of C makes whole Jacobians of their calls.
constexpr llvm::StringLiteral jacobianName = "jacobian";

/// Whether it is one of the loss, whose function takes targets, too.
inline bool isOfLoss(Derivative derivative) { return derivative == Derivative::Hvp; }

/// Which derivative a function, input or output belongs to.
inline Derivative derivativeOf(mlir::Operation *op) {
  for (Derivative derivative : {Derivative::Vjp, Derivative::Jvp, Derivative::Hvp})
    if (op->hasAttr(derivativeName(derivative)))
      return derivative;
  return Derivative::None;
}

/// Of what an input or output of a derivative is the derivative: the name of an input or a prediction; of the
/// loss's, "".
inline llvm::StringRef differentiated(mlir::Operation *op) {
  auto symbol = op->getAttrOfType<mlir::FlatSymbolRefAttr>(derivativeName(derivativeOf(op)));
  return symbol ? symbol.getValue() : "";
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
