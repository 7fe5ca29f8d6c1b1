//===- ScalarOps.cpp - conversion of scalars -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/common/ScalarOps.h"

using namespace mlir::arith;
using mlir::FloatType, mlir::ImplicitLocOpBuilder, mlir::Type, mlir::Value;

namespace dlc::lowering {

static Value convertFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type from = x.getType();
  if (to.isInteger(1))
    return CmpFOp::create(b, CmpFPredicate::UNE, x, ConstantOp::create(b, b.getFloatAttr(from, 0)));
  if (!mlir::isa<FloatType>(to))
    return FPToSIOp::create(b, to, x);
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
  bool isTruth = from.isInteger(1);
  if (mlir::isa<FloatType>(to))
    return isTruth ? Value(UIToFPOp::create(b, to, x)) : SIToFPOp::create(b, to, x);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return TruncIOp::create(b, to, x);
  return isTruth ? Value(ExtUIOp::create(b, to, x)) : ExtSIOp::create(b, to, x);
}

Value convert(ImplicitLocOpBuilder &b, Value x, Type to) {
  if (x.getType() == to)
    return x;
  return mlir::isa<FloatType>(x.getType()) ? convertFloat(b, x, to) : convertInteger(b, x, to);
}

} // namespace dlc::lowering
