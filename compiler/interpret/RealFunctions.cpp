//===- RealFunctions.cpp - functions of real numbers ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "compiler/interpret/Functions.h"
#include "dialects/nn/NN.h"

#include <cmath>
#include <limits>

namespace dlc::interpret {
namespace {

constexpr double sqrtTwo = 1.41421356237309504880;
constexpr double sqrtTwoOverPi = 0.79788456080286535588;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Where erf is `x`, by halving an interval: erfc tells numbers near 1 apart, which erf does not.
double inverseErf(double x) {
  const double size = std::fabs(x);
  if (size == 0)
    return x;
  if (!(size < 1))
    return size == 1 ? std::copysign(std::numeric_limits<double>::infinity(), x) : std::nan("");
  double low = 0, high = 6; // erfc(6) is less than the distance of any number below 1 from 1
  for (double middle = 3; middle > low && middle < high; middle = low + (high - low) / 2) {
    bool isBelow = size < 0.5 ? std::erf(middle) < size : std::erfc(middle) > 1 - size;
    (isBelow ? low : high) = middle;
  }
  return std::copysign(high, x);
}

double signOf(double x) { return (x > 0) - (x < 0); }

} // namespace

Unary floatUnary(mlir::Operation *op) {
  if (mlir::isa<nn::NegOp>(op))
    return [](double x) { return -x; };
  if (mlir::isa<nn::AbsOp>(op))
    return [](double x) { return std::fabs(x); };
  if (mlir::isa<nn::SignOp>(op))
    return signOf;
  if (mlir::isa<nn::ExpOp>(op))
    return [](double x) { return std::exp(x); };
  if (mlir::isa<nn::LogOp>(op))
    return [](double x) { return std::log(x); };
  if (mlir::isa<nn::Expm1Op>(op))
    return [](double x) { return std::expm1(x); };
  if (mlir::isa<nn::Log1pOp>(op))
    return [](double x) { return std::log1p(x); };
  if (mlir::isa<nn::SqrtOp>(op))
    return [](double x) { return std::sqrt(x); };
  if (mlir::isa<nn::RsqrtOp>(op))
    return [](double x) { return 1 / std::sqrt(x); };
  if (mlir::isa<nn::ReciprocalOp>(op))
    return [](double x) { return 1 / x; };
  if (mlir::isa<nn::ErfOp>(op))
    return [](double x) { return std::erf(x); };
  if (mlir::isa<nn::ErfcOp>(op))
    return [](double x) { return std::erfc(x); };
  if (mlir::isa<nn::ErfinvOp>(op))
    return inverseErf;
  if (mlir::isa<nn::SinOp>(op))
    return [](double x) { return std::sin(x); };
  if (mlir::isa<nn::CosOp>(op))
    return [](double x) { return std::cos(x); };
  if (mlir::isa<nn::AtanOp>(op))
    return [](double x) { return std::atan(x); };
  if (mlir::isa<nn::FloorOp>(op))
    return [](double x) { return std::floor(x); };
  if (mlir::isa<nn::CeilOp>(op))
    return [](double x) { return std::ceil(x); };
  if (mlir::isa<nn::RoundOp>(op))
    return [](double x) { return std::nearbyint(x); };
  if (mlir::isa<nn::TanhOp>(op))
    return [](double x) { return std::tanh(x); };
  if (mlir::isa<nn::SigmoidOp>(op))
    return sigmoid;
  if (mlir::isa<nn::ReluOp>(op))
    return [](double x) { return maximum(x, 0); };
  if (auto leaky = mlir::dyn_cast<nn::LeakyReluOp>(op))
    return [alpha = leaky.getAlpha().convertToDouble()](double x) { return x > 0 ? x : alpha * x; };
  if (auto elu = mlir::dyn_cast<nn::EluOp>(op))
    return [alpha = elu.getAlpha().convertToDouble()](double x) { return x > 0 ? x : alpha * std::expm1(x); };
  if (auto gelu = mlir::dyn_cast<nn::GeluOp>(op)) {
    if (gelu.getTanh())
      return [](double x) { return x / 2 * (1 + std::tanh(sqrtTwoOverPi * (x + 0.044715 * x * x * x))); };
    return [](double x) { return x / 2 * std::erfc(-x / sqrtTwo); };
  }
  if (mlir::isa<nn::SiluOp>(op))
    return [](double x) { return x * sigmoid(x); };
  if (mlir::isa<nn::SoftplusOp>(op))
    return [](double x) { return maximum(x, 0) + std::log1p(std::exp(-std::fabs(x))); };
  if (mlir::isa<nn::SoftsignOp>(op))
    return [](double x) { return x / (1 + std::fabs(x)); };
  if (auto hard = mlir::dyn_cast<nn::HardSigmoidOp>(op))
    return [alpha = hard.getAlpha().convertToDouble(), beta = hard.getBeta().convertToDouble()](double x) {
      return minimum(maximum(alpha * x + beta, 0), 1);
    };
  if (mlir::isa<nn::HardSwishOp>(op))
    return [](double x) { return x * minimum(maximum(x / 6 + 0.5, 0), 1); };
  if (auto clip = mlir::dyn_cast<nn::ClipOp>(op))
    return [low = clip.getLow().convertToDouble(), high = clip.getHigh().convertToDouble()](double x) {
      return minimum(maximum(x, low), high);
    };
  return nullptr;
}

Binary floatBinary(mlir::Operation *op) {
  if (mlir::isa<nn::AddOp>(op))
    return [](double a, double b) { return a + b; };
  if (mlir::isa<nn::SubOp>(op))
    return [](double a, double b) { return a - b; };
  if (mlir::isa<nn::MulOp>(op))
    return [](double a, double b) { return a * b; };
  if (mlir::isa<nn::DivOp>(op))
    return [](double a, double b) { return a / b; };
  if (mlir::isa<nn::PowOp>(op))
    return [](double a, double b) { return std::pow(a, b); };
  if (mlir::isa<nn::MaxOp>(op))
    return maximum;
  if (mlir::isa<nn::MinOp>(op))
    return minimum;
  return nullptr;
}

} // namespace dlc::interpret
