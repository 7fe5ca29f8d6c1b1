//===- Optimizer.cpp - optimizer updates ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer updates: the formulas of OptimizerOps.td, element by element.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/train/Train.h"

#include <cmath>

namespace dlc::interpret {
namespace {

/// The operands and results of an update at one element.
struct Element {
  Evaluation &e;
  int64_t i;

  double of(mlir::Value operand) const { return e.of(operand).floats[i]; }
  double &result(unsigned k) const { return e.result(k).floats[i]; }
};

void update(const Element &at, train::PlainSgdOp op) {
  double w = at.of(op.getW());
  double d = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  at.result(0) = w - at.e.scalar(op.getLearningRate()) * d;
}

void update(const Element &at, train::SgdOp op) {
  double w = at.of(op.getW()), momentum = at.e.scalar(op.getMomentum());
  double d = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  bool first = at.e.scalar(op.getStep()) == 1;
  double m = first ? d : momentum * at.of(op.getMomentumBuffer()) + (1 - at.e.scalar(op.getDampening())) * d;
  double direction = op.getNesterov() ? d + momentum * m : m;
  if (momentum == 0)
    direction = d;
  at.result(0) = w - at.e.scalar(op.getLearningRate()) * direction;
  at.result(1) = m;
}

void update(const Element &at, train::AdamOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG());
  double lr = at.e.scalar(op.getLearningRate()), decay = at.e.scalar(op.getWeightDecay());
  double beta1 = at.e.scalar(op.getBeta1()), beta2 = at.e.scalar(op.getBeta2()),
         step = at.e.scalar(op.getStep());
  if (op.getDecoupled())
    w *= 1 - lr * decay;
  else
    g += decay * w;
  double m = beta1 * at.of(op.getExpAvg()) + (1 - beta1) * g;
  double v = beta2 * at.of(op.getExpAvgSq()) + (1 - beta2) * g * g;
  double correction1 = 1 - std::pow(beta1, step), correction2 = 1 - std::pow(beta2, step);
  at.result(0) =
      w - lr / correction1 * m / (std::sqrt(v) / std::sqrt(correction2) + at.e.scalar(op.getEpsilon()));
  at.result(1) = m;
  at.result(2) = v;
}

void update(const Element &at, train::RmspropOp op) {
  double w = at.of(op.getW()), alpha = at.e.scalar(op.getAlpha());
  double g = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  double v = alpha * at.of(op.getSquareAvg()) + (1 - alpha) * g * g;
  double average = at.of(op.getGradAvg()), s = v;
  if (op.getCentered()) {
    average = alpha * average + (1 - alpha) * g;
    s = v - average * average;
  }
  double b = at.e.scalar(op.getMomentum()) * at.of(op.getMomentumBuffer()) +
             g / (std::sqrt(s) + at.e.scalar(op.getEpsilon()));
  at.result(0) = w - at.e.scalar(op.getLearningRate()) * b;
  at.result(1) = v;
  at.result(2) = b;
  at.result(3) = average;
}

void update(const Element &at, train::AdagradOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  double sum = at.of(op.getSum()) + g * g;
  double lr = at.e.scalar(op.getLearningRate()) /
              (1 + (at.e.scalar(op.getStep()) - 1) * at.e.scalar(op.getLrDecay()));
  at.result(0) = w - lr * g / (std::sqrt(sum) + at.e.scalar(op.getEpsilon()));
  at.result(1) = sum;
}

template <typename Op> bool evaluateUpdate(Evaluation &e) {
  auto op = mlir::dyn_cast<Op>(e.getOperation());
  if (!op)
    return false;
  for (int64_t i = 0, size = e.of(op.getW()).size(); i < size; ++i)
    update({e, i}, op);
  return true;
}

} // namespace

bool evaluateOptimizer(Evaluation &e) {
  return evaluateUpdate<train::PlainSgdOp>(e) || evaluateUpdate<train::SgdOp>(e) ||
         evaluateUpdate<train::AdamOp>(e) || evaluateUpdate<train::RmspropOp>(e) ||
         evaluateUpdate<train::AdagradOp>(e);
}

} // namespace dlc::interpret
