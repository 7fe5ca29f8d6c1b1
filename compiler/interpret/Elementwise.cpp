//===- Elementwise.cpp - a number in, a number out ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations: a number in, a number out.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

#include <cmath>
#include <functional>
#include <limits>

namespace dlc::interpret {
namespace {

using Unary = std::function<double(double)>;
using Binary = std::function<double(double, double)>;
using IntUnary = std::function<int64_t(int64_t)>;
using IntBinary = std::function<int64_t(int64_t, int64_t)>;

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

/// Integers wrap around; unsigned arithmetic does so without undefined behaviour.
int64_t wrap(uint64_t x) { return static_cast<int64_t>(x); }

/// A limit of clip in whole numbers, which the limits of int64_t bound.
int64_t wholeLimit(double limit, bool roundUp) {
  constexpr double end = 9223372036854775808.0; // 2^63
  double whole = roundUp ? std::ceil(limit) : std::floor(limit);
  if (whole >= end)
    return std::numeric_limits<int64_t>::max();
  return whole < -end ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(whole);
}

IntUnary intUnary(mlir::Operation *op) {
  if (mlir::isa<nn::NegOp>(op))
    return [](int64_t x) { return wrap(-static_cast<uint64_t>(x)); };
  if (mlir::isa<nn::AbsOp>(op))
    return [](int64_t x) { return x < 0 ? wrap(-static_cast<uint64_t>(x)) : x; };
  if (mlir::isa<nn::SignOp>(op))
    return [](int64_t x) -> int64_t { return (x > 0) - (x < 0); };
  if (mlir::isa<nn::ReluOp>(op))
    return [](int64_t x) { return std::max<int64_t>(x, 0); };
  if (mlir::isa<nn::LogicalNotOp>(op))
    return [](int64_t x) -> int64_t { return !x; };
  if (auto clip = mlir::dyn_cast<nn::ClipOp>(op))
    return [low = wholeLimit(clip.getLow().convertToDouble(), true),
            high = wholeLimit(clip.getHigh().convertToDouble(), false)](int64_t x) {
      return std::min(std::max(x, low), high);
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

/// a^b by repeated squaring; a negative power of another number than 1 and -1 is 0, as for quotients.
int64_t intPower(int64_t a, int64_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  uint64_t power = 1;
  for (uint64_t base = static_cast<uint64_t>(a); b != 0; b >>= 1, base *= base)
    if (b & 1)
      power *= base;
  return wrap(power);
}

IntBinary intBinary(mlir::Operation *op) {
  if (mlir::isa<nn::AddOp>(op))
    return [](int64_t a, int64_t b) { return wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); };
  if (mlir::isa<nn::SubOp>(op))
    return [](int64_t a, int64_t b) { return wrap(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); };
  if (mlir::isa<nn::MulOp>(op))
    return [](int64_t a, int64_t b) { return wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); };
  if (mlir::isa<nn::DivOp>(op))
    return [](int64_t a, int64_t b) {
      return b == 0 ? 0 : b == -1 ? wrap(-static_cast<uint64_t>(a)) : a / b;
    };
  if (mlir::isa<nn::PowOp>(op))
    return intPower;
  if (mlir::isa<nn::MaxOp>(op))
    return [](int64_t a, int64_t b) { return std::max(a, b); };
  if (mlir::isa<nn::MinOp>(op))
    return [](int64_t a, int64_t b) { return std::min(a, b); };
  if (mlir::isa<nn::LogicalAndOp>(op))
    return [](int64_t a, int64_t b) { return a & b; };
  if (mlir::isa<nn::LogicalOrOp>(op))
    return [](int64_t a, int64_t b) { return a | b; };
  if (mlir::isa<nn::LogicalXorOp>(op))
    return [](int64_t a, int64_t b) { return a ^ b; };
  return nullptr;
}

template <typename Number> bool compareNumbers(nn::Comparison predicate, Number a, Number b) {
  switch (predicate) {
  case nn::Comparison::eq:
    return a == b;
  case nn::Comparison::ne:
    return a != b;
  case nn::Comparison::lt:
    return a < b;
  case nn::Comparison::le:
    return a <= b;
  case nn::Comparison::gt:
    return a > b;
  case nn::Comparison::ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

/// Calls `body` with the offsets of each result element and of the operands' elements that meet there.
void forEachBroadcast(Evaluation &e, llvm::function_ref<void(int64_t, llvm::ArrayRef<int64_t>)> body) {
  llvm::ArrayRef<int64_t> shape = e.result().shape;
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3> strides;
  for (unsigned i = 0; i < e.numOperands(); ++i)
    strides.push_back(broadcastStrides(e.operand(i).shape, shape));
  int64_t at = 0;
  llvm::SmallVector<int64_t, 3> offsets(e.numOperands());
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index) {
    for (unsigned i = 0; i < e.numOperands(); ++i)
      offsets[i] = offsetOf(index, strides[i]);
    body(at++, offsets);
  });
}

void evaluateCast(Evaluation &e) {
  const Tensor &x = e.operand(0);
  Tensor &y = e.result();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (y.isFloat())
      y.floats[i] = x.number(i);
    else if (y.dtype == DType::I1)
      y.ints[i] = x.number(i) != 0;
    else if (!x.isFloat())
      y.ints[i] = x.ints[i];
    else if (double limit = y.dtype == DType::I32 ? 0x1p31 : 0x1p63;
             std::trunc(x.floats[i]) < limit && std::trunc(x.floats[i]) >= -limit)
      y.ints[i] = static_cast<int64_t>(x.floats[i]);
    else
      return e.fail(llvm::Twine("expected numbers that ") + str(y.dtype) + " can hold, found " +
                    std::to_string(x.floats[i]));
  }
}

void evaluateSelect(Evaluation &e) {
  Tensor &y = e.result();
  forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
    unsigned chosen = e.operand(0).ints[in[0]] ? 1 : 2;
    if (y.isFloat())
      y.floats[at] = e.operand(chosen).floats[in[chosen]];
    else
      y.ints[at] = e.operand(chosen).ints[in[chosen]];
  });
}

void evaluateFma(Evaluation &e) {
  forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
    e.result().floats[at] =
        e.operand(0).floats[in[0]] * e.operand(1).floats[in[1]] + e.operand(2).floats[in[2]];
  });
}

void evaluateCompare(Evaluation &e, nn::Comparison predicate) {
  const Tensor &a = e.operand(0), &b = e.operand(1);
  forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
    e.result().ints[at] = a.isFloat() ? compareNumbers(predicate, a.floats[in[0]], b.floats[in[1]])
                                      : compareNumbers(predicate, a.ints[in[0]], b.ints[in[1]]);
  });
}

} // namespace

bool evaluateElementwise(Evaluation &e) {
  mlir::Operation *op = e.getOperation();
  Tensor *y = op->getNumResults() == 1 ? &e.result() : nullptr;
  if (mlir::isa<nn::CastOp>(op))
    return evaluateCast(e), true;
  if (mlir::isa<nn::SelectOp>(op))
    return evaluateSelect(e), true;
  if (mlir::isa<nn::FmaOp>(op))
    return evaluateFma(e), true;
  if (auto compare = mlir::dyn_cast<nn::CompareOp>(op))
    return evaluateCompare(e, compare.getPredicate()), true;
  if (!y || e.numOperands() == 0)
    return false;
  const Tensor &x = e.operand(0);
  if (Unary f = x.isFloat() ? floatUnary(op) : nullptr) {
    llvm::transform(x.floats, y->floats.begin(), f);
    return true;
  }
  if (IntUnary f = x.isFloat() ? nullptr : intUnary(op)) {
    llvm::transform(x.ints, y->ints.begin(), f);
    return true;
  }
  if (Binary f = x.isFloat() ? floatBinary(op) : nullptr) {
    forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
      y->floats[at] = f(x.floats[in[0]], e.operand(1).floats[in[1]]);
    });
    return true;
  }
  if (IntBinary f = x.isFloat() ? nullptr : intBinary(op)) {
    forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
      y->ints[at] = f(x.ints[in[0]], e.operand(1).ints[in[1]]);
    });
    return true;
  }
  return false;
}

} // namespace dlc::interpret
