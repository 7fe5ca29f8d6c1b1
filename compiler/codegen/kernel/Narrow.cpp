//===- Narrow.cpp - floats of fewer bits than f32 --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/support/Elements.h"
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
  return isHalfWord(element) || element.isTF32();
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

/// Rounds to tf32, as f32.
static Value roundedToWords(Builder &b, Value value) {
  constexpr int64_t dropped = 13; // bits at the end
  Type type = withElement(value.getType(), b.getI32Type());
  auto constant = [&](int64_t bits) { return bitsOf(b, type, bits); };
  Value bits = arith::BitcastOp::create(b, type, value);
  Value nearest = arith::AddIOp::create(b, bits, constant(int64_t(1) << (dropped - 1)));
  return arith::BitcastOp::create(b, value.getType(), withoutEnd(b, value, bits, nearest, dropped));
}

Value roundedTo(Builder &b, Type element, Value value) {
  if (!isHalfWord(element))
    return roundedToWords(b, value);
  Value narrow = arith::TruncFOp::create(b, withElement(value.getType(), element), value);
  return arith::ExtFOp::create(b, value.getType(), narrow);
}

Value fromBits(Builder &b, Type element, Value bits) {
  Value narrow = arith::BitcastOp::create(b, withElement(bits.getType(), element), bits);
  return arith::ExtFOp::create(b, withElement(bits.getType(), b.getF32Type()), narrow);
}

Value toBits(Builder &b, Type element, Value value) {
  Value narrow = arith::TruncFOp::create(b, withElement(value.getType(), element), value);
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

// f16 has 5 bits of the exponent and 10 behind the point: its exponent is 112 smaller than f32's, whose 13
// last bits it lacks. No number here is so small that a processor in dlc's mode would take it for zero.
constexpr int64_t halfDropped = 13, halfExponents = int64_t(112) << 23;

struct FloatWords {
  Builder &b;
  Type type; ///< i32, or a vector of it

  Value constant(int64_t number) { return bitsOf(b, type, number); }
  Value real(double number) {
    TypedAttr attribute = b.getF32FloatAttr(float(number));
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(cast<ShapedType>(realType()), cast<Attribute>(attribute));
    return arith::ConstantOp::create(b, attribute);
  }
  Type realType() { return withElement(type, b.getF32Type()); }
  Value atLeast(Value x, int64_t number) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, x, constant(number));
  }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value asWords(Value x) { return arith::BitcastOp::create(b, type, x); }
};

struct RoundHalfByIntegers : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const final {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(op.getType()).isF16() || !getElementTypeOrSelf(value.getType()).isF32())
      return failure();
    Builder b(op.getLoc(), rewriter);
    FloatWords w{b, withElement(value.getType(), b.getI32Type())};
    Value bits = w.asWords(value);
    Value size = arith::AndIOp::create(b, bits, w.constant(0x7fffffff));
    // Numbers with a whole mantissa, which may become the first power of two that is out of the range.
    Value last = arith::ShRUIOp::create(b, size, w.constant(halfDropped));
    Value odd = arith::AndIOp::create(b, last, w.constant(1));
    Value half =
        arith::AddIOp::create(b, odd, w.constant((int64_t(1) << (halfDropped - 1)) - 1 - halfExponents));
    Value moved = arith::AddIOp::create(b, size, half);
    Value whole = arith::ShRUIOp::create(b, moved, w.constant(halfDropped));
    // Smaller ones: a half has 2^-24 as its last bit, and so are they rounded.
    Value real = arith::BitcastOp::create(b, w.realType(), size);
    Value rounded = w.asWords(arith::AddFOp::create(b, real, w.real(0.5)));
    Value small = arith::SubIOp::create(b, rounded, w.constant(0x3f000000));
    constexpr int64_t leastWhole = 0x38800000, tooLarge = 0x477ff000, leastNaN = 0x7f800001;
    Value finite = w.select(w.atLeast(size, leastWhole), whole, small);
    Value infinity = w.constant(0x7c00), nan = w.constant(0x7e00);
    Value ordered = w.select(w.atLeast(size, tooLarge), infinity, finite);
    Value result = w.select(w.atLeast(size, leastNaN), nan, ordered);
    Value upper = arith::ShRUIOp::create(b, bits, w.constant(16));
    Value sign = arith::AndIOp::create(b, upper, w.constant(0x8000));
    Value all = arith::OrIOp::create(b, result, sign);
    Value narrow = arith::TruncIOp::create(b, withElement(w.type, b.getI16Type()), all);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

struct WidenHalfByIntegers : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const final {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value.getType()).isF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Builder b(op.getLoc(), rewriter);
    FloatWords w{b, withElement(value.getType(), b.getI32Type())};
    Value bits = arith::BitcastOp::create(b, withElement(w.type, b.getI16Type()), value);
    Value word = arith::ExtUIOp::create(b, w.type, bits);
    Value size = arith::AndIOp::create(b, word, w.constant(0x7fff));
    Value moved = arith::ShLIOp::create(b, size, w.constant(halfDropped));
    Value whole = arith::AddIOp::create(b, moved, w.constant(halfExponents));
    Value infinite = arith::AddIOp::create(b, moved, w.constant(2 * halfExponents)); // or NaN
    Value count = arith::SIToFPOp::create(b, w.realType(), size);
    Value small = w.asWords(arith::MulFOp::create(b, count, w.real(0x1p-24)));
    constexpr int64_t leastWhole = 0x0400, leastInfinite = 0x7c00;
    Value finite = w.select(w.atLeast(size, leastWhole), whole, small);
    Value result = w.select(w.atLeast(size, leastInfinite), infinite, finite);
    Value sign = arith::AndIOp::create(b, word, w.constant(0x8000));
    Value all = arith::OrIOp::create(b, result, arith::ShLIOp::create(b, sign, w.constant(16)));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), all);
    return success();
  }
};

struct NarrowByIntegers : PassWrapper<NarrowByIntegers, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NarrowByIntegers)
  explicit NarrowByIntegers(bool convertsHalves) : convertsHalves(convertsHalves) {}
  StringRef getArgument() const final { return "dlc-narrow-by-integers"; }
  StringRef getDescription() const final {
    return "floats of 16 bits and f32 become each other by integer instructions";
  }
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<RoundByIntegers, WidenByIntegers>(&getContext());
    if (!convertsHalves)
      patterns.add<RoundHalfByIntegers, WidenHalfByIntegers>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
  bool convertsHalves;
};

} // namespace

std::unique_ptr<Pass> createNarrowByIntegersPass(bool convertsHalves) {
  return std::make_unique<NarrowByIntegers>(convertsHalves);
}

} // namespace dlc::codegen
