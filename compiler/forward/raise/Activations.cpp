//===- Activations.cpp - GELU and SiLU from their formulas -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of the whole function reads x alone; that of the formula keeps what stands between.
//===----------------------------------------------------------------------===//
#include "compiler/forward/raise/Patterns.h"
#include "compiler/forward/raise/Polynomial.h"
#include "dialects/nn/NN.h"
#include <cmath>

using namespace mlir;

namespace dlc::forward {
namespace {

/// A formula a(x) + b(x) * f(u(x)), f being an operation of one operand.
struct Formula {
  Polynomial a, b, u;
};

enum class Activation { Gelu, GeluTanh, Silu };

const double slope = std::sqrt(2 / M_PI), cubic = 0.044715 * slope;

/// The activation that has this formula with f, also where the canonicalizer has made erfc(-x) of 1 + erf(x),
/// or 2 sigmoid(2x) of 1 + tanh(x).
std::optional<Activation> activationOf(Operation *f, const Formula &formula) {
  auto is = [&](const Formula &known) {
    return isNear(formula.a, known.a) && isNear(formula.b, known.b) && isNear(formula.u, known.u);
  };
  Polynomial none{}, all{0, 1, 0, 0}, half{0, 0.5, 0, 0};
  if (isa<nn::ErfOp>(f) && is({half, half, {0, M_SQRT1_2, 0, 0}}))
    return Activation::Gelu;
  if (isa<nn::ErfcOp>(f) && is({none, half, {0, -M_SQRT1_2, 0, 0}}))
    return Activation::Gelu;
  if (isa<nn::TanhOp>(f) && is({half, half, {0, slope, 0, cubic}}))
    return Activation::GeluTanh;
  if (isa<nn::SigmoidOp>(f) && is({none, all, {0, 2 * slope, 0, 2 * cubic}}))
    return Activation::GeluTanh;
  if (isa<nn::SigmoidOp>(f) && is({none, all, all}))
    return Activation::Silu;
  return std::nullopt;
}

/// The function that a product applies, at most a few operations before it.
Operation *appliedIn(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<nn::ErfOp, nn::ErfcOp, nn::TanhOp, nn::SigmoidOp>(op))
    return op;
  if (depth == 0 || !isa_and_nonnull<nn::MulOp, nn::AddOp>(op))
    return nullptr;
  for (Value operand : op->getOperands())
    if (Operation *found = appliedIn(operand, depth - 1))
      return found;
  return nullptr;
}

/// What u(x) may be a function of: the values that are met on the way back from it, the nearest first.
void collectVariables(Value value, int depth, SmallVectorImpl<Value> &found) {
  if (numberOf(value) || llvm::is_contained(found, value))
    return;
  found.push_back(value);
  Operation *op = value.getDefiningOp();
  if (depth > 0 && isa_and_nonnull<nn::MulOp, nn::AddOp, nn::SubOp, nn::DivOp, nn::NegOp>(op))
    for (Value operand : op->getOperands())
      collectVariables(operand, depth - 1, found);
}

std::optional<Formula> formulaIn(Value root, Operation *f, Value x) {
  Value u = f->getOperand(0), y = f->getResult(0);
  std::optional<Polynomial> argument = polynomialOf(u, x), parts[3];
  for (int i = 0; argument && i < 3; ++i)
    if (!(parts[i] = polynomialOf(root, x, y, i)))
      return std::nullopt;
  if (!argument)
    return std::nullopt;
  Formula formula{*parts[0], *parts[1], *argument};
  Polynomial twice = *parts[1];
  for (size_t i = 0; i < twice.size(); ++i) {
    formula.b[i] -= formula.a[i];
    twice[i] += formula.b[i];
  }
  return isNear(*parts[2], twice) ? std::optional(formula) : std::nullopt; // else f(u) is squared
}

struct ProductToActivation : public OpRewritePattern<nn::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::MulOp op, PatternRewriter &rewriter) const override {
    Operation *f = appliedIn(op, /*depth=*/4);
    SmallVector<Value> variables;
    if (f)
      collectVariables(f->getOperand(0), /*depth=*/5, variables);
    for (Value x : variables) {
      std::optional<Formula> formula;
      if (x.getType() == op.getType())
        formula = formulaIn(op, f, x);
      std::optional<Activation> activation = formula ? activationOf(f, *formula) : std::nullopt;
      if (!activation)
        continue;
      if (activation == Activation::Silu)
        rewriter.replaceOpWithNewOp<nn::SiluOp>(op, x);
      else
        rewriter.replaceOpWithNewOp<nn::GeluOp>(op, x, activation == Activation::GeluTanh);
      return success();
    }
    return failure();
  }
};

} // namespace

void addActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<ProductToActivation>(patterns.getContext());
}

} // namespace dlc::forward
