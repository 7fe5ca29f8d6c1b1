//===- IntegerFunctions.cpp - functions of integers -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Functions.h"
#include "dialects/nn/NN.h"

#include <cmath>
#include <limits>

namespace dlc::interpret {
namespace {

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

} // namespace

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

} // namespace dlc::interpret
