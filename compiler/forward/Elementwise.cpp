//===- Elementwise.cpp - what elementwise operations do to intervals -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that is not named here says nothing of its result.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Intervals.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace dlc::forward;

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

static std::optional<int64_t> featuresOf(Operation *op, ArrayRef<ValueFacts> operands) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  for (auto [value, facts] : llvm::zip(op->getOperands(), operands))
    if (facts.features && cast<RankedTensorType>(value.getType()).getRank() == rank)
      return facts.features;
  return std::nullopt;
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
