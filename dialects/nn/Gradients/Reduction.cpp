//===- Reduction.cpp - gradients of reductions -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each spreads the gradient of the result over the elements that were reduced.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

// A reduction's result, or its gradient, with the reduced dims as dims of size 1.
static Expr withReducedDims(Expr y, Expr x, ArrayRef<int64_t> axes) {
  Shape shape = shapeOf(x.type());
  for (int64_t axis : axes)
    shape[axis] = 1;
  return reshape(y, tensorType(shape, y.elementType()));
}

SmallVector<Value> SumOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  return {expand(withReducedDims(dy, x, getAxes()), x.type())};
}

SmallVector<Value> MeanOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  Expr share = dy / countAlong(x, getAxes(), x.elementType());
  return {expand(withReducedDims(share, x, getAxes()), x.type())};
}

// Equal extreme elements share the gradient evenly. Where the extremum is NaN, no element equals it, and the
// gradients of all are 0 * (dy / 0), NaN, as those of PyTorch's amax.
static Expr shareAmongEqual(Expr x, Expr y, Expr dy, ArrayRef<int64_t> axes) {
  Expr chosen = equal(x, withReducedDims(y, x, axes));
  Expr counted = select(chosen, 1, expand(x.scalar(0), x.type()));
  Expr count = sum(counted, axes, /*keepdims=*/true);
  return counted * (withReducedDims(dy, x, axes) / count);
}

SmallVector<Value> ReduceMaxOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  return {shareAmongEqual({builder, getX()}, {builder, getY()}, {builder, dResults[0]}, getAxes())};
}

SmallVector<Value> ReduceMinOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  return {shareAmongEqual({builder, getX()}, {builder, getY()}, {builder, dResults[0]}, getAxes())};
}

// The derivative for an element is the product of the others: the product of the nonzero ones divided by
// the element if nothing is zero, that product for the only zero, else 0.
SmallVector<Value> ProdOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  Expr isZero = equal(x, x.scalar(0));
  Expr nonzero = select(isZero, 1, x);
  Expr product(builder, ProdOp::create(builder, nonzero.get(), getAxes(), /*keepdims=*/true));
  Expr zeros = sum(select(isZero, 1, expand(x.scalar(0), x.type())), getAxes(), /*keepdims=*/true);
  // Another zero makes the gradient 0, whose own gradient is not: the zeros are factors of it.
  Expr others = sum(select(isZero, x, 0), getAxes(), /*keepdims=*/true);
  auto are = [&](double count) { return equal(zeros, zeros.scalar(count)); };
  Expr ofZero = select(are(1), product, select(are(2), (others - x) * product, 0));
  Expr share = product / nonzero;
  Expr ofNonzero = select(are(0), share, select(are(1), others * share, 0));
  return {withReducedDims(dy, x, getAxes()) * select(isZero, ofZero, ofNonzero)};
}

} // namespace nn
