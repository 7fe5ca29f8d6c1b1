//===- FoldNumbers.cpp - nn: arithmetic on known numbers
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas bring along constants whose elements are all one number: 1/n of a mean, the loss's own
// gradient 1. Arithmetic among them is done here, in the element type's precision, so that a program
// computes the same bits with and without folding.
//===----------------------------------------------------------------------===//
#include "dialects/nn/NN.h"

using namespace mlir;
using namespace nn;

using Number = std::optional<APFloat>;

/// The one number that all elements of a floating-point constant are.
static Number numberOf(Attribute constant) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(constant);
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>();
}

static bool isNumber(Attribute constant, double expected) {
  Number number = numberOf(constant);
  return number && number->convertToDouble() == expected && !number->isNegZero();
}

/// A tensor of that number; none where the shape is not known or the result is no number to rely on.
static OpFoldResult constant(Type type, const APFloat &number) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape() || !number.isFinite())
    return {};
  return DenseElementsAttr::get(tensor, number);
}

template <typename Compute>
static OpFoldResult foldBinary(Type type, Attribute a, Attribute b, Compute compute) {
  Number left = numberOf(a), right = numberOf(b);
  return left && right ? constant(type, compute(*left, *right)) : OpFoldResult();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  return foldBinary(getType(), adaptor.getA(), adaptor.getB(), [](APFloat a, APFloat b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isNumber(adaptor.getB(), 0) && getA().getType() == getType())
    return getA();
  return foldBinary(getType(), adaptor.getA(), adaptor.getB(), [](APFloat a, APFloat b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isNumber(adaptor.getB(), 1) && getA().getType() == getType())
    return getA();
  if (isNumber(adaptor.getA(), 1) && getB().getType() == getType())
    return getB();
  return foldBinary(getType(), adaptor.getA(), adaptor.getB(), [](APFloat a, APFloat b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isNumber(adaptor.getB(), 1) && getA().getType() == getType())
    return getA();
  return foldBinary(getType(), adaptor.getA(), adaptor.getB(), [](APFloat a, APFloat b) { return a / b; });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  return foldBinary(getType(), adaptor.getA(), adaptor.getB(), llvm::maximum);
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  return foldBinary(getType(), adaptor.getA(), adaptor.getB(), llvm::minimum);
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  Number number = numberOf(adaptor.getX());
  return number ? constant(getType(), -*number) : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  Number number = numberOf(adaptor.getX());
  auto to = dyn_cast<FloatType>(getTo());
  if (!number || !to)
    return {};
  bool losesInformation;
  number->convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInformation);
  return constant(getType(), *number);
}

// A sum of equal numbers, where it is exact in any order: counting ones.
OpFoldResult SumOp::fold(FoldAdaptor adaptor) {
  auto from = cast<RankedTensorType>(getX().getType());
  if (!isNumber(adaptor.getX(), 1) || !from.hasStaticShape())
    return {};
  int64_t count = 1;
  for (int64_t axis : getAxes())
    count *= from.getDimSize(axis);
  APFloat sum = *numberOf(adaptor.getX());
  if (sum.convertFromAPInt(APInt(64, count), /*IsSigned=*/true, APFloat::rmNearestTiesToEven) !=
      APFloat::opOK)
    return {};
  return constant(getType(), sum);
}
