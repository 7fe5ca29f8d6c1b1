//===- Narrow.cpp - floats of fewer bits than f32 --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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

/// The bits of the nearest number of `value`, without those at the end. A carry could make another number of
/// a NaN; a bit of what stays keeps it one.
static Value withoutEnd(Builder &b, Value value, Value bits, Value nearest, int64_t dropped) {
  auto constant = [&](int64_t number) { return bitsOf(b, bits.getType(), number); };
  Value quiet = arith::OrIOp::create(b, bits, constant(0x400000));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(b, isNaN, quiet, nearest);
  return arith::AndIOp::create(b, chosen, constant(-(int64_t(1) << dropped)));
}

/// tf32, as f32.
static Value roundedToWords(Builder &b, Value value) {
  constexpr int64_t dropped = 13; // bits at the end
  Type type = withElement(value.getType(), b.getI32Type());
  auto constant = [&](int64_t bits) { return bitsOf(b, type, bits); };
  Value bits = arith::BitcastOp::create(b, type, value);
  Value nearest = arith::AddIOp::create(b, bits, constant(int64_t(1) << (dropped - 1)));
  return arith::BitcastOp::create(b, value.getType(), withoutEnd(b, value, bits, nearest, dropped));
}

Value roundedTo(Builder &b, Type element, Value value) {
  if (!element.isBF16())
    return roundedToWords(b, value);
  Value narrow = arith::TruncFOp::create(b, withElement(value.getType(), element), value);
  return arith::ExtFOp::create(b, value.getType(), narrow);
}

Value fromBits(Builder &b, Value bits) {
  Value narrow = arith::BitcastOp::create(b, withElement(bits.getType(), b.getBF16Type()), bits);
  return arith::ExtFOp::create(b, withElement(bits.getType(), b.getF32Type()), narrow);
}

Value toBits(Builder &b, Value value) {
  Value narrow = arith::TruncFOp::create(b, withElement(value.getType(), b.getBF16Type()), value);
  return arith::BitcastOp::create(b, withElement(value.getType(), b.getI16Type()), narrow);
}

namespace {

/// The nearest number, as bits; halves go to the even one.
struct RoundByIntegers : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const final {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(op.getType()).isBF16() || !getElementTypeOrSelf(value.getType()).isF32())
      return failure();
    constexpr int64_t dropped = 16;
    Builder b(op.getLoc(), rewriter);
    Type type = withElement(value.getType(), b.getI32Type());
    auto constant = [&](int64_t bits) { return bitsOf(b, type, bits); };
    Value bits = arith::BitcastOp::create(b, type, value);
    Value last = arith::ShRUIOp::create(b, bits, constant(dropped));
    Value odd = arith::AndIOp::create(b, last, constant(1));
    // A little less than a half, and what makes an odd number go up.
    Value half = arith::AddIOp::create(b, constant((int64_t(1) << (dropped - 1)) - 1), odd);
    Value nearest = arith::AddIOp::create(b, bits, half);
    Value kept = withoutEnd(b, value, bits, nearest, dropped);
    Value upper = arith::ShRUIOp::create(b, kept, constant(dropped));
    Value narrow = arith::TruncIOp::create(b, withElement(type, b.getI16Type()), upper);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

struct WidenByIntegers : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const final {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value.getType()).isBF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Builder b(op.getLoc(), rewriter);
    Type wide = withElement(value.getType(), b.getI32Type());
    Value bits = arith::BitcastOp::create(b, withElement(wide, b.getI16Type()), value);
    Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, wide, bits), bitsOf(b, wide, 16));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), upper);
    return success();
  }
};

struct NarrowByIntegers : PassWrapper<NarrowByIntegers, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowByIntegers)
  StringRef getArgument() const final { return "dlc-narrow-by-integers"; }
  StringRef getDescription() const final { return "bf16 and f32 become each other by integer instructions"; }
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<RoundByIntegers, WidenByIntegers>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<Pass> createNarrowByIntegersPass() { return std::make_unique<NarrowByIntegers>(); }

} // namespace dlc::codegen
