//===- DecomposeOptimizer.cpp - optimizer updates as formulas --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What does not depend on the element is computed in f64, as PyTorch does, and cast once to the
// parameter's dtype. These rank-0 expressions are equal for all parameters, so they are computed once a step.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

namespace {
/// An update's parameter and gradient, and its scalars.
template <typename Op> struct Update {
  ImplicitLocOpBuilder &builder;
  Expr w, g;

  Update(ImplicitLocOpBuilder &builder, Op op)
      : builder(builder), w(builder, op.getW()), g(builder, op.getG()), op(op) {}
  Expr number(mlir::Value hyperparameter) const { return {builder, hyperparameter}; }
  /// The number of this update, from 1, in f64.
  Expr step() { return nn::cast(Expr(builder, op.getStep()), builder.getF64Type()); }
  Expr slot(mlir::Value value) const { return {builder, value}; }
  /// An f64 scalar in the dtype of the parameter.
  Expr inKind(Expr scalar) const { return nn::cast(scalar, w.elementType()); }
  /// The gradient of the parameter with decay towards zero.
  Expr decayed() { return fma(inKind(number(op.getWeightDecay())), w, g); }

private:
  Op op;
};
} // namespace

static Values plainSgd(train::PlainSgdOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  return {fma(u.inKind(0 - u.number(op.getLearningRate())), u.decayed(), u.w)};
}

// In the first step m' = d: the coefficients of m and d are then 0 and 1.
static Values sgd(train::SgdOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr first = lessEqual(u.step(), u.step().scalar(1)), momentum = u.number(op.getMomentum());
  Expr d = u.decayed();
  Expr keep = u.inKind(select(first, 0, momentum));
  Expr take = u.inKind(select(first, 1, 1 - u.number(op.getDampening())));
  Expr m = keep * u.slot(op.getMomentumBuffer()) + take * d;
  Expr direction = op.getNesterov() ? d + u.inKind(momentum) * m : m;
  return {u.w - u.inKind(u.number(op.getLearningRate())) * direction, m};
}

/// beta * old + (1 - beta) * now with one multiply-add an element: old + (1 - beta) (now - old), or, where
/// that would lose the digits of a small beta, now - beta (now - old). (PyTorch's lerp chooses likewise.)
static Expr average(const Update<train::AdamOp> &u, Expr beta, Expr old, Expr now) {
  Expr slow = lessEqual(beta.scalar(0.5), beta);
  return fma(u.inKind(select(slow, 1 - beta, 0 - beta)), now - old, select(slow, old, now));
}

static Values adam(train::AdamOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr lr = u.number(op.getLearningRate()), beta1 = u.number(op.getBeta1()), beta2 = u.number(op.getBeta2());
  // With c = sqrt(1 - beta2^step): lr' m / (sqrt(v) / c + epsilon) = (lr' c) m / (sqrt(v) + epsilon c), which
  // saves a multiplication an element (the order at the end of section 2 of the paper).
  Expr correction = sqrt(1 - pow(beta2, u.step()));
  Expr stepSize = lr / (1 - pow(beta1, u.step())) * correction;
  Expr w = u.w, g = u.g;
  if (op.getDecoupled())
    w = w - u.inKind(lr * u.number(op.getWeightDecay())) * w;
  else
    g = u.decayed();
  Expr m = average(u, beta1, u.slot(op.getExpAvg()), g);
  Expr v = average(u, beta2, u.slot(op.getExpAvgSq()), g * g);
  Expr denominator = sqrt(v) + u.inKind(u.number(op.getEpsilon()) * correction);
  return {fma(u.inKind(0 - stepSize), m / denominator, w), m, v};
}

static Values rmsprop(train::RmspropOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr alpha = u.number(op.getAlpha()), g = u.decayed();
  Expr keep = u.inKind(alpha), take = u.inKind(1 - alpha);
  Expr v = keep * u.slot(op.getSquareAvg()) + take * (g * g), s = v;
  Expr a = u.slot(op.getGradAvg());
  if (op.getCentered()) {
    a = keep * a + take * g;
    s = v - a * a;
  }
  Expr scaled = g / (sqrt(s) + u.inKind(u.number(op.getEpsilon())));
  Expr b = u.inKind(u.number(op.getMomentum())) * u.slot(op.getMomentumBuffer()) + scaled;
  return {u.w - u.inKind(u.number(op.getLearningRate())) * b, v, b, a};
}

static Values adagrad(train::AdagradOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr g = u.decayed(), sum = u.slot(op.getSum()) + g * g;
  Expr lr = u.number(op.getLearningRate()) / (1 + (u.step() - 1) * u.number(op.getLrDecay()));
  return {u.w - u.inKind(lr) * g / (sqrt(sum) + u.inKind(u.number(op.getEpsilon()))), sum};
}

static Values gradient(train::GradientOp op, ImplicitLocOpBuilder &) { return {op.getValue()}; }

void addOptimizerDecompositions(Decompositions &table) {
  table.add<train::PlainSgdOp>(plainSgd);
  table.add<train::SgdOp>(sgd);
  table.add<train::AdamOp>(adam);
  table.add<train::RmspropOp>(rmsprop);
  table.add<train::AdagradOp>(adagrad);
  table.add<train::GradientOp>(gradient);
}

} // namespace dlc::lower
