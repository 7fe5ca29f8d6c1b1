//===- Expr.cpp - nn operations written as formulas
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"
#include "dialects/nn/Dims.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nn {

/// A rank-0 constant.
static Expr scalarConstant(ImplicitLocOpBuilder &b, double number, Type elementType) {
  Attribute value = isa<FloatType>(elementType) ? Attribute(b.getFloatAttr(elementType, number))
                                                : b.getIntegerAttr(elementType, int64_t(number));
  return {b, ConstantOp::create(b, DenseElementsAttr::get(RankedTensorType::get({}, elementType), value))};
}

Expr Expr::scalar(double number) const { return scalarConstant(*builder, number, elementType()); }

template <typename Op, typename... Args> static Expr build(Expr x, Args... args) {
  return {x.getBuilder(), Op::create(x.getBuilder(), x.get(), args...)};
}

Expr operator+(Expr a, Expr b) { return build<AddOp>(a, b.get()); }
Expr operator-(Expr a, Expr b) { return build<SubOp>(a, b.get()); }
Expr operator*(Expr a, Expr b) { return build<MulOp>(a, b.get()); }
Expr operator/(Expr a, Expr b) { return build<DivOp>(a, b.get()); }
Expr operator-(Expr x) { return build<NegOp>(x); }

Expr exp(Expr x) { return build<ExpOp>(x); }
Expr log(Expr x) { return build<LogOp>(x); }
Expr expm1(Expr x) { return build<Expm1Op>(x); }
Expr log1p(Expr x) { return build<Log1pOp>(x); }
Expr sqrt(Expr x) { return build<SqrtOp>(x); }
Expr rsqrt(Expr x) { return build<RsqrtOp>(x); }
Expr reciprocal(Expr x) { return build<ReciprocalOp>(x); }
Expr abs(Expr x) { return build<AbsOp>(x); }
Expr sign(Expr x) { return build<SignOp>(x); }
Expr erf(Expr x) { return build<ErfOp>(x); }
Expr erfc(Expr x) { return build<ErfcOp>(x); }
Expr sin(Expr x) { return build<SinOp>(x); }
Expr cos(Expr x) { return build<CosOp>(x); }
Expr atan(Expr x) { return build<AtanOp>(x); }
Expr tanh(Expr x) { return build<TanhOp>(x); }
Expr sigmoid(Expr x) { return build<SigmoidOp>(x); }
Expr relu(Expr x) { return build<ReluOp>(x); }
Expr max(Expr a, Expr b) { return build<MaxOp>(a, b.get()); }
Expr min(Expr a, Expr b) { return build<MinOp>(a, b.get()); }
Expr pow(Expr a, Expr b) { return build<PowOp>(a, b.get()); }
Expr fma(Expr a, Expr b, Expr c) { return build<FmaOp>(a, b.get(), c.get()); }

static Expr compare(Comparison predicate, Expr a, Expr b) {
  return {a.getBuilder(), CompareOp::create(a.getBuilder(), predicate, a, b)};
}
Expr equal(Expr a, Expr b) { return compare(Comparison::eq, a, b); }
Expr less(Expr a, Expr b) { return compare(Comparison::lt, a, b); }
Expr lessEqual(Expr a, Expr b) { return compare(Comparison::le, a, b); }
Expr greater(Expr a, Expr b) { return compare(Comparison::gt, a, b); }
Expr greaterEqual(Expr a, Expr b) { return compare(Comparison::ge, a, b); }
Expr logicalNot(Expr x) { return build<LogicalNotOp>(x); }
Expr logicalAnd(Expr a, Expr b) { return build<LogicalAndOp>(a, b.get()); }
Expr select(Expr condition, Expr a, Expr b) { return build<SelectOp>(condition, a.get(), b.get()); }

Expr cast(Expr x, Type elementType) {
  return x.elementType() == elementType ? x : build<CastOp>(x, elementType);
}
Expr matmul(Expr a, Expr b, bool transposeA, bool transposeB, bool wide) {
  return build<MatMulOp>(a, b.get(), transposeA, transposeB, wide);
}

template <typename Op> static Expr reduce(Expr x, ArrayRef<int64_t> axes, bool keepdims) {
  return axes.empty() ? x : build<Op>(x, axes, keepdims);
}
Expr sum(Expr x, ArrayRef<int64_t> axes, bool keepdims) { return reduce<SumOp>(x, axes, keepdims); }
Expr mean(Expr x, ArrayRef<int64_t> axes, bool keepdims) { return reduce<MeanOp>(x, axes, keepdims); }
Expr reduceMax(Expr x, ArrayRef<int64_t> axes, bool keepdims) {
  return reduce<ReduceMaxOp>(x, axes, keepdims);
}
Expr sumAll(Expr x) { return sum(x, llvm::to_vector(llvm::seq<int64_t>(x.rank())), /*keepdims=*/false); }

Expr transpose(Expr x, ArrayRef<int64_t> permutation) { return build<TransposeOp>(x, permutation); }
Expr reshape(Expr x, RankedTensorType type) {
  if (x.type() == type)
    return x;
  return {x.getBuilder(), ReshapeOp::create(x.getBuilder(), type, x)};
}
Expr expand(Expr x, RankedTensorType type) {
  if (x.type() == type)
    return x;
  return {x.getBuilder(), ExpandOp::create(x.getBuilder(), type, x)};
}

Expr countAlong(Expr x, ArrayRef<int64_t> axes, Type elementType) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  Shape shape = shapeOf(x.type()), named;
  int64_t number = 1;
  for (int64_t axis : axes) {
    if (shape[axis].isStatic())
      number *= shape[axis].factor;
    else
      named.push_back(shape[axis]);
  }
  if (named.empty())
    return scalarConstant(b, double(number), elementType);
  // Summing ones counts what is there when the program runs; narrow floats could not count that far.
  Type counted = isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32
                     ? Type(b.getF32Type())
                     : elementType;
  Expr ones = expand(scalarConstant(b, 1, counted), tensorType(named, counted));
  return cast(sumAll(ones) * double(number), elementType);
}

Expr sumTo(Expr gradient, RankedTensorType type) {
  if (gradient.type() == type)
    return gradient;
  Shape from = shapeOf(gradient.type()), to = shapeOf(type);
  int64_t leading = from.size() - to.size();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(leading));
  for (auto [i, dim] : llvm::enumerate(to))
    if (dim.isOne() && !from[leading + i].isOne())
      axes.push_back(leading + i);
  // Where all stretched dims keep their place the sum has the type already; else it is a view away.
  return reshape(sum(gradient, axes, /*keepdims=*/leading == 0), type);
}

} // namespace nn
