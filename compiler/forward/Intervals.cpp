//===- Intervals.cpp - arithmetic with what is known of values -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/forward/Intervals.h"
#include "dialects/nn/Dims.h"
#include <cmath>

using namespace mlir;
using namespace dlc::forward;

ValueFacts dlc::forward::unionOf(const ValueFacts &a, const ValueFacts &b) {
  ValueFacts result;
  result.low = std::min(a.low, b.low);
  result.high = std::max(a.high, b.high);
  result.reached = a.reached && b.reached;
  result.linear = a.linear && b.linear;
  if (a.features == b.features)
    result.features = a.features;
  return result;
}

ValueFacts dlc::forward::rising(const ValueFacts &x, llvm::function_ref<double(double)> f) {
  ValueFacts result;
  result.low = f(x.low);
  result.high = f(x.high);
  result.reached = x.reached;
  result.constant = x.constant;
  result.features = x.features;
  return result;
}

ValueFacts dlc::forward::valley(const ValueFacts &x, double at, double left,
                                llvm::function_ref<double(double)> f) {
  auto value = [&](double point) {
    return point == -infinity ? left : point == infinity ? infinity : f(point);
  };
  double atLow = value(x.low), atHigh = value(x.high);
  ValueFacts result = x;
  result.low = x.low <= at && at <= x.high ? f(at) : std::min(atLow, atHigh);
  result.high = std::max(atLow, atHigh);
  result.linear = result.parameter = false;
  result.sumsToOne = result.expSumsToOne = std::nullopt;
  return result;
}

//===-- Two operands -------------------------------------------------------------===//

double dlc::forward::times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/// One operand decides where the result can go if the other is known, or a parameter of its own.
static bool staysReached(const ValueFacts &a, const ValueFacts &b) {
  return (a.reached && (b.constant || b.parameter)) || (b.reached && (a.constant || a.parameter));
}

ValueFacts dlc::forward::sum(Operation *op, const ValueFacts &a, const ValueFacts &b) {
  ValueFacts result;
  result.low = a.low + b.low;
  result.high = a.high + b.high;
  result.constant = a.constant && b.constant;
  // Where both are one value their difference is 0.
  bool areOne = op->getOperand(0) == op->getOperand(1);
  result.linear = (a.linear || b.linear) && !areOne;
  result.reached = (staysReached(a, b) && !areOne) || result.linear;
  return result;
}

ValueFacts dlc::forward::negated(const ValueFacts &x) {
  ValueFacts result = x;
  result.low = -x.high;
  result.high = -x.low;
  result.sumsToOne = result.expSumsToOne = std::nullopt;
  return result;
}

ValueFacts dlc::forward::product(Operation *op, const ValueFacts &a, const ValueFacts &b) {
  if (op->getOperand(0) == op->getOperand(1))
    return valley(a, 0, infinity, [](double x) { return x * x; });
  double ends[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  ValueFacts result;
  result.low = *std::min_element(std::begin(ends), std::end(ends));
  result.high = *std::max_element(std::begin(ends), std::end(ends));
  result.constant = a.constant && b.constant;
  auto isZero = [](const ValueFacts &x) { return x.low == 0 && x.high == 0; };
  bool vanishes = isZero(a) || isZero(b);
  result.reached = staysReached(a, b) || vanishes;
  auto scales = [](const ValueFacts &x) { return x.constant || x.parameter; };
  result.linear = !vanishes && ((a.linear && scales(b)) || (b.linear && scales(a)));
  return result;
}

ValueFacts dlc::forward::quotient(const ValueFacts &a, const ValueFacts &b) {
  ValueFacts result;
  if (!(b.low > 0) && !(b.high < 0))
    return result;
  double ends[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  for (double &end : ends)
    if (std::isnan(end))
      return result;
  result.low = *std::min_element(std::begin(ends), std::end(ends));
  result.high = *std::max_element(std::begin(ends), std::end(ends));
  result.constant = a.constant && b.constant;
  result.reached = a.reached && b.constant;
  result.linear = a.linear && b.constant;
  if (b.constant)
    result.features = a.features;
  return result;
}

ValueFacts dlc::forward::larger(const ValueFacts &a, const ValueFacts &b) {
  ValueFacts result;
  result.low = std::max(a.low, b.low);
  result.high = std::max(a.high, b.high);
  result.reached = (a.reached && b.constant) || (b.reached && a.constant);
  return result;
}

ValueFacts dlc::forward::sumOf(const ValueFacts &x, nn::SumOp op) {
  nn::Shape shape = nn::shapeOf(op.getX().getType());
  nn::Dim count = 1;
  for (int64_t axis : op.getAxes())
    count = count * shape[axis];
  ValueFacts result;
  // The size of a named dim is not known, but for its sign.
  result.low = count.isStatic() ? times(x.low, count.factor) : x.low < 0 ? -infinity : 0;
  result.high = count.isStatic() ? times(x.high, count.factor) : x.high > 0 ? infinity : 0;
  if (op.getAxes().size() == 1 && x.sumsToOne == op.getAxes().front())
    result.low = result.high = 1;
  result.reached = result.linear = x.linear;
  return result;
}
