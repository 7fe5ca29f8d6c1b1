//===- Maths.cpp - functions as polynomials --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Maths.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>

using namespace mlir;

namespace dlc::codegen {
namespace {

/// The value of which `x` is 1 / sqrt(2) or its negative; null where it is no such product.
Value timesSqrt2(Value x) {
  auto product = x.getDefiningOp<arith::MulFOp>();
  if (!product)
    return Value();
  auto isSqrt1_2 = [](Value factor) {
    if (auto broadcast = factor.getDefiningOp<vector::BroadcastOp>())
      factor = broadcast.getSource();
    Attribute constant;
    if (!matchPattern(factor, m_Constant(&constant)))
      return false;
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      constant = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(constant);
    return number && std::abs(number.getValueAsDouble()) == double(float(M_SQRT1_2));
  };
  return isSqrt1_2(product.getRhs())   ? product.getLhs()
         : isSqrt1_2(product.getLhs()) ? product.getRhs()
                                       : Value();
}

/// A constant of the type of `x`.
Value numberLike(ImplicitLocOpBuilder &b, Value x, double value) {
  TypedAttr element = b.getFloatAttr(getElementTypeOrSelf(x.getType()), value);
  auto shaped = dyn_cast<ShapedType>(x.getType());
  return arith::ConstantOp::create(b, shaped ? DenseElementsAttr::get(shaped, element) : element);
}

/// erfc(x) of f32. For a = |x| and t = 1 / (1 + a / 2), erfc(a) e^(a^2) / t is a polynomial in t, here that
/// of degree 8 whose greatest relative error on [0, 10] is least (4e-8). e^-(x^2) is left as a function.
/// Where x is y / sqrt(2), as in the normal distribution's function, it is e^(-y^2 / 2): the density, which
/// the gradient of GELU needs beside it, is then computed once.
struct ExpandErfc : OpRewritePattern<math::ErfcOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfcOp op, PatternRewriter &rewriter) const final {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto number = [&](double value) { return numberLike(b, x, value); };
    auto fma = [&](Value x, Value y, Value z) -> Value { return math::FmaOp::create(b, x, y, z); };
    auto mul = [&](Value x, Value y) -> Value { return arith::MulFOp::create(b, x, y); };
    Value one = number(1), a = math::AbsFOp::create(b, x);
    Value t = arith::DivFOp::create(b, one, fma(a, number(0.5), one));
    constexpr double factors[] = {-0.05909767374396324, 0.2847154140472412,   -0.48749151825904846,
                                  0.27840182185173035,  -0.02685699239373207, 0.20278511941432953,
                                  0.2430788278579712,   0.28237876296043396,  0.28208622336387634};
    Value sum = number(factors[0]);
    for (double factor : ArrayRef(factors).drop_front())
      sum = fma(sum, t, number(factor));
    // Far out, the rounding error of the square counts.
    Value y = timesSqrt2(x), root = y ? y : x, part = number(y ? -0.5 : -1);
    Value square = mul(root, root), density = math::ExpOp::create(b, mul(part, square));
    Value error = fma(root, root, arith::NegFOp::create(b, square));
    density = fma(mul(part, density), error, density);
    Value tail = mul(mul(sum, t), density);
    // Beyond 10, which is less than the least normal number, the square may be infinite.
    auto is = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
      return arith::CmpFOp::create(b, predicate, x, y);
    };
    Value zero = number(0);
    tail = arith::SelectOp::create(b, is(arith::CmpFPredicate::OGT, a, number(10)), zero, tail);
    Value mirrored = arith::SubFOp::create(b, number(2), tail);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, is(arith::CmpFPredicate::OLT, x, zero), mirrored, tail);
    return success();
  }
};

/// e^x - 1 of f64 is tanh(x / 2) (e^x + 1), which has all digits near 0: the difference, which the conversion
/// to LLVM would make of it, has none.
struct ExpandExpm1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op, PatternRewriter &rewriter) const final {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x.getType()).isF64())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value half = arith::MulFOp::create(b, x, numberLike(b, x, 0.5)), tangent = math::TanhOp::create(b, half);
    Value power = math::ExpOp::create(b, x), sum = arith::AddFOp::create(b, power, numberLike(b, x, 1));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, tangent, sum);
    return success();
  }
};

/// f32 exp, log, tanh, erf and their like become polynomials on whole vectors (at most 5 units in the last
/// place, erfc at most 7). pow and f64 are left to libm: they are rare, and there precision matters more.
struct ExpandMaths : PassWrapper<ExpandMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMaths)
  StringRef getArgument() const final { return "dlc-expand-maths"; }
  StringRef getDescription() const final { return "f32 functions become polynomials on vectors"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<vector::VectorDialect, arith::ArithDialect>();
  }
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.exp", "math.expm1", "math.log", "math.log1p", "math.tanh", "math.erf"},
                                name);
    });
    patterns.add<ExpandErfc, ExpandExpm1>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<Pass> createExpandMathsPass() { return std::make_unique<ExpandMaths>(); }

} // namespace dlc::codegen
