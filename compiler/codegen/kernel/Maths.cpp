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

/// `value` is `number` times `factor`; no number where it is no such product with a constant.
struct Multiple {
  Value number;
  double factor = 1;
};

Multiple multipleOf(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  auto constantIn = [](Value factor) -> std::optional<double> {
    if (auto broadcast = factor.getDefiningOp<vector::BroadcastOp>())
      factor = broadcast.getSource();
    Attribute constant;
    if (!matchPattern(factor, m_Constant(&constant)))
      return std::nullopt;
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      constant = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(constant);
    return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
  };
  if (auto factor = constantIn(product.getRhs()))
    return {product.getLhs(), *factor};
  if (auto factor = constantIn(product.getLhs()))
    return {product.getRhs(), *factor};
  return {};
}

bool isF32(Value x) { return getElementTypeOrSelf(x.getType()).isF32(); }

/// Formulas of f32 numbers, or of vectors of them, that have the type of `like`.
struct Formula {
  Formula(Location loc, PatternRewriter &rewriter, Value like, MachineMaths machine = {})
      : b(loc, rewriter), type(like.getType()), machine(machine) {}

  Value constant(TypedAttr element, Type ofType) {
    auto shaped = dyn_cast<ShapedType>(ofType);
    return arith::ConstantOp::create(b, shaped ? DenseElementsAttr::get(shaped, element) : element);
  }
  Value number(double value) { return constant(b.getFloatAttr(getElementTypeOrSelf(type), value), type); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value isGreater(Value x, double bound) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, number(bound));
  }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  /// The polynomial in `x` whose factors are these, that of the highest power first.
  Value polynomial(Value x, ArrayRef<double> factors) {
    Value sum = number(factors.front());
    for (double factor : factors.drop_front())
      sum = fma(sum, x, number(factor));
    return sum;
  }
  Value powerOfFraction(Value f);
  Value scaled(Value number, Value shifted);
  Value bell(Value x, double rate);
  Value exp(Value x);

  ImplicitLocOpBuilder b;
  Type type;
  MachineMaths machine;

  // The last bits of 3 * 2^22 + m are those of the small whole number m: with n + 127 for m, the exponent
  // field of 2^n.
  static constexpr double shift = 3 << 22, bias = 127;
};

/// 2^f of -1/2 to 1/2: the polynomial of degree 6 whose greatest relative error there is least (2e-9), or the
/// machine's instruction.
Value Formula::powerOfFraction(Value f) {
  if (machine.powerOfTwo)
    return machine.powerOfTwo(b, f);
  return polynomial(f, {0.00015353327034972608, 0.001339887036010623, 0.009618437848985195,
                        0.055503323674201965, 0.24022647738456726, 0.6931471824645996, 1});
}

/// `number` times 2^n, of n + bias + shift.
Value Formula::scaled(Value number, Value shifted) {
  Type bits = b.getI32Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    bits = shaped.clone(bits);
  Value whole = arith::BitcastOp::create(b, bits, shifted);
  whole = arith::ShLIOp::create(b, whole, constant(b.getI32IntegerAttr(23), bits));
  return mul(number, arith::BitcastOp::create(b, type, whole));
}

/// e^-(rate x^2). It is 2^(n + f) with the whole number n that is nearest to -rate x^2 log2(e). Far out, the
/// rounding errors of the square and of the factor count; both are added to f. At most 2 units in the last
/// place, 4 by a machine's instruction; zero where it is less than the least normal number.
Value Formula::bell(Value x, double rate) {
  double factor = rate / M_LN2, rounded = float(factor);
  Value square = mul(x, x), error = fma(x, x, arith::NegFOp::create(b, square)), high = number(-rounded);
  Value shifted = fma(square, high, number(shift + bias)), n = sub(shifted, number(shift + bias));
  Value f = fma(square, high, arith::NegFOp::create(b, n));
  f = fma(square, number(rounded - factor), f);
  f = fma(error, high, f);
  Value power = scaled(powerOfFraction(f), shifted);
  Value isBelow = isGreater(square, 126 * M_LN2 / rate);
  return select(isBelow, number(0), power);
}

/// 2^(n + f) with the whole number n that is nearest to x log2(e), but at least -126 and at most 127: beyond,
/// f is large, and its power infinite or zero, as the result is. By a machine's instruction only.
Value Formula::exp(Value x) {
  const double rounded = float(M_LOG2E);
  Value shifted = fma(x, number(rounded), number(shift + bias));
  shifted = arith::MaxNumFOp::create(b, shifted, number(shift + 1));
  shifted = arith::MinNumFOp::create(b, shifted, number(shift + 2 * bias));
  Value n = sub(shifted, number(shift + bias));
  Value f = fma(x, number(rounded), arith::NegFOp::create(b, n));
  f = fma(x, number(M_LOG2E - rounded), f);
  return scaled(machine.powerOfTwo(b, f), shifted);
}

/// erfc(x) of f32. For a = |x| and t = 1 / (1 + a / 2), erfc(a) e^(a^2) / t is a polynomial in t, here that
/// of degree 8 whose greatest relative error on [0, 10] is least (4e-8). Where x is y / sqrt(2), as in the
/// normal distribution's function, e^-(a^2) is e^(-y^2 / 2): the density, which the gradient of GELU needs
/// beside it, is then computed once. That function is erfc(x) / 2; where only this is wanted, it is computed.
struct ExpandErfc : OpRewritePattern<math::ErfcOp> {
  ExpandErfc(MLIRContext *context, MachineMaths machine)
      : OpRewritePattern(context, /*benefit=*/2), machine(machine) {}

  LogicalResult matchAndRewrite(math::ErfcOp op, PatternRewriter &rewriter) const final {
    Value x = op.getOperand();
    if (!isF32(x))
      return failure();
    double factor = 1, rate = 1;
    if (Multiple root = multipleOf(x); root.number && std::abs(root.factor) == double(float(M_SQRT1_2))) {
      x = root.number;
      factor = std::copysign(M_SQRT1_2, root.factor);
      rate = 0.5;
    }
    bool isHalved = llvm::all_of(op->getUsers(), [](Operation *user) {
      return user->getNumResults() == 1 && multipleOf(user->getResult(0)).factor == 0.5;
    });
    Formula f(op.getLoc(), rewriter, x, machine);
    double scale = isHalved ? 0.5 : 1;
    SmallVector<double> factors = {-0.05909767374396324, 0.2847154140472412,   -0.48749151825904846,
                                   0.27840182185173035,  -0.02685699239373207, 0.20278511941432953,
                                   0.2430788278579712,   0.28237876296043396,  0.28208622336387634};
    for (double &number : factors)
      number *= scale;
    Value one = f.number(1), a = math::AbsFOp::create(f.b, x);
    Value divisor = f.fma(a, f.number(std::abs(factor) / 2), one);
    Value t = machine.reciprocal ? machine.reciprocal(f.b, divisor)
                                 : arith::DivFOp::create(f.b, one, divisor).getResult();
    Value ratio = f.mul(f.polynomial(t, factors), t), tail = f.mul(ratio, f.bell(x, rate));
    Value isNegative = factor < 0 ? f.isGreater(x, 0)
                                  : arith::CmpFOp::create(f.b, arith::CmpFPredicate::OLT, x, f.number(0));
    Value result = f.select(isNegative, f.sub(f.number(2 * scale), tail), tail);
    if (isHalved)
      for (Operation *half : llvm::make_early_inc_range(op->getUsers()))
        rewriter.replaceOp(half, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  MachineMaths machine;
};

/// e^-(rate x^2) of f32: the density, and what is made like it.
struct ExpandBell : OpRewritePattern<math::ExpOp> {
  ExpandBell(MLIRContext *context, MachineMaths machine)
      : OpRewritePattern(context, /*benefit=*/3), machine(machine) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const final {
    Value power = op.getOperand();
    Multiple multiple = multipleOf(power);
    if (auto negative = power.getDefiningOp<arith::NegFOp>())
      multiple = {negative.getOperand(), -1};
    auto square = multiple.number ? multiple.number.getDefiningOp<arith::MulFOp>() : nullptr;
    if (!isF32(power) || !square || square.getLhs() != square.getRhs() || multiple.factor >= 0)
      return failure();
    Formula f(op.getLoc(), rewriter, power, machine);
    rewriter.replaceOp(op, f.bell(square.getLhs(), -multiple.factor));
    return success();
  }

  MachineMaths machine;
};

/// e^x of f32 by a machine's instruction.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context, MachineMaths machine)
      : OpRewritePattern(context, /*benefit=*/2), machine(machine) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const final {
    Value power = op.getOperand();
    if (!isF32(power))
      return failure();
    rewriter.replaceOp(op, Formula(op.getLoc(), rewriter, power, machine).exp(power));
    return success();
  }

  MachineMaths machine;
};

/// e^x - 1 of f64 is tanh(x / 2) (e^x + 1), which has all digits near 0: the difference, which the conversion
/// to LLVM would make of it, has none.
struct ExpandExpm1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op, PatternRewriter &rewriter) const final {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x.getType()).isF64())
      return failure();
    Formula f(op.getLoc(), rewriter, x);
    Value tangent = math::TanhOp::create(f.b, f.mul(x, f.number(0.5)));
    Value power = math::ExpOp::create(f.b, x), sum = arith::AddFOp::create(f.b, power, f.number(1));
    rewriter.replaceOp(op, f.mul(tangent, sum));
    return success();
  }
};

/// f32 exp, log, tanh, erf and their like become polynomials on whole vectors (at most 5 units in the last
/// place, erfc at most 7). pow and f64 are left to libm: they are rare, and there precision matters more.
struct ExpandMaths : PassWrapper<ExpandMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMaths)
  explicit ExpandMaths(MachineMaths machine) : machine(machine) {}
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
    patterns.add<ExpandErfc, ExpandBell>(&getContext(), machine);
    if (machine.powerOfTwo)
      patterns.add<ExpandExp>(&getContext(), machine);
    patterns.add<ExpandExpm1>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  MachineMaths machine;
};

} // namespace

std::unique_ptr<Pass> createExpandMathsPass(MachineMaths machine) {
  return std::make_unique<ExpandMaths>(machine);
}

} // namespace dlc::codegen
