//===- DecomposeTensorOptimizer.cpp - updates by norms and products --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that look at a parameter as a whole.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Update.h"
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

void addTensorOptimizerDecompositions(Decompositions &table) {
  table.add<train::LambOp>(lamb);
  table.add<train::MuonOp>(muon);
}

} // namespace dlc::lower
