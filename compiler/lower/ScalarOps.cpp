//===- ScalarOps.cpp - scalar operations that take several ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/ScalarOps.h"

using namespace mlir::arith;
using mlir::FloatType, mlir::ImplicitLocOpBuilder, mlir::Type, mlir::Value;

namespace dlc::lower {

/// To 10 bits behind the point, as GPUs do it (cvt.rna): halves go away from zero.
static Value roundToTF32(ImplicitLocOpBuilder &b, Value x) {
  auto away = RoundingModeAttr::get(b.getContext(), RoundingMode::to_nearest_away);
  Value rounded = TruncFOp::create(b, mlir::FloatTF32Type::get(b.getContext()), x, away,
                                   mlir::arith::FastMathFlagsAttr());
  return ExtFOp::create(b, b.getF32Type(), rounded);
}

static Value convertFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type from = x.getType();
  if (to.isInteger(1))
    return CmpFOp::create(b, CmpFPredicate::UNE, x, ConstantOp::create(b, b.getFloatAttr(from, 0)));
  if (to.isInteger(8)) // modulo 256, as in PyTorch
    return TruncIOp::create(b, to, FPToSIOp::create(b, b.getI32Type(), x));
  if (!mlir::isa<FloatType>(to))
    return FPToSIOp::create(b, to, x);
  if (to.isTF32())
    return roundToTF32(b, convert(b, x, b.getF32Type()));
  unsigned width = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (width < toWidth)
    return ExtFOp::create(b, to, x);
  if (width > toWidth)
    return TruncFOp::create(b, to, x);
  // bf16 and f16: neither holds the other.
  return TruncFOp::create(b, to, ExtFOp::create(b, b.getF32Type(), x));
}

static Value convertInteger(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type from = x.getType();
  if (to.isInteger(1))
    return CmpIOp::create(b, CmpIPredicate::ne, x, ConstantOp::create(b, b.getIntegerAttr(from, 0)));
  if (to.isTF32())
    return roundToTF32(b, convertInteger(b, x, b.getF32Type()));
  if (mlir::isa<FloatType>(to))
    return isUnsigned(from) ? Value(UIToFPOp::create(b, to, x)) : SIToFPOp::create(b, to, x);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return TruncIOp::create(b, to, x);
  return isUnsigned(from) ? Value(ExtUIOp::create(b, to, x)) : ExtSIOp::create(b, to, x);
}

Value integerPower(ImplicitLocOpBuilder &b, Value x, Value y) {
  Type type = x.getType();
  auto number = [&](int64_t n) -> Value { return ConstantOp::create(b, b.getIntegerAttr(type, n)); };
  auto compare = [&](CmpIPredicate predicate, Value left, int64_t right) -> Value {
    return CmpIOp::create(b, predicate, left, number(right));
  };
  Value isNegative = compare(CmpIPredicate::slt, y, 0);
  Value zero = number(0), one = number(1), sixtyTwo = number(62);
  Value size = SelectOp::create(b, isNegative, SubIOp::create(b, zero, y), y);
  // Only powers of 0, 1 and -1 have larger exponents without overflow: parity tells all.
  Value parity = AddIOp::create(b, sixtyTwo, AndIOp::create(b, size, one));
  size = SelectOp::create(b, compare(CmpIPredicate::uge, size, 64), parity, size);
  Value power = one, factor = x;
  for (int64_t bit = 1; bit < 64; bit *= 2) {
    Value has = compare(CmpIPredicate::ne, AndIOp::create(b, size, number(bit)), 0);
    power = SelectOp::create(b, has, MulIOp::create(b, power, factor), power);
    factor = MulIOp::create(b, factor, factor);
  }
  Value isOne = compare(CmpIPredicate::eq, x, 1), isMinusOne = compare(CmpIPredicate::eq, x, -1);
  Value isUnit = OrIOp::create(b, isOne, isMinusOne);
  Value quotient = SelectOp::create(b, isUnit, power, zero);
  return SelectOp::create(b, isNegative, quotient, power);
}

Value integerQuotient(ImplicitLocOpBuilder &b, Value x, Value y) {
  auto number = [&](int64_t n) -> Value { return ConstantOp::create(b, b.getIntegerAttr(x.getType(), n)); };
  Value zero = number(0), minusOne = number(-1), one = number(1);
  Value isZero = CmpIOp::create(b, CmpIPredicate::eq, y, zero);
  Value isMinusOne = CmpIOp::create(b, CmpIPredicate::eq, y, minusOne);
  Value isSpecial = OrIOp::create(b, isZero, isMinusOne);
  Value divisor = SelectOp::create(b, isSpecial, one, y);
  Value quotient = DivSIOp::create(b, x, divisor);
  Value negated = SubIOp::create(b, zero, x);
  quotient = SelectOp::create(b, isMinusOne, negated, quotient);
  return SelectOp::create(b, isZero, zero, quotient);
}

Value convert(ImplicitLocOpBuilder &b, Value x, Type to) {
  if (to.isUnsignedInteger(8))
    to = b.getI8Type();
  if (x.getType() == to)
    return x;
  return mlir::isa<FloatType>(x.getType()) ? convertFloat(b, x, to) : convertInteger(b, x, to);
}

} // namespace dlc::lower
