//===- Intervals.cpp - what elementwise operations do to intervals ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding is not considered: what is decided with these numbers does not depend on a last digit.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Intervals.h"
#include "dialects/nn/Dims.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace dlc::forward;

static constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// Keeps what both ends of the interval become; `f` rises everywhere.
static ValueFacts rising(const ValueFacts &x, llvm::function_ref<double(double)> f) {
  ValueFacts result;
  result.low = f(x.low);
  result.high = f(x.high);
  result.reached = x.reached;
  result.constant = x.constant;
  result.features = x.features;
  return result;
}

/// `f` falls, to `lowest` at `at`, and rises from there on; far to the left it is `left`.
static ValueFacts valley(const ValueFacts &x, double at, double left, llvm::function_ref<double(double)> f) {
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

static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/// One operand decides where the result can go if the other is known, or a parameter of its own.
static bool staysReached(const ValueFacts &a, const ValueFacts &b) {
  return (a.reached && (b.constant || b.parameter)) || (b.reached && (a.constant || a.parameter));
}

static std::optional<int64_t> featuresOf(Operation *op, ArrayRef<ValueFacts> operands) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  for (auto [value, facts] : llvm::zip(op->getOperands(), operands))
    if (facts.features && cast<RankedTensorType>(value.getType()).getRank() == rank)
      return facts.features;
  return std::nullopt;
}

static ValueFacts sum(Operation *op, const ValueFacts &a, const ValueFacts &b) {
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

static ValueFacts negated(const ValueFacts &x) {
  ValueFacts result = x;
  result.low = -x.high;
  result.high = -x.low;
  result.sumsToOne = result.expSumsToOne = std::nullopt;
  return result;
}

static ValueFacts product(Operation *op, const ValueFacts &a, const ValueFacts &b) {
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

static ValueFacts larger(const ValueFacts &a, const ValueFacts &b) {
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

//===-- By operation ---------------------------------------------------------------===//

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

static ValueFacts power(const ValueFacts &a, const ValueFacts &b) {
  double exponent = b.low;
  ValueFacts result;
  if (!b.constant || b.low != b.high) {
    result.low = a.low >= 0 ? 0 : -infinity;
    return result;
  }
  if (exponent == 2)
    return valley(a, 0, infinity, [](double x) { return x * x; });
  if (a.low >= 0 && exponent > 0)
    return rising(a, [&](double x) { return std::pow(x, exponent); });
  return result;
}

static ValueFacts absolute(const ValueFacts &x) {
  return valley(x, 0, infinity, [](double v) { return std::fabs(v); });
}

static ValueFacts exponential(const ValueFacts &x) {
  ValueFacts result = rising(x, [](double v) { return std::exp(v); });
  result.sumsToOne = x.expSumsToOne;
  return result;
}

static ValueFacts logarithm(const ValueFacts &x) {
  ValueFacts result = rising(x, [](double v) { return std::log(std::max(v, 0.0)); });
  result.expSumsToOne = x.sumsToOne;
  return result;
}

static ValueFacts clipped(const ValueFacts &x, double low, double high) {
  ValueFacts result = rising(x, [&](double v) { return std::min(std::max(v, low), high); });
  bool changes = !x.isWithin(low, high);
  result.sumsToOne = changes ? std::nullopt : x.sumsToOne;
  result.expSumsToOne = changes ? std::nullopt : x.expSumsToOne;
  result.linear = x.linear && !changes;
  return result;
}

ValueFacts dlc::forward::elementwise(Operation *op, ArrayRef<ValueFacts> operands) {
  auto number = [](const APFloat &value) { return value.convertToDouble(); };
  const ValueFacts x = operands.empty() ? ValueFacts() : operands[0];
  ValueFacts result =
      llvm::TypeSwitch<Operation *, ValueFacts>(op)
          .Case([&](nn::AddOp) { return sum(op, operands[0], operands[1]); })
          .Case([&](nn::SubOp) { return sum(op, operands[0], negated(operands[1])); })
          .Case([&](nn::MulOp) { return product(op, operands[0], operands[1]); })
          .Case([&](nn::PowOp) { return power(operands[0], operands[1]); })
          .Case([&](nn::MaxOp) { return larger(operands[0], operands[1]); })
          .Case([&](nn::MinOp) { return negated(larger(negated(operands[0]), negated(operands[1]))); })
          .Case([&](nn::SelectOp) {
            ValueFacts either = unionOf(operands[1], operands[2]);
            either.reached = false;
            return either;
          })
          .Case([&](nn::CastOp cast) {
            bool keeps =
                isa<FloatType>(cast.getTo()) && isa<FloatType>(getElementTypeOrSelf(cast.getX().getType()));
            if (keeps)
              return x;
            ValueFacts range;
            range.low = x.low;
            range.high = x.high;
            return range;
          })
          .Case([&](nn::NegOp) { return negated(x); })
          .Case([&](nn::AbsOp) { return absolute(x); })
          .Case([&](nn::SignOp) {
            return rising(x, [](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0; });
          })
          .Case([&](nn::ExpOp) { return exponential(x); })
          .Case([&](nn::LogOp) { return logarithm(x); })
          .Case([&](nn::Expm1Op) { return rising(x, [](double v) { return std::expm1(v); }); })
          .Case([&](nn::Log1pOp) {
            return rising(x, [](double v) { return v > -1 ? std::log1p(v) : -infinity; });
          })
          .Case([&](nn::SqrtOp) { return rising(x, [](double v) { return std::sqrt(std::max(v, 0.0)); }); })
          .Case([&](nn::RsqrtOp) {
            return negated(rising(x, [](double v) { return -1 / std::sqrt(std::max(v, 0.0)); }));
          })
          .Case([&](nn::ReciprocalOp) {
            return x.low >= 0 ? negated(rising(x, [](double v) { return -1 / v; })) : ValueFacts();
          })
          .Case([&](nn::ErfOp) { return rising(x, [](double v) { return std::erf(v); }); })
          .Case([&](nn::ErfcOp) { return negated(rising(x, [](double v) { return -std::erfc(v); })); })
          .Case<nn::SinOp, nn::CosOp>([&](Operation *) { return clipped(ValueFacts(), -1, 1); })
          .Case([&](nn::AtanOp) { return rising(x, [](double v) { return std::atan(v); }); })
          .Case([&](nn::FloorOp) { return rising(x, [](double v) { return std::floor(v); }); })
          .Case([&](nn::CeilOp) { return rising(x, [](double v) { return std::ceil(v); }); })
          .Case([&](nn::RoundOp) { return rising(x, [](double v) { return std::nearbyint(v); }); })
          .Case([&](nn::TanhOp) { return rising(x, [](double v) { return std::tanh(v); }); })
          .Case([&](nn::SigmoidOp) { return rising(x, sigmoid); })
          .Case([&](nn::SoftplusOp) { return rising(x, softplus); })
          .Case([&](nn::SoftsignOp) {
            return rising(
                x, [](double v) { return std::isinf(v) ? std::copysign(1.0, v) : v / (1 + std::fabs(v)); });
          })
          .Case([&](nn::ReluOp) { return clipped(x, 0, infinity); })
          .Case([&](nn::ClipOp clip) { return clipped(x, number(clip.getLow()), number(clip.getHigh())); })
          .Case([&](nn::LeakyReluOp leaky) {
            double alpha = number(leaky.getAlpha());
            return alpha > 0 ? rising(x, [&](double v) { return v > 0 ? v : v * alpha; }) : ValueFacts();
          })
          .Case([&](nn::EluOp elu) {
            double alpha = number(elu.getAlpha());
            return alpha >= 0 ? rising(x, [&](double v) { return v > 0 ? v : times(alpha, std::expm1(v)); })
                              : ValueFacts();
          })
          .Case([&](nn::HardSigmoidOp hard) {
            double alpha = number(hard.getAlpha()), beta = number(hard.getBeta());
            ValueFacts scaled = rising(x, [&](double v) { return times(alpha, v) + beta; });
            return alpha >= 0 ? clipped(scaled, 0, 1) : clipped(ValueFacts(), 0, 1);
          })
          .Case([&](nn::GeluOp) {
            return valley(x, -0.7517915, 0,
                          [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); });
          })
          .Case([&](nn::SiluOp) { return valley(x, -1.2784645, 0, [](double v) { return v * sigmoid(v); }); })
          .Case([&](nn::HardSwishOp) {
            return valley(x, -1.5, 0, [](double v) { return v * std::min(std::max(v / 6 + 0.5, 0.0), 1.0); });
          })
          .Default([](Operation *) { return ValueFacts(); });
  if (!operands.empty() && operands.size() <= 2)
    result.features = featuresOf(op, operands);
  return result;
}
