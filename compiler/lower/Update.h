//===- Update.h - an optimizer update as formulas --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What does not depend on the element is computed in f64, as PyTorch does, and cast once to the
// parameter's dtype. These rank-0 expressions are equal for all parameters, so they are computed once a step.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_UPDATE_H
#define DLC_COMPILER_LOWER_UPDATE_H

#include "compiler/lower/Decompose.h"

namespace dlc::lower {

/// An update's parameter and gradient, and its scalars.
template <typename Op> struct Update {
  mlir::ImplicitLocOpBuilder &builder;
  nn::Expr w, g;

  Update(mlir::ImplicitLocOpBuilder &builder, Op op)
      : builder(builder), w(builder, op.getW()), g(builder, op.getG()), op(op) {}
  nn::Expr number(mlir::Value hyperparameter) const { return {builder, hyperparameter}; }
  /// The number of this update, from 1, in f64.
  nn::Expr step() { return nn::cast(nn::Expr(builder, op.getStep()), builder.getF64Type()); }
  nn::Expr slot(mlir::Value value) const { return {builder, value}; }
  /// An f64 scalar in the dtype of the parameter.
  nn::Expr inKind(nn::Expr scalar) const { return nn::cast(scalar, w.elementType()); }
  /// The gradient of the parameter with decay towards zero.
  nn::Expr decayed() { return fma(inKind(number(op.getWeightDecay())), w, g); }
  /// The parameter after a decay that is not part of the gradient.
  nn::Expr shrunk() { return w - inKind(number(op.getLearningRate()) * number(op.getWeightDecay())) * w; }
  /// beta * old + (1 - beta) * now with one multiply-add an element: old + (1 - beta) (now - old), or, where
  /// that would lose the digits of a small beta, now - beta (now - old). (PyTorch's lerp chooses likewise.)
  nn::Expr average(nn::Expr beta, nn::Expr old, nn::Expr now) const {
    nn::Expr slow = lessEqual(beta.scalar(0.5), beta);
    return fma(inKind(select(slow, 1 - beta, 0 - beta)), now - old, select(slow, old, now));
  }

private:
  Op op;
};

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_UPDATE_H
