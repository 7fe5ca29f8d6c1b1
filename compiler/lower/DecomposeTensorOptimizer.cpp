//===- DecomposeTensorOptimizer.cpp - updates by norms and products --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that look at a parameter as a whole.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Update.h"
#include "dialects/train/MoreOptimizers.h"
#include <algorithm>
#include <cmath>

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

/// The Euclidean norm, in f64 but for the sum.
static Expr norm(Expr x) { return sqrt(cast(sumAll(x * x), x.getBuilder().getF64Type())); }

static Values lamb(train::LambOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr beta1 = u.number(op.getBeta1()), beta2 = u.number(op.getBeta2());
  Expr correction = sqrt(1 - pow(beta2, u.step())); // as of Adam
  Expr m = u.average(beta1, u.slot(op.getExpAvg()), u.g),
       v = u.average(beta2, u.slot(op.getExpAvgSq()), u.g * u.g);
  Expr denominator = sqrt(v) + u.inKind(u.number(op.getEpsilon()) * correction);
  Expr adapted = u.inKind(correction / (1 - pow(beta1, u.step()))) * m / denominator;
  Expr change = fma(u.inKind(u.number(op.getWeightDecay())), u.w, adapted);
  Expr length = norm(u.w), changeLength = norm(change);
  Expr isSomething =
      logicalAnd(greater(length, length.scalar(0)), greater(changeLength, changeLength.scalar(0)));
  Expr trust = select(isSomething, length / changeLength, 1);
  return {u.w - u.inKind(u.number(op.getLearningRate()) * trust) * change, m, v};
}

/// Five steps of Newton and Schulz, after which the matrix is nearly orthogonal: its singular values lie
/// around 1. The products with its transpose are formed along the shorter side.
static Expr orthogonalized(Expr x) {
  bool isTall = x.type().getDimSize(0) > x.type().getDimSize(1);
  Expr length = norm(x);
  x = x * cast(1 / max(length, length.scalar(1e-7)), x.elementType());
  for (int step = 0; step < 5; ++step) {
    Expr gram = matmul(x, x, /*transposeA=*/isTall, /*transposeB=*/!isTall);
    Expr polynomial = -4.7750 * gram + 2.0315 * matmul(gram, gram);
    x = 3.4445 * x + (isTall ? matmul(x, polynomial) : matmul(polynomial, x));
  }
  return x;
}

static Values muon(train::MuonOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr momentum = u.number(op.getMomentum());
  Expr b = u.average(momentum, u.slot(op.getMomentumBuffer()), u.g);
  Expr direction = orthogonalized(u.average(1 - momentum, u.g, b)); // (1 - momentum) g + momentum b
  auto shape = u.w.type().getShape();
  double stretch = shape[0] > shape[1] && shape[1] ? std::sqrt(double(shape[0]) / double(shape[1])) : 1;
  return {u.shrunk() - u.inKind(u.number(op.getLearningRate()) * stretch) * direction, b};
}

/// The root of the mean of the squares, in f64 but for the sum.
static Expr rootMeanSquare(Expr x) {
  return norm(x) / std::sqrt(double(std::max<int64_t>(1, x.type().getNumElements())));
}

/// Adafactor's numbers of a step.
template <typename Op> struct AdafactorStep {
  Update<Op> &u;
  Op op;
  Expr beta, rate, least;

  AdafactorStep(Update<Op> &u, Op op)
      : u(u), op(op), beta(1 - pow(u.step(), u.number(op.getBeta2Decay()))),
        rate(max(rootMeanSquare(u.w), u.number(op.getEpsilon2())) *
             min(1 / sqrt(u.step()), u.number(op.getLearningRate()))),
        least(u.inKind(u.number(op.getEpsilon()) * u.number(op.getEpsilon()))) {}
  /// The new parameter, of an estimate of the second moment.
  Expr updated(Expr variance) {
    Expr change = u.g / sqrt(max(variance, least));
    Expr excess = rootMeanSquare(change) / u.number(op.getClipThreshold());
    return u.shrunk() - u.inKind(rate / max(excess, excess.scalar(1))) * change;
  }
};

static Values adafactor(train::AdafactorOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  AdafactorStep<train::AdafactorOp> a(u, op);
  int64_t last = u.w.rank() - 1;
  Expr squares = u.g * u.g;
  Expr rows = u.average(a.beta, u.slot(op.getRowVar()), mean(squares, {last}, /*keepdims=*/true));
  Expr columns = u.average(a.beta, u.slot(op.getColVar()), mean(squares, {last - 1}, /*keepdims=*/true));
  Expr whole = max(mean(rows, {last - 1}, /*keepdims=*/true), u.inKind(u.number(op.getEpsilon())));
  return {a.updated(rows / whole * columns), rows, columns};
}

static Values adafactorVector(train::AdafactorVectorOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  AdafactorStep<train::AdafactorVectorOp> a(u, op);
  Expr variance = u.average(a.beta, u.slot(op.getVariance()), u.g * u.g);
  return {a.updated(variance), variance};
}

/// Rows with nothing but zeros in their gradient are those that were not looked up. A NaN is no zero.
static Values sparseAdam(train::SparseAdamOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr beta1 = u.number(op.getBeta1()), beta2 = u.number(op.getBeta2());
  Expr largest = abs(u.g);
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 1; axis < u.w.rank(); ++axis)
    axes.push_back(axis);
  if (!axes.empty())
    largest = reduceMax(largest, axes, /*keepdims=*/true);
  Expr isAbsent = equal(largest, largest.scalar(0)), m = u.slot(op.getExpAvg()), v = u.slot(op.getExpAvgSq());
  Expr newM = u.average(beta1, m, u.g), newV = u.average(beta2, v, u.g * u.g);
  Expr rate = u.number(op.getLearningRate()) * sqrt(1 - pow(beta2, u.step())) / (1 - pow(beta1, u.step()));
  Expr w = u.w - u.inKind(rate) * newM / (sqrt(newV) + u.inKind(u.number(op.getEpsilon())));
  return {select(isAbsent, u.w, w), select(isAbsent, m, newM), select(isAbsent, v, newV)};
}

void addTensorOptimizerDecompositions(Decompositions &table) {
  table.add<train::LambOp>(lamb);
  table.add<train::MuonOp>(muon);
  table.add<train::AdafactorOp>(adafactor);
  table.add<train::AdafactorVectorOp>(adafactorVector);
  table.add<train::SparseAdamOp>(sparseAdam);
}

} // namespace dlc::lower
