//===- Roots.cpp - what exporters write for functions without an operator
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "dialects/train/Train.h"
#include <cmath>

using namespace mlir;

namespace dlc::frontend {

/// What is behind operations that move elements only.
static Value withoutViews(Value x) {
  while (isa_and_nonnull<nn::ReshapeOp, nn::ExpandOp, nn::CastOp>(x.getDefiningOp()))
    x = x.getDefiningOp()->getOperand(0);
  return x;
}

/// Whether a value depends on neither inputs nor states: constants, sizes.
static bool isKnown(Value x) {
  Operation *op = x.getDefiningOp();
  return op && !isa<train::ReadOp>(op) && llvm::all_of(op->getOperands(), isKnown);
}

/// Removes factors and divisors that are known.
static Value withoutFactors(Value x) {
  for (;;) {
    x = withoutViews(x);
    if (auto product = x.getDefiningOp<nn::MulOp>(); product && isKnown(product.getB()))
      x = product.getA();
    else if (product && isKnown(product.getA()))
      x = product.getB();
    else if (auto quotient = x.getDefiningOp<nn::DivOp>(); quotient && isKnown(quotient.getB()))
      x = quotient.getA();
    else
      return x;
  }
}

/// The elements that a sum or a mean, perhaps scaled, is of.
static Value summands(Value x) {
  x = withoutFactors(x);
  if (auto sum = x.getDefiningOp<nn::SumOp>())
    return withoutViews(sum.getX());
  if (auto mean = x.getDefiningOp<nn::MeanOp>())
    return withoutViews(mean.getX());
  return {};
}

/// What is squared.
static Value squareRoot(Value x) {
  auto product = x ? x.getDefiningOp<nn::MulOp>() : nullptr;
  return product && product.getA() == product.getB() ? product.getA() : Value();
}

/// mean((x - mean(x))^2)
static bool isVariance(Value x) {
  Value root = squareRoot(summands(x));
  auto difference = root ? withoutViews(root).getDefiningOp<nn::SubOp>() : nullptr;
  auto mean = difference ? withoutViews(difference.getB()).getDefiningOp<nn::MeanOp>() : nullptr;
  return mean && withoutViews(mean.getX()) == withoutViews(difference.getA());
}

/// sum(x^2) * sum(y^2)
static bool isProductOfSquareSums(Value x) {
  auto product = withoutViews(x).getDefiningOp<nn::MulOp>();
  return product && squareRoot(summands(product.getA())) && squareRoot(summands(product.getB()));
}

/// sum(|x|^p)
static bool isSumOfPowers(Value x, double p) {
  Value powers = summands(x);
  if (!powers)
    return false;
  if (squareRoot(powers))
    return p == 2;
  auto power = powers.getDefiningOp<nn::PowOp>();
  auto exponent = power ? power.getB().getDefiningOp<nn::ConstantOp>() : nullptr;
  auto number = exponent ? dyn_cast<DenseFPElementsAttr>(exponent.getValue()) : nullptr;
  return number && number.isSplat() && power.getA().getDefiningOp<nn::AbsOp>() &&
         std::fabs(number.getSplatValue<APFloat>().convertToDouble() - p) < 1e-5 * p;
}

/// `root(x)`, and 0, also as its derivative, where x is 0. There the root is that of 1, so that nothing is
/// divided by 0 on the way back.
template <typename Root> static nn::Expr zeroAtZero(nn::Expr x, Root root) {
  nn::Expr isZero = nn::equal(x, x.scalar(0));
  nn::Expr nonzero = nn::select(isZero, 1.0, x);
  return nn::select(isZero, 0.0, root(nonzero));
}

nn::Expr root(nn::Expr x, double exponent) {
  auto take = [&](nn::Expr of) { return exponent == 0.5 ? nn::sqrt(of) : nn::pow(of, of.scalar(exponent)); };
  bool isDeviation = exponent == 0.5 && (isVariance(x) || isProductOfSquareSums(x));
  // sqrt(sum(x^2)) stays what it says: norms have an operator, and PyTorch has no derivative at 0 for that.
  bool isNorm = exponent != 0.5 && isSumOfPowers(x, 1 / exponent);
  return isDeviation || isNorm ? zeroAtZero(x, take) : take(x);
}

nn::Expr norm(nn::Expr x, ArrayRef<int64_t> axes, bool keepdims) {
  if (axes.empty())
    return nn::abs(x);
  return zeroAtZero(nn::sum(x * x, axes, keepdims), [](nn::Expr of) { return nn::sqrt(of); });
}

nn::Expr rootOfPowers(nn::Expr x, int64_t p) {
  if (p == 1)
    return x;
  return zeroAtZero(
      x, [p](nn::Expr of) { return p == 2 ? nn::sqrt(of) : nn::pow(of, of.scalar(1.0 / double(p))); });
}

nn::Expr logarithm(nn::Expr x) {
  auto sigmoid = x.get().getDefiningOp<nn::SigmoidOp>();
  if (!sigmoid)
    return nn::log(x);
  nn::Expr negated = -nn::Expr(x.getBuilder(), sigmoid.getX());
  return -nn::Expr(x.getBuilder(), nn::SoftplusOp::create(x.getBuilder(), negated.get()));
}

} // namespace dlc::frontend
