//===- DecomposeOptimizer.cpp - optimizer updates as formulas --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that are computed element by element.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Update.h"
#include "dialects/train/MoreOptimizers.h"

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

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

/// Adam's numbers of a step. With c = sqrt(1 - beta2^step): lr' m / (sqrt(v) / c + epsilon) =
/// (lr' c) m / (sqrt(v) + epsilon c), which saves a multiplication an element (the order at the end of
/// section 2 of the paper).
template <typename Op> struct AdamStep {
  Expr lr, beta1, beta2, correction1, correction, epsilon;

  AdamStep(Update<Op> &u, Op op)
      : lr(u.number(op.getLearningRate())), beta1(u.number(op.getBeta1())), beta2(u.number(op.getBeta2())),
        correction1(1 - pow(beta1, u.step())), correction(sqrt(1 - pow(beta2, u.step()))),
        epsilon(u.number(op.getEpsilon())) {}
  /// sqrt(v) + epsilon, of a second moment that is not corrected.
  Expr denominator(Update<Op> &u, Expr v) const { return sqrt(v) + u.inKind(epsilon * correction); }
};

template <typename Op> static Values adam(Op op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  AdamStep<Op> a(u, op);
  Expr stepSize = a.lr / a.correction1 * a.correction;
  Expr w = op.getDecoupled() ? u.shrunk() : u.w, g = op.getDecoupled() ? u.g : u.decayed();
  Expr m = u.average(a.beta1, u.slot(op.getExpAvg()), g);
  Expr v = u.average(a.beta2, u.slot(op.getExpAvgSq()), g * g), largest = v;
  if constexpr (std::is_same_v<Op, train::AmsgradOp>)
    largest = max(u.slot(op.getMaxExpAvgSq()), v);
  Values results{fma(u.inKind(0 - stepSize), m / a.denominator(u, largest), w), m, v};
  if constexpr (std::is_same_v<Op, train::AmsgradOp>)
    results.push_back(largest);
  return results;
}

static Values nadam(train::NadamOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  AdamStep<train::NadamOp> a(u, op);
  auto momentum = [&](Expr step) {
    return a.beta1 * (1 - 0.5 * pow(step.scalar(0.96), step * u.number(op.getMomentumDecay())));
  };
  Expr now = momentum(u.step()), next = momentum(u.step() + 1);
  // The product begins with 1, but slots begin with 0.
  Expr product = select(lessEqual(u.step(), u.step().scalar(1)), now, u.slot(op.getMuProduct()) * now);
  Expr g = u.decayed();
  Expr m = u.average(a.beta1, u.slot(op.getExpAvg()), g),
       v = u.average(a.beta2, u.slot(op.getExpAvgSq()), g * g);
  Expr ofGradient = u.inKind(a.lr * a.correction * (1 - now) / (1 - product));
  Expr ofMoment = u.inKind(a.lr * a.correction * next / (1 - product * next));
  return {u.w - (ofGradient * g + ofMoment * m) / a.denominator(u, v), m, v, product};
}

static Values radam(train::RadamOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  AdamStep<train::RadamOp> a(u, op);
  Expr step = u.step(), power = pow(a.beta2, step), g = u.decayed();
  Expr m = u.average(a.beta1, u.slot(op.getExpAvg()), g),
       v = u.average(a.beta2, u.slot(op.getExpAvgSq()), g * g);
  // The length of the average behind v, and the one that it comes to in the end.
  Expr longest = 2 / (1 - a.beta2) - 1, length = longest - 2 * step * power / (1 - power);
  Expr isReliable = greater(length, length.scalar(5));
  Expr rectified = sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
  Expr rate = a.lr / a.correction1 * select(isReliable, rectified * a.correction, 1);
  Expr denominator = select(isReliable, sqrt(v) + u.inKind(a.epsilon), 1);
  return {u.w - u.inKind(rate) * m / denominator, m, v};
}

static Values adamax(train::AdamaxOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr beta1 = u.number(op.getBeta1()), g = u.decayed();
  Expr m = u.average(beta1, u.slot(op.getExpAvg()), g);
  Expr largest = max(u.inKind(u.number(op.getBeta2())) * u.slot(op.getExpInf()),
                     abs(g) + u.inKind(u.number(op.getEpsilon())));
  Expr rate = u.number(op.getLearningRate()) / (1 - pow(beta1, u.step()));
  return {u.w - u.inKind(rate) * m / largest, m, largest};
}

static Values adadelta(train::AdadeltaOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr rho = u.number(op.getRho()), epsilon = u.inKind(u.number(op.getEpsilon())), g = u.decayed();
  Expr squares = u.average(rho, u.slot(op.getSquareAvg()), g * g), changes = u.slot(op.getAccDelta());
  Expr change = sqrt(changes + epsilon) / sqrt(squares + epsilon) * g;
  return {u.w - u.inKind(u.number(op.getLearningRate())) * change, squares,
          u.average(rho, changes, change * change)};
}

static Values lion(train::LionOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr m = u.slot(op.getExpAvg());
  Expr direction = sign(u.average(u.number(op.getBeta1()), m, u.g));
  return {u.shrunk() - u.inKind(u.number(op.getLearningRate())) * direction,
          u.average(u.number(op.getBeta2()), m, u.g)};
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

static Values rprop(train::RpropOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  // The product of signs does not vanish where that of two small gradients would.
  Expr agreement = sign(u.g) * sign(u.slot(op.getPrev())), none = agreement.scalar(0);
  Expr turns = less(agreement, none);
  Expr factor = select(greater(agreement, none), u.inKind(u.number(op.getEtaPlus())),
                       select(turns, u.inKind(u.number(op.getEtaMinus())),
                              select(equal(agreement, none), 1, agreement))); // NaN stays what it is
  Expr old = u.slot(op.getStepSize());
  Expr begun = select(equal(old, old.scalar(0)), u.inKind(u.number(op.getLearningRate())), old);
  Expr size = min(max(begun * factor, u.inKind(u.number(op.getStepSizeMin()))),
                  u.inKind(u.number(op.getStepSizeMax())));
  Expr used = select(turns, 0, u.g);
  return {u.w - sign(used) * size, used, size};
}

static Values asgd(train::AsgdOp op, ImplicitLocOpBuilder &builder) {
  Update u(builder, op);
  Expr lr = u.number(op.getLearningRate()), lambd = u.number(op.getLambd()), step = u.step();
  Expr eta = select(lessEqual(step, step.scalar(1)), lr, u.slot(op.getEta()));
  Expr g = u.decayed();
  Expr w = fma(u.inKind(0 - eta), g, u.w - u.inKind(lambd * eta) * u.w);
  Expr mu = 1 / max(step - 1 - u.number(op.getT0()), step.scalar(1));
  Expr ax = u.slot(op.getAx());
  Expr average = select(equal(mu, mu.scalar(1)), w, fma(u.inKind(mu), w - ax, ax));
  return {w, average, lr / pow(1 + lambd * lr * step, u.number(op.getAlpha()))};
}

static Values gradient(train::GradientOp op, ImplicitLocOpBuilder &) { return {op.getValue()}; }

void addOptimizerDecompositions(Decompositions &table) {
  table.add<train::PlainSgdOp>(plainSgd);
  table.add<train::SgdOp>(sgd);
  table.add<train::AdamOp>(adam);
  table.add<train::AmsgradOp>(adam);
  table.add<train::NadamOp>(nadam);
  table.add<train::RadamOp>(radam);
  table.add<train::AdamaxOp>(adamax);
  table.add<train::AdadeltaOp>(adadelta);
  table.add<train::LionOp>(lion);
  table.add<train::RmspropOp>(rmsprop);
  table.add<train::AdagradOp>(adagrad);
  table.add<train::RpropOp>(rprop);
  table.add<train::AsgdOp>(asgd);
  table.add<train::GradientOp>(gradient);
}

} // namespace dlc::lower
