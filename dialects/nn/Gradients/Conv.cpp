//===- Conv.cpp - gradients of convolutions --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <conv(x, w), y> is linear in x, w and y. Its gradients by the three are conv_transpose(y, w),
// conv_weight_gradient(x, y) and conv(x, w), so that these operations are each other's gradients. The
// gradient by the image stands before that by the weight: a weight is then read for the last time before its
// own gradient exists, and can be updated in place right after that. Wide sums as in Linear.cpp.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"
#include "dialects/nn/Window.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

/// Casts the gradient of a result, whose sums may be wide, or sums of a gradient, to the operands' type.
template <typename Op> static Expr asOperand(ImplicitLocOpBuilder &builder, Op op, Value value) {
  return cast(Expr(builder, value), mlir::getElementTypeOrSelf(op->getOperand(0).getType()));
}

/// The convolution of an image and a weight, with the attributes of `op`; one of the two is a gradient.
template <typename Op> static Value byResult(ImplicitLocOpBuilder &builder, Op op, Value x, Value w) {
  x = asOperand(builder, op, x);
  w = asOperand(builder, op, w);
  return asOperand(builder, op,
                   ConvOp::create(builder, x, w, op.getStrides(), op.getDilations(), op.getLow(),
                                  op.getHigh(), op.getGroups(), op.getWide()));
}

template <typename Op>
static Value byImage(ImplicitLocOpBuilder &builder, Op op, Value y, Value w, ArrayRef<int64_t> size) {
  y = asOperand(builder, op, y);
  w = asOperand(builder, op, w);
  return asOperand(builder, op,
                   ConvTransposeOp::create(builder, y, w, size, op.getStrides(), op.getDilations(),
                                           op.getLow(), op.getHigh(), op.getGroups(), op.getWide()));
}

template <typename Op>
static Value byWeight(ImplicitLocOpBuilder &builder, Op op, Value x, Value y, ArrayRef<int64_t> kernel) {
  x = asOperand(builder, op, x);
  y = asOperand(builder, op, y);
  return asOperand(builder, op,
                   ConvWeightGradientOp::create(builder, x, y, kernel, op.getStrides(), op.getDilations(),
                                                op.getLow(), op.getHigh(), op.getGroups(), op.getWide()));
}

SmallVector<Value> ConvOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                    ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] = byImage(builder, *this, dResults[0], getW(), spatialSizes(getX()));
  if (needed[1])
    gradients[1] = byWeight(builder, *this, getX(), dResults[0], spatialSizes(getW()));
  return gradients;
}

SmallVector<Value> ConvTransposeOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                             ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] = byResult(builder, *this, dResults[0], getW());
  if (needed[1])
    gradients[1] = byWeight(builder, *this, dResults[0], getDy(), spatialSizes(getW()));
  return gradients;
}

SmallVector<Value> ConvWeightGradientOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                                  ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] = byImage(builder, *this, getDy(), dResults[0], spatialSizes(getX()));
  if (needed[1])
    gradients[1] = byResult(builder, *this, getX(), dResults[0]);
  return gradients;
}

} // namespace nn
