//===- DecomposeElementwise.cpp - activations as formulas ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include <cmath>

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

static Values elu(nn::EluOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  Expr negative = expm1(min(x, x.scalar(0))) * op.getAlpha().convertToDouble();
  return {select(greater(x, x.scalar(0)), x, negative)};
}

// Far below 0, 1 + erf(z) and 1 + tanh(z) would lose the digits that erfc(-z) and 2 sigmoid(2z) keep.
static Values gelu(nn::GeluOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  if (!op.getTanh())
    return {0.5 * x * erfc(x * -M_SQRT1_2)};
  return {x * sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * (x * x * x)))};
}

static Values silu(nn::SiluOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  return {x * sigmoid(x)};
}

// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|): nothing overflows.
static Values softplus(nn::SoftplusOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  return {max(x, x.scalar(0)) + log1p(exp(-abs(x)))};
}

static Values softsign(nn::SoftsignOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  return {x / (1 + abs(x))};
}

static Expr unitRamp(Expr x) { return min(max(x, x.scalar(0)), x.scalar(1)); }

static Values hardSigmoid(nn::HardSigmoidOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  return {unitRamp(op.getAlpha().convertToDouble() * x + op.getBeta().convertToDouble())};
}

static Values hardSwish(nn::HardSwishOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  return {x * unitRamp(x / 6 + 0.5)};
}

void addElementwiseDecompositions(Decompositions &table) {
  table.add<nn::EluOp>(elu);
  table.add<nn::GeluOp>(gelu);
  table.add<nn::SiluOp>(silu);
  table.add<nn::SoftplusOp>(softplus);
  table.add<nn::SoftsignOp>(softsign);
  table.add<nn::HardSigmoidOp>(hardSigmoid);
  table.add<nn::HardSwishOp>(hardSwish);
}

} // namespace dlc::lower
