//===- DecomposeElementwise.cpp - activations as formulas ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include <cmath>
#include <limits>

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
    return {x * (0.5 * erfc(x * -M_SQRT1_2))};
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

/// c[0] + x (c[1] + x (c[2] ...)).
static Expr polynomial(Expr x, llvm::ArrayRef<double> c) {
  Expr sum = x * c.back() + c[c.size() - 2];
  for (double coefficient : llvm::reverse(c.drop_back(2)))
    sum = sum * x + coefficient;
  return sum;
}

// erfinv(x) / x is smooth in w = -ln(1 - x^2), and far from 0 in the root of w (Giles, "Approximating the
// erfinv function", 2012). Each polynomial's greatest error in its interval is least, below 2e-7: w up to 5,
// up to 16 (a float32 below 1 has no larger one), and up to 38, the last float64's. A float64 then takes two
// of Newton's steps. They need |x| - erf(y), which near 1 is erfc(y) - (1 - |x|), and near 0 may be less than
// the least number; there y is x times the slope at 0.
static Values erfinv(nn::ErfinvOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX()), size = abs(x);
  Expr w = -log((1 - size) * (1 + size)), root = sqrt(w);
  Expr near = polynomial(w - 2.5, {1.50140935, 0.246640766, -0.00417734652, -0.00125375888, 0.00021831298,
                                   -4.38034671e-06, -3.45477951e-06, 3.42224709e-07, 2.26059777e-08});
  Expr far = polynomial(root - 3, {2.83297696, 1.00167461, 0.0094372499, -0.00762936558, 0.00575111558,
                                   -0.00365070989, 0.00132036612, 7.97340371e-05, -0.000176285934});
  Expr y = size * select(less(w, w.scalar(5)), near, far);
  if (x.elementType().isF64()) {
    Expr last = polynomial(root - 5, {4.84990642, 1.01030031, -0.000139038101, -0.000213894193,
                                      7.67182291e-05, -2.17225273e-05, 4.34526889e-06});
    y = select(less(w, w.scalar(16)), y, size * last);
    for (int step = 0; step < 2; ++step) {
      Expr missing = select(less(size, size.scalar(0.5)), size - erf(y), erfc(y) - (1 - size));
      y = y + missing * exp(y * y) * (1 / M_2_SQRTPI);
    }
    y = select(less(size, size.scalar(1e-9)), size * (1 / M_2_SQRTPI), y);
  }
  y = select(equal(size, size.scalar(1)), std::numeric_limits<double>::infinity(), y);
  return {select(less(x, x.scalar(0)), -y, y)};
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
  table.add<nn::ErfinvOp>(erfinv);
  table.add<nn::HardSigmoidOp>(hardSigmoid);
  table.add<nn::HardSwishOp>(hardSwish);
}

} // namespace dlc::lower
