//===- Fold.cpp - nn: operations that fold away
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What folds here is the same for every value, NaN, infinities and signed zeros included (x + 0.0 is not x
// for x = -0.0, but x - 0.0 is). Arithmetic on constants is in FoldConstants.cpp.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nn;

/// Whether all elements of the constant are this number; for zeros the sign counts.
static bool isNumber(Attribute constant, double number) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(constant);
  if (!splat)
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().isExactlyValue(number);
  return splat.getSplatValue<APInt>().getSExtValue() == int64_t(number);
}

/// `x` in place of a result of type `type`, unless it was broadcast.
static OpFoldResult unlessBroadcast(Value x, Type type) {
  return x.getType() == type ? OpFoldResult(x) : OpFoldResult();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===-- Elementwise ------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isNumber(adaptor.getB(), -0.0))
    return unlessBroadcast(getA(), getType());
  return isNumber(adaptor.getA(), -0.0) ? unlessBroadcast(getB(), getType()) : OpFoldResult();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isNumber(adaptor.getB(), 0.0) ? unlessBroadcast(getA(), getType()) : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isNumber(adaptor.getB(), 1))
    return unlessBroadcast(getA(), getType());
  return isNumber(adaptor.getA(), 1) ? unlessBroadcast(getB(), getType()) : OpFoldResult();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return isNumber(adaptor.getB(), 1) ? unlessBroadcast(getA(), getType()) : OpFoldResult();
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  return isNumber(adaptor.getB(), 1) ? unlessBroadcast(getA(), getType()) : OpFoldResult();
}

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto before = getX().getDefiningOp<NegOp>();
  return before ? before.getX() : OpFoldResult();
}

OpFoldResult LogicalNotOp::fold(FoldAdaptor) {
  auto before = getX().getDefiningOp<LogicalNotOp>();
  return before ? before.getX() : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) { return getX().getDefiningOp<ReluOp>() ? getX() : OpFoldResult(); }

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getA() == getB())
    return unlessBroadcast(getA(), getType());
  auto condition = dyn_cast_or_null<SplatElementsAttr>(adaptor.getCondition());
  if (!condition)
    return {};
  return unlessBroadcast(condition.getSplatValue<bool>() ? getA() : getB(), getType());
}

/// Whether each number of type `from` is a number of type `to`.
static bool holdsAll(Type from, Type to) {
  if (from.isInteger(1) || from == to)
    return true;
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth() && !to.isInteger(1);
  auto a = dyn_cast<FloatType>(from), b = dyn_cast<FloatType>(to);
  return a && b && APFloat::isRepresentableBy(a.getFloatSemantics(), b.getFloatSemantics());
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  // A detour over a type that holds all of the first one's numbers changes nothing.
  auto before = getX().getDefiningOp<CastOp>();
  if (!before || !holdsAll(elementTypeOf(before.getX()), elementTypeOf(getX())))
    return {};
  if (before.getX().getType() == getType())
    return before.getX();
  getXMutable().set(before.getX());
  return getResult();
}

//===-- Others that do nothing -------------------------------------------------===//

template <typename Op> static OpFoldResult foldNoAxes(Op op) {
  return op.getAxes().empty() ? op.getX() : OpFoldResult();
}
OpFoldResult SumOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult MeanOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReduceMinOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ProdOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ReverseOp::fold(FoldAdaptor) { return foldNoAxes(*this); }

OpFoldResult DropoutOp::fold(FoldAdaptor) { return getRatio().isZero() ? getX() : OpFoldResult(); }

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? getInputs().front() : OpFoldResult();
}

// Steps along a whole dim are 1, so a slice of the same type is the whole tensor.
OpFoldResult SliceOp::fold(FoldAdaptor) { return unlessBroadcast(getX(), getType()); }
OpFoldResult PadOp::fold(FoldAdaptor) { return unlessBroadcast(getX(), getType()); }

//===-- Views --------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    return constant.reshape(cast<ShapedType>(getY().getType()));
  // Only the last of several reshapes counts.
  auto before = getX().getDefiningOp<ReshapeOp>();
  if (!before)
    return {};
  getXMutable().set(before.getX());
  return getY();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return getX();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getX()))
    return constant.resizeSplat(cast<ShapedType>(getY().getType()));
  auto before = getX().getDefiningOp<TransposeOp>();
  if (!before)
    return {};
  SmallVector<int64_t> both;
  for (int64_t dim : permutation)
    both.push_back(before.getPermutation()[dim]);
  setPermutation(both);
  getXMutable().set(before.getX());
  return getY();
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  auto type = cast<RankedTensorType>(getY().getType());
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getX()); constant && type.hasStaticShape())
    return constant.resizeSplat(type);
  auto before = getX().getDefiningOp<ExpandOp>();
  if (!before)
    return {};
  getXMutable().set(before.getX());
  return getY();
}
