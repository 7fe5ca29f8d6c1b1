//===- Elementwise.cpp - gradients of elementwise operations ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table: each line is a derivative times the gradient of the result. Where the result tells enough, the
// rule reads the result instead of the operand, so that the operand need not be kept. Kinks as in PyTorch,
// and so is what becomes of NaN, for which every comparison is false: the last choice is what it has in
// PyTorch.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"
#include <cmath>
#include <limits>

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

//===-- Unary: y = f(x) ------------------------------------------------------===//

#define UNARY_RULE(Op, DX)                                                                                   \
  SmallVector<Value> Op::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {      \
    [[maybe_unused]] Expr x(builder, getX()), y(builder, getY()), dy(builder, dResults[0]);                  \
    return {DX};                                                                                             \
  }

// clang-format off
UNARY_RULE(NegOp,        -dy)
UNARY_RULE(AbsOp,        dy * sign(x))
UNARY_RULE(SignOp,       expand(dy.scalar(0), x.type()))
UNARY_RULE(ExpOp,        dy * y)
UNARY_RULE(LogOp,        dy / x)
UNARY_RULE(Expm1Op,      dy * (y + 1))
UNARY_RULE(Log1pOp,      dy / (1 + x))
UNARY_RULE(SqrtOp,       dy * 0.5 / y)
UNARY_RULE(RsqrtOp,      dy * -0.5 * (y * y * y))
UNARY_RULE(ReciprocalOp, -dy * (y * y))
UNARY_RULE(ErfOp,        dy * (M_2_SQRTPI * exp(-(x * x))))
UNARY_RULE(ErfcOp,       dy * (-M_2_SQRTPI * exp(-(x * x))))
UNARY_RULE(ErfinvOp,     dy * (1 / M_2_SQRTPI * exp(y * y)))
UNARY_RULE(SinOp,        dy * cos(x))
UNARY_RULE(CosOp,        -dy * sin(x))
UNARY_RULE(AtanOp,       dy / (1 + x * x))
UNARY_RULE(FloorOp,      expand(dy.scalar(0), x.type()))
UNARY_RULE(CeilOp,       expand(dy.scalar(0), x.type()))
UNARY_RULE(RoundOp,      getStraightThrough() ? dy : expand(dy.scalar(0), x.type()))
UNARY_RULE(TanhOp,       dy * (1 - y * y))
UNARY_RULE(SigmoidOp,    dy * (y * (1 - y)))
UNARY_RULE(ReluOp,       select(lessEqual(y, y.scalar(0)), 0, dy))
UNARY_RULE(SiluOp,       dy * (sigmoid(x) * (1 + x * (1 - sigmoid(x)))))
UNARY_RULE(SoftplusOp,   dy * sigmoid(x))
UNARY_RULE(SoftsignOp,   dy / ((1 + abs(x)) * (1 + abs(x))))
// The slope is alpha inside the ramp, 0 on the plateaus and where they meet it.
UNARY_RULE(HardSigmoidOp, select(logicalAnd(greater(y, y.scalar(0)), less(y, y.scalar(1))),
                                 dy * getAlpha().convertToDouble(), 0))
UNARY_RULE(HardSwishOp,   select(lessEqual(x, x.scalar(-3)), 0,
                                 select(greaterEqual(x, x.scalar(3)), dy, dy * (x / 3 + 0.5))))
// clang-format on

#undef UNARY_RULE

// For alpha >= 0, y and x are positive together.
static Expr positiveSide(const llvm::APFloat &alpha, Expr x, Expr y) {
  Expr sameSign = alpha.isNegative() ? x : y;
  return greater(sameSign, sameSign.scalar(0));
}

SmallVector<Value> LeakyReluOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), y(builder, getY()), dy(builder, dResults[0]);
  return {select(positiveSide(getAlpha(), x, y), dy, dy * getAlpha().convertToDouble())};
}

SmallVector<Value> EluOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), y(builder, getY()), dy(builder, dResults[0]);
  return {select(positiveSide(getAlpha(), x, y), dy, dy * (y + getAlpha().convertToDouble()))};
}

SmallVector<Value> GeluOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  if (getTanh()) {
    double k = 2 * std::sqrt(2 / M_PI), cubic = 0.044715;
    Expr s = sigmoid(k * (x + cubic * (x * x * x)));
    Expr dInner = k * (1 + (3 * cubic) * (x * x));
    return {dy * (s + x * ((s * (1 - s)) * dInner))};
  }
  Expr cdf = 0.5 * erfc(x * -M_SQRT1_2);
  Expr pdf = (M_2_SQRTPI * M_SQRT1_2 / 2) * exp(-0.5 * (x * x));
  return {dy * (cdf + x * pdf)};
}

SmallVector<Value> ClipOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  double low = getLow().convertToDouble(), high = getHigh().convertToDouble();
  Expr dx = dy;
  if (low > -std::numeric_limits<double>::infinity())
    dx = select(greaterEqual(x, x.scalar(low)), dx, 0);
  if (high < std::numeric_limits<double>::infinity())
    dx = select(lessEqual(x, x.scalar(high)), dx, 0);
  return {dx};
}

// A gradient that was rounded only to have this result's type, as sums of low products are, is taken as it
// was before: x has a type that holds it. So is one whose elements were only moved since then.
SmallVector<Value> CastOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  SmallVector<mlir::Operation *> moves;
  Value made = dy.get();
  for (mlir::Operation *move = made.getDefiningOp(); move && move->hasTrait<FollowsPrecision>();
       move = made.getDefiningOp()) {
    moves.push_back(move);
    made = move->getOperand(0);
  }
  auto rounded = made.getDefiningOp<CastOp>();
  if (!rounded || mlir::getElementTypeOrSelf(rounded.getX().getType()) != x.elementType())
    return {cast(dy, x.elementType())};
  Value whole = rounded.getX();
  for (mlir::Operation *move : llvm::reverse(moves)) {
    mlir::Operation *again = builder.clone(*move);
    again->setOperand(0, whole);
    whole = again->getResult(0);
    whole.setType(tensorType(shapeOf(whole.getType()), x.elementType()));
  }
  return {whole};
}

//===-- Binary: c = f(a, b), broadcasting undone at the end --------------------===//

#define BINARY_RULE(Op, DA, DB)                                                                              \
  SmallVector<Value> Op::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,                        \
                                  ArrayRef<bool> needed) {                                                   \
    [[maybe_unused]] Expr a(builder, getA()), b(builder, getB()), c(builder, getC());                        \
    Expr dc(builder, dResults[0]);                                                                           \
    SmallVector<Value> gradients(2);                                                                         \
    if (needed[0])                                                                                           \
      gradients[0] = sumTo(DA, a.type());                                                                    \
    if (needed[1])                                                                                           \
      gradients[1] = sumTo(DB, b.type());                                                                    \
    return gradients;                                                                                        \
  }

// clang-format off
BINARY_RULE(AddOp, dc, dc)
BINARY_RULE(SubOp, dc, -dc)
BINARY_RULE(MulOp, dc * b, dc * a)
BINARY_RULE(DivOp, dc / b, -(dc / b * c))
BINARY_RULE(MaxOp, select(less(a, b), 0, select(equal(a, b), dc * 0.5, dc)),
                   select(less(b, a), 0, select(equal(a, b), dc * 0.5, dc)))
BINARY_RULE(MinOp, select(greater(a, b), 0, select(equal(a, b), dc * 0.5, dc)),
                   select(greater(b, a), 0, select(equal(a, b), dc * 0.5, dc)))
// clang-format on

#undef BINARY_RULE

// The exponent if it is one number known at compile time.
static std::optional<double> constantNumber(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? mlir::dyn_cast<mlir::SplatElementsAttr>(constant.getValue()) : nullptr;
  if (!splat || !mlir::isa<mlir::FloatType>(splat.getElementType()))
    return std::nullopt;
  llvm::APFloat number = splat.getSplatValue<llvm::APFloat>();
  bool lossy;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

// d/da = b a^(b-1), which is 0 for b = 0 even at a = 0; d/db = c ln a, which is 0 for a = 0 and b >= 0.
SmallVector<Value> PowOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                   ArrayRef<bool> needed) {
  Expr a(builder, getA()), b(builder, getB()), c(builder, getC()), dc(builder, dResults[0]);
  SmallVector<Value> gradients(2);
  if (needed[0]) {
    std::optional<double> exponent = constantNumber(getB());
    Expr da = exponent == 2.0                ? dc * 2 * a
              : exponent && *exponent != 0.0 ? dc * *exponent * pow(a, a.scalar(*exponent - 1))
                                             : select(equal(b, b.scalar(0)), 0, dc * b * pow(a, b - 1));
    gradients[0] = sumTo(da, a.type());
  }
  if (needed[1]) {
    Expr isZero = equal(a, a.scalar(0)), isFlat = logicalAnd(isZero, greaterEqual(b, b.scalar(0)));
    gradients[1] = sumTo(select(isFlat, 0, dc * c * log(a)), b.type());
  }
  return gradients;
}

SmallVector<Value> SelectOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  Expr condition(builder, getCondition()), a(builder, getA()), b(builder, getB()), dy(builder, dResults[0]);
  SmallVector<Value> gradients(3);
  if (needed[1])
    gradients[1] = sumTo(select(condition, dy, 0), a.type());
  if (needed[2])
    gradients[2] = sumTo(select(condition, 0, dy), b.type());
  return gradients;
}

SmallVector<Value> FmaOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                   ArrayRef<bool> needed) {
  Expr a(builder, getA()), b(builder, getB()), dy(builder, dResults[0]);
  SmallVector<Value> gradients(3);
  if (needed[0])
    gradients[0] = sumTo(dy * b, a.type());
  if (needed[1])
    gradients[1] = sumTo(dy * a, b.type());
  if (needed[2])
    gradients[2] = sumTo(dy, mlir::cast<mlir::RankedTensorType>(getC().getType()));
  return gradients;
}

} // namespace nn
