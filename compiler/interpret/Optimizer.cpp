//===- Optimizer.cpp - optimizer updates ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer updates that are computed element by element: the formulas of OptimizerOps.td.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/train/MoreOptimizers.h"

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

/// Adam, and AMSGrad, whose denominator has the largest second moment so far.
template <typename Op> void updateAdam(const Element &at, Op op) {
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
  double largest = v;
  if constexpr (std::is_same_v<Op, train::AmsgradOp>)
    at.result(3) = largest = maximum(at.of(op.getMaxExpAvgSq()), v);
  double denominator = std::sqrt(largest) / std::sqrt(correction2) + at.e.scalar(op.getEpsilon());
  at.result(0) = w - lr / correction1 * m / denominator;
  at.result(1) = m;
  at.result(2) = v;
}
void update(const Element &at, train::AdamOp op) { updateAdam(at, op); }
void update(const Element &at, train::AmsgradOp op) { updateAdam(at, op); }

/// The moments of Adam's relatives, whose decay is part of the gradient.
template <typename Op> struct Moments {
  double w, g, m, v, lr, beta1, beta2, epsilon, step;

  Moments(const Element &at, Op op)
      : w(at.of(op.getW())), g(at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w),
        lr(at.e.scalar(op.getLearningRate())), beta1(at.e.scalar(op.getBeta1())),
        beta2(at.e.scalar(op.getBeta2())), epsilon(at.e.scalar(op.getEpsilon())),
        step(at.e.scalar(op.getStep())) {
    m = at.result(1) = beta1 * at.of(op.getExpAvg()) + (1 - beta1) * g;
    v = at.result(2) = beta2 * at.of(op.getExpAvgSq()) + (1 - beta2) * g * g;
  }
};

void update(const Element &at, train::NadamOp op) {
  Moments a(at, op);
  double decay = at.e.scalar(op.getMomentumDecay());
  auto momentum = [&](double step) { return a.beta1 * (1 - 0.5 * std::pow(0.96, step * decay)); };
  double mu = momentum(a.step), next = momentum(a.step + 1);
  double product = (a.step == 1 ? 1 : at.e.scalar(op.getMuProduct())) * mu;
  double denominator = std::sqrt(a.v / (1 - std::pow(a.beta2, a.step))) + a.epsilon;
  at.result(0) = a.w - a.lr * (1 - mu) / (1 - product) * a.g / denominator -
                 a.lr * next / (1 - product * next) * a.m / denominator;
  at.e.result(3).floats[0] = product;
}

void update(const Element &at, train::RadamOp op) {
  Moments a(at, op);
  double correction2 = 1 - std::pow(a.beta2, a.step), most = 2 / (1 - a.beta2) - 1;
  double length = most - 2 * a.step * std::pow(a.beta2, a.step) / correction2;
  double change = a.lr * a.m / (1 - std::pow(a.beta1, a.step));
  if (length > 5)
    change *= std::sqrt(correction2) / (std::sqrt(a.v) + a.epsilon) *
              std::sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length));
  at.result(0) = a.w - change;
}

void update(const Element &at, train::AdamaxOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  double beta1 = at.e.scalar(op.getBeta1());
  double m = beta1 * at.of(op.getExpAvg()) + (1 - beta1) * g;
  double largest = maximum(at.e.scalar(op.getBeta2()) * at.of(op.getExpInf()),
                           std::fabs(g) + at.e.scalar(op.getEpsilon()));
  at.result(0) =
      w - at.e.scalar(op.getLearningRate()) / (1 - std::pow(beta1, at.e.scalar(op.getStep()))) * m / largest;
  at.result(1) = m;
  at.result(2) = largest;
}

void update(const Element &at, train::AdadeltaOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  double rho = at.e.scalar(op.getRho()), epsilon = at.e.scalar(op.getEpsilon());
  double squares = rho * at.of(op.getSquareAvg()) + (1 - rho) * g * g;
  double change = std::sqrt(at.of(op.getAccDelta()) + epsilon) / std::sqrt(squares + epsilon) * g;
  at.result(0) = w - at.e.scalar(op.getLearningRate()) * change;
  at.result(1) = squares;
  at.result(2) = rho * at.of(op.getAccDelta()) + (1 - rho) * change * change;
}

void update(const Element &at, train::LionOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG()), m = at.of(op.getExpAvg());
  double lr = at.e.scalar(op.getLearningRate()), beta1 = at.e.scalar(op.getBeta1()),
         beta2 = at.e.scalar(op.getBeta2());
  double mixed = beta1 * m + (1 - beta1) * g;
  double sign = mixed > 0 ? 1 : mixed < 0 ? -1 : mixed; // 0 and NaN stay what they are
  at.result(0) = w * (1 - lr * at.e.scalar(op.getWeightDecay())) - lr * sign;
  at.result(1) = beta2 * m + (1 - beta2) * g;
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

void update(const Element &at, train::RpropOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG()), before = at.of(op.getPrev()),
         size = at.of(op.getStepSize());
  auto signOf = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; };
  double agreement = signOf(g) * signOf(before);
  if (size == 0)
    size = at.e.scalar(op.getLearningRate());
  size *= agreement > 0    ? at.e.scalar(op.getEtaPlus())
          : agreement < 0  ? at.e.scalar(op.getEtaMinus())
          : agreement == 0 ? 1
                           : agreement;
  if (size < at.e.scalar(op.getStepSizeMin()))
    size = at.e.scalar(op.getStepSizeMin());
  if (size > at.e.scalar(op.getStepSizeMax()))
    size = at.e.scalar(op.getStepSizeMax());
  if (agreement < 0)
    g = 0;
  at.result(0) = w - signOf(g) * size;
  at.result(1) = g;
  at.result(2) = size;
}

void update(const Element &at, train::AsgdOp op) {
  double w = at.of(op.getW()), g = at.of(op.getG()) + at.e.scalar(op.getWeightDecay()) * w;
  double lr = at.e.scalar(op.getLearningRate()), lambd = at.e.scalar(op.getLambd()),
         step = at.e.scalar(op.getStep());
  double eta = step == 1 ? lr : at.e.scalar(op.getEta());
  double moved = w * (1 - lambd * eta) - eta * g;
  double mu = 1 / std::fmax(1, step - 1 - at.e.scalar(op.getT0()));
  at.result(0) = moved;
  at.result(1) = mu == 1 ? moved : at.of(op.getAx()) + mu * (moved - at.of(op.getAx()));
  at.e.result(2).floats[0] = lr / std::pow(1 + lambd * lr * step, at.e.scalar(op.getAlpha()));
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
         evaluateUpdate<train::AdamOp>(e) || evaluateUpdate<train::AmsgradOp>(e) ||
         evaluateUpdate<train::NadamOp>(e) || evaluateUpdate<train::RadamOp>(e) ||
         evaluateUpdate<train::AdamaxOp>(e) || evaluateUpdate<train::AdadeltaOp>(e) ||
         evaluateUpdate<train::RmspropOp>(e) || evaluateUpdate<train::AdagradOp>(e) ||
         evaluateUpdate<train::LionOp>(e) || evaluateUpdate<train::RpropOp>(e) ||
         evaluateUpdate<train::AsgdOp>(e);
}

} // namespace dlc::interpret
