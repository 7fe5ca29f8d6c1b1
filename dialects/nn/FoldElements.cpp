//===- FoldElements.cpp - nn: elementwise operations on constant elements -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/FoldConstants.h"
#include <cmath>

using namespace mlir;
using namespace nn;

/// What floats and integers have in common.
template <typename Number> static FoldedElement evaluateNumber(Operation *op, ArrayRef<Number> x) {
  if (isa<AddOp>(op))
    return x[0] + x[1];
  if (isa<SubOp>(op))
    return x[0] - x[1];
  if (isa<MulOp>(op))
    return x[0] * x[1];
  if (isa<NegOp>(op))
    return -x[0];
  return std::nullopt;
}

/// Rounding a root of double precision to float32 gives the same as rounding the exact root.
static FoldedElement squareRoot(const APFloat &x) {
  bool isExact;
  APFloat root(std::sqrt(x.convertToDouble()));
  root.convert(x.getSemantics(), APFloat::rmNearestTiesToEven, &isExact);
  return root;
}

/// The whole number next to x in one direction, or the nearest one, of two equally near ones the even one.
static FoldedElement wholeNumber(Operation *op, APFloat x) {
  auto mode = isa<FloorOp>(op)  ? APFloat::rmTowardNegative
              : isa<CeilOp>(op) ? APFloat::rmTowardPositive
                                : APFloat::rmNearestTiesToEven;
  x.roundToIntegral(mode);
  return x;
}

static FoldedElement evaluateReal(Operation *op, ArrayRef<APFloat> x) {
  APFloat zero = APFloat::getZero(x[0].getSemantics());
  if (FoldedElement result = evaluateNumber(op, x))
    return result;
  if (isa<DivOp>(op))
    return x[0] / x[1];
  if (isa<MaxOp>(op))
    return llvm::maximum(x[0], x[1]);
  if (isa<MinOp>(op))
    return llvm::minimum(x[0], x[1]);
  if (isa<AbsOp>(op))
    return abs(x[0]);
  if (isa<ReluOp>(op))
    return llvm::maximum(x[0], zero);
  if (isa<SqrtOp>(op))
    return squareRoot(x[0]);
  if (isa<FloorOp, CeilOp, RoundOp>(op))
    return wholeNumber(op, x[0]);
  return std::nullopt;
}

static FoldedElement evaluateInteger(Operation *op, ArrayRef<APInt> x) {
  if (FoldedElement result = evaluateNumber(op, x))
    return result;
  if (isa<DivOp>(op)) // the smallest number by -1 is itself
    return x[1].isZero() ? x[1] : x[0].sdiv(x[1]);
  if (isa<MaxOp>(op))
    return llvm::APIntOps::smax(x[0], x[1]);
  if (isa<MinOp>(op))
    return llvm::APIntOps::smin(x[0], x[1]);
  if (isa<AbsOp>(op))
    return x[0].abs();
  if (isa<SignOp>(op))
    return APInt(x[0].getBitWidth(), x[0].isZero() ? 0 : x[0].isNegative() ? -1 : 1, /*isSigned=*/true);
  if (isa<ReluOp>(op))
    return llvm::APIntOps::smax(x[0], APInt::getZero(x[0].getBitWidth()));
  if (isa<LogicalNotOp>(op))
    return ~x[0];
  if (isa<LogicalAndOp>(op))
    return x[0] & x[1];
  if (isa<LogicalOrOp>(op))
    return x[0] | x[1];
  if (isa<LogicalXorOp>(op))
    return x[0] ^ x[1];
  return std::nullopt;
}

static bool isUnsigned(const APInt &x) { return x.getBitWidth() <= 8; }

static bool holds(Comparison predicate, bool less, bool equal, bool greater) {
  switch (predicate) {
  case Comparison::eq:
    return equal;
  case Comparison::ne:
    return !equal;
  case Comparison::lt:
    return less;
  case Comparison::le:
    return less || equal;
  case Comparison::gt:
    return greater;
  case Comparison::ge:
    return greater || equal;
  }
  llvm_unreachable("all predicates are handled");
}

static Element compare(Comparison predicate, const Element &a, const Element &b) {
  bool less, equal;
  bool greater;
  if (auto *x = std::get_if<APFloat>(&a)) {
    APFloat::cmpResult order = x->compare(std::get<APFloat>(b));
    less = order == APFloat::cmpLessThan;
    equal = order == APFloat::cmpEqual;
    greater = order == APFloat::cmpGreaterThan;
  } else {
    const APInt &p = std::get<APInt>(a), &q = std::get<APInt>(b);
    less = isUnsigned(p) ? p.ult(q) : p.slt(q);
    equal = p == q;
    greater = !less && !equal;
  }
  return APInt(1, holds(predicate, less, equal, greater));
}

static FoldedElement cast(const Element &x, Type to) {
  if (to.isTF32()) // of which there are no constants
    return std::nullopt;
  if (to.isInteger(1))
    return std::visit([](const auto &number) -> Element { return APInt(1, !number.isZero()); }, x);
  if (auto *integer = std::get_if<APInt>(&x)) {
    if (isa<IntegerType>(to))
      return isUnsigned(*integer) ? integer->zextOrTrunc(to.getIntOrFloatBitWidth())
                                  : integer->sextOrTrunc(to.getIntOrFloatBitWidth());
    APFloat real(llvm::cast<FloatType>(to).getFloatSemantics());
    real.convertFromAPInt(*integer, /*IsSigned=*/!isUnsigned(*integer), APFloat::rmNearestTiesToEven);
    return real;
  }
  APFloat real = std::get<APFloat>(x);
  if (auto type = dyn_cast<FloatType>(to)) {
    bool losesInformation;
    real.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInformation);
    return real;
  }
  llvm::APSInt integer(to.getIntOrFloatBitWidth(), /*isUnsigned=*/to.isUnsignedInteger());
  bool exact;
  if (real.convertToInteger(integer, APFloat::rmTowardZero, &exact) == APFloat::opInvalidOp)
    return std::nullopt; // out of range
  return APInt(integer);
}

FoldedElement nn::foldElement(Operation *op, ArrayRef<Element> x) {
  if (auto castOp = dyn_cast<CastOp>(op))
    return cast(x[0], castOp.getTo());
  if (auto compareOp = dyn_cast<CompareOp>(op))
    return compare(compareOp.getPredicate(), x[0], x[1]);
  if (isa<SelectOp>(op))
    return std::get<APInt>(x[0]).isZero() ? x[2] : x[1];
  if (std::holds_alternative<APFloat>(x[0])) {
    auto reals = llvm::map_to_vector(x, [](const Element &e) { return std::get<APFloat>(e); });
    return evaluateReal(op, reals);
  }
  auto integers = llvm::map_to_vector(x, [](const Element &e) { return std::get<APInt>(e); });
  return evaluateInteger(op, integers);
}
