//===- Narrow.cpp - floats of fewer bits than f32 --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace dlc::codegen {

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isTF32();
}

Type registerType(Type type) {
  return isNarrow(type) ? withElement(type, Float32Type::get(type.getContext())) : type;
}

TypedAttr registerConstant(TypedAttr value) {
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !isNarrow(number.getType()))
    return value;
  return FloatAttr::get(registerType(number.getType()), number.getValueAsDouble());
}

static Value bitsOf(Builder &b, Type type, int64_t bits) {
  TypedAttr number = b.getI32IntegerAttr(int32_t(bits));
  if (auto shaped = dyn_cast<ShapedType>(type))
    number = DenseElementsAttr::get(shaped, cast<Attribute>(number));
  return arith::ConstantOp::create(b, number);
}

Value roundedTo(Builder &b, Type element, Value value) {
  const int64_t dropped = element.isBF16() ? 16 : 13; // bits at the end
  Type type = withElement(value.getType(), b.getI32Type());
  auto constant = [&](int64_t bits) { return bitsOf(b, type, bits); };
  Value bits = arith::BitcastOp::create(b, type, value);
  Value half = constant(int64_t(1) << (dropped - 1));
  if (element.isBF16()) { // a little less than a half, and what makes an odd number go up
    Value last = arith::ShRUIOp::create(b, bits, constant(dropped));
    Value odd = arith::AndIOp::create(b, last, constant(1));
    half = arith::AddIOp::create(b, constant((int64_t(1) << (dropped - 1)) - 1), odd);
  }
  Value nearest = arith::AddIOp::create(b, bits, half);
  // A carry could make another number of a NaN; a bit of what stays keeps it one.
  Value quiet = arith::OrIOp::create(b, bits, constant(0x400000));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(b, isNaN, quiet, nearest);
  Value kept = arith::AndIOp::create(b, chosen, constant(-(int64_t(1) << dropped)));
  return arith::BitcastOp::create(b, value.getType(), kept);
}

Value fromBits(Builder &b, Value bits) {
  Type wide = withElement(bits.getType(), b.getI32Type());
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, wide, bits), bitsOf(b, wide, 16));
  return arith::BitcastOp::create(b, withElement(wide, b.getF32Type()), upper);
}

Value toBits(Builder &b, Value value) {
  Value rounded = roundedTo(b, b.getBF16Type(), value);
  Type wide = withElement(value.getType(), b.getI32Type());
  Value bits = arith::BitcastOp::create(b, wide, rounded);
  Value upper = arith::ShRUIOp::create(b, bits, bitsOf(b, wide, 16));
  return arith::TruncIOp::create(b, withElement(wide, b.getI16Type()), upper);
}

} // namespace dlc::codegen
