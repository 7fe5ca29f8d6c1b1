//===- Maths.cpp - functions of double precision as arithmetic -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On scalars, as code of a GPU's thread has them. exp and log have errors of at most about two units in the
// last place. In pow, the logarithm is a sum of two numbers, so that its error does not grow with the
// exponent.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Maths.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;

namespace dlc::codegen::gpu {
namespace {

/// A number in two parts, of which the second is a small part of the last place of the first.
struct Sum {
  Value high, low;
};

/// Arithmetic of f64 scalars.
struct Doubles {
  ImplicitLocOpBuilder b;

  Doubles(Location loc, OpBuilder &builder) : b(loc, builder) {}
  Value number(double value) { return arith::ConstantOp::create(b, b.getF64FloatAttr(value)); }
  Value integer(int64_t value) { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value is(CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, predicate, x, number(y));
  }
  Value is(CmpFPredicate predicate, Value x, Value y) { return arith::CmpFOp::create(b, predicate, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value asDouble(Value bits) { return arith::BitcastOp::create(b, b.getF64Type(), bits); }
  Value asBits(Value x) { return arith::BitcastOp::create(b, b.getI64Type(), x); }

  /// factors[0] * x^n + factors[1] * x^(n-1) + ...
  Value polynomial(Value x, ArrayRef<double> factors) {
    Value sum = number(factors.front());
    for (double factor : factors.drop_front())
      sum = fma(sum, x, number(factor));
    return sum;
  }
  /// x + y of numbers of which the first is the larger.
  Sum addSmaller(Value x, Value y) {
    Value high = add(x, y), rest = sub(high, x);
    return {high, sub(y, rest)};
  }
  Sum product(Value x, Value y) {
    Value high = mul(x, y);
    return {high, fma(x, y, neg(high))};
  }
  Sum product(Sum x, Sum y) {
    Sum whole = product(x.high, y.high);
    Value rest = fma(x.high, y.low, whole.low);
    return addSmaller(whole.high, fma(x.low, y.high, rest));
  }
  /// 2^n of an integer -1022 to 1023.
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, n, integer(1023));
    return asDouble(arith::ShLIOp::create(b, biased, integer(52)));
  }

  Value exp(Value x);
  Sum log(Value x);
  Value logarithm(Value x);
  Value pow(Value x, Value y);
};

constexpr double infinity = std::numeric_limits<double>::infinity();
// ln 2 in two parts, of which the first has zeros at its end: its product with an exponent is exact.
constexpr double ln2High = 0x1.62e42feep-1, ln2Low = 0x1.a39ef35793c76p-33;

/// x = n ln 2 + r with |r| <= ln 2 / 2; the series of e^r, times 2^n in two steps, because 2^n alone may be
/// too large or too small.
Value Doubles::exp(Value x) {
  Value bounded = select(is(CmpFPredicate::OGT, x, -746), x, number(-746)); // no number: -746
  bounded = select(is(CmpFPredicate::OLT, bounded, 710), bounded, number(710));
  Value n = math::RoundEvenOp::create(b, mul(bounded, number(M_LOG2E)));
  Value minus = neg(n), r = fma(minus, number(ln2Low), fma(minus, number(ln2High), bounded));
  double factors[14], factorial = 1;
  for (int k = 0; k < 14; factorial *= ++k)
    factors[13 - k] = 1 / factorial;
  Value power = polynomial(r, factors);
  Value whole = arith::FPToSIOp::create(b, b.getI64Type(), n);
  Value half = arith::ShRSIOp::create(b, whole, integer(1));
  Value rest = arith::SubIOp::create(b, whole, half);
  Value result = mul(mul(power, powerOfTwo(half)), powerOfTwo(rest));
  return select(is(CmpFPredicate::UNO, x, x), x, result);
}

/// Of positive finite numbers. x = 2^n m with m from 1/sqrt(2) to sqrt(2), and log m is the series of
/// 2 artanh s for s = (m - 1) / (m + 1).
Sum Doubles::log(Value x) {
  constexpr int64_t mantissa = (int64_t(1) << 52) - 1;
  Value isTiny = is(CmpFPredicate::OLT, x, 0x1p-1022);
  x = select(isTiny, mul(x, number(0x1p54)), x);
  Value bits = asBits(x), n = arith::ShRUIOp::create(b, bits, integer(52));
  n = arith::SubIOp::create(b, n, arith::SelectOp::create(b, isTiny, integer(1023 + 54), integer(1023)));
  Value fraction = arith::AndIOp::create(b, bits, integer(mantissa));
  Value m = asDouble(arith::OrIOp::create(b, fraction, integer(int64_t(1023) << 52)));
  Value isUpper = is(CmpFPredicate::OGT, m, M_SQRT2);
  m = select(isUpper, mul(m, number(0.5)), m);
  n = arith::AddIOp::create(b, n, arith::ExtUIOp::create(b, b.getI64Type(), isUpper));
  Value exponent = arith::SIToFPOp::create(b, b.getF64Type(), n);

  Value one = number(1), f = sub(m, one), t = add(m, one), tLow = sub(m, sub(t, one));
  Value s = div(f, t), minus = neg(s);
  Sum root{s, div(fma(minus, tLow, fma(minus, t, f)), t)};
  Sum z = product(root, root);
  double factors[10]; // of z^k: 2 / (2k + 3), from the last that counts down to 2 / 5
  for (int k = 0; k < 10; ++k)
    factors[k] = 2.0 / (2 * (10 - k) + 3);
  Value tail = mul(z.high, polynomial(z.high, factors));
  constexpr double third = 2.0 / 3;
  Sum inner = addSmaller(number(third), add(tail, number(0x1.5555555555555p-55))); // 2/3 and what it lacks
  Sum cubic = product(product(root, z), inner);
  // From the largest to the smallest: n ln 2, 2 s, the rest.
  Value twoHigh = mul(root.high, number(2)), twoLow = mul(root.low, number(2));
  Sum linear = addSmaller(twoHigh, cubic.high);
  Value small = add(add(linear.low, cubic.low), add(twoLow, mul(exponent, number(ln2Low))));
  Value whole = mul(exponent, number(ln2High));
  // The exponent's part may be zero or the smaller one.
  Value sum = add(whole, linear.high), back = sub(sum, whole);
  Value lost = add(sub(whole, sub(sum, back)), sub(linear.high, back));
  return addSmaller(sum, add(lost, small));
}

Value Doubles::logarithm(Value x) {
  Sum sum = log(x);
  Value result = add(sum.high, sum.low);
  result = select(is(CmpFPredicate::OEQ, x, infinity), x, result);
  result = select(is(CmpFPredicate::OEQ, x, 0.0), number(-infinity), result);
  // Of no number, or a negative one.
  return select(is(CmpFPredicate::OGE, x, 0.0), result, number(std::numeric_limits<double>::quiet_NaN()));
}

Value Doubles::pow(Value x, Value y) {
  Value base = math::AbsFOp::create(b, x);
  Sum sum = log(base);
  Value high = mul(y, sum.high), low = fma(y, sum.low, fma(y, sum.high, neg(high)));
  // Where the power is finite and not zero; elsewhere the sign of the logarithm decides.
  Value sign = select(is(CmpFPredicate::OEQ, base, 0.0), number(-infinity), sum.high);
  sign = select(is(CmpFPredicate::OEQ, base, infinity), number(infinity), sign);
  Value isExtreme = is(CmpFPredicate::UGT, math::AbsFOp::create(b, mul(y, sign)), 800);
  Value power = exp(select(isExtreme, mul(y, sign), high));
  Value exact = fma(power, select(isExtreme, number(0), low), power);
  power = select(isExtreme, power, exact);

  Value whole = math::TruncOp::create(b, y), half = mul(y, number(0.5));
  Value isWhole = is(CmpFPredicate::OEQ, whole, y);
  Value isOdd = both(isWhole, is(CmpFPredicate::ONE, math::TruncOp::create(b, half), half));
  power = select(isOdd, math::CopySignOp::create(b, power, x), power);
  Value isRoot = both(both(is(CmpFPredicate::OLT, x, 0.0), is(CmpFPredicate::OGT, x, -infinity)),
                      is(CmpFPredicate::ONE, whole, y));
  power = select(isRoot, number(std::numeric_limits<double>::quiet_NaN()), power);
  // Of no numbers, but 1 to any power is 1, and anything to the power 0.
  power = select(is(CmpFPredicate::UNO, x, y), add(x, y), power);
  // (-1) to an infinite power is 1, too.
  Value isOne =
      both(is(CmpFPredicate::OEQ, base, 1.0), is(CmpFPredicate::OEQ, math::AbsFOp::create(b, y), infinity));
  power = select(isOne, number(1), power);
  power = select(is(CmpFPredicate::OEQ, x, 1.0), number(1), power);
  return select(is(CmpFPredicate::OEQ, y, 0.0), number(1), power);
}

template <typename Op> struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    constexpr bool isPow = std::is_same_v<Op, math::PowFOp>;
    Doubles d(op.getLoc(), rewriter);
    Type type = op.getType();
    if (!type.isF64() && !(isPow && type.isF32()))
      return failure();
    SmallVector<Value> x(op->getOperands());
    if (type.isF32())
      for (Value &operand : x)
        operand = arith::ExtFOp::create(d.b, d.b.getF64Type(), operand);
    Value result;
    if constexpr (isPow)
      result = d.pow(x[0], x[1]);
    else if constexpr (std::is_same_v<Op, math::LogOp>)
      result = d.logarithm(x[0]);
    else
      result = d.exp(x[0]);
    if (type.isF32())
      result = arith::TruncFOp::create(d.b, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandDoubleMaths : PassWrapper<ExpandDoubleMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandDoubleMaths)
  StringRef getArgument() const final { return "dlc-expand-double-maths"; }
  StringRef getDescription() const final { return "f64 exp, log and pow become arithmetic of scalars"; }
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<Expand<math::ExpOp>, Expand<math::LogOp>, Expand<math::PowFOp>>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

struct CheckMaths : PassWrapper<CheckMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckMaths)
  StringRef getArgument() const final { return "dlc-check-maths"; }
  StringRef getDescription() const final { return "only functions that a GPU has are left"; }
  void runOnOperation() final {
    WalkResult result = getOperation()->walk([](Operation *op) -> WalkResult {
      if (!isa<math::MathDialect>(op->getDialect()) ||
          isa<math::FmaOp, math::SqrtOp, math::RsqrtOp, math::AbsFOp, math::AbsIOp, math::FloorOp,
              math::CeilOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp>(op))
        return WalkResult::advance();
      return op->emitError("'") << op->getName().stripDialect() << "' of " << op->getResult(0).getType()
                                << " has no code for GPUs yet, in kernel '"
                                << *op->getParentOfType<ModuleOp>().getSymName() << "'; compile for the CPU";
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createExpandDoubleMathsPass() { return std::make_unique<ExpandDoubleMaths>(); }
std::unique_ptr<Pass> createCheckMathsPass() { return std::make_unique<CheckMaths>(); }

} // namespace dlc::codegen::gpu
