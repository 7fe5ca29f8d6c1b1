//===- Shape.cpp - gradients of operations that move elements --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient moves back what was moved, and adds up what had been copied.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::RankedTensorType, mlir::Value, mlir::ValueRange;

namespace nn {

SmallVector<Value> ReshapeOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  return {reshape(dy, x.type())};
}

SmallVector<Value> TransposeOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, source] : llvm::enumerate(getPermutation()))
    inverse[source] = i;
  return {transpose(Expr(builder, dResults[0]), inverse)};
}

SmallVector<Value> ExpandOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr x(builder, getX()), dy(builder, dResults[0]);
  return {sumTo(dy, x.type())};
}

SmallVector<Value> ReverseOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  return {ReverseOp::create(builder, dResults[0], getAxes())};
}

//===-- Parts ------------------------------------------------------------------===//

// All of `type`, except along `axis`: there [start, start + size).
static Value sliceAlong(ImplicitLocOpBuilder &builder, Value x, int64_t axis, int64_t start, int64_t size) {
  ArrayRef<int64_t> shape = mlir::cast<RankedTensorType>(x.getType()).getShape();
  SmallVector<int64_t> starts(shape.size(), 0), limits, steps(shape.size(), 1);
  for (int64_t dim : shape)
    limits.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  starts[axis] = start;
  limits[axis] = start + size;
  return SliceOp::create(builder, x, starts, limits, steps);
}

SmallVector<Value> ConcatOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  SmallVector<Value> gradients(getInputs().size());
  int64_t axis = getAxis(), start = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    int64_t size = mlir::cast<RankedTensorType>(input.getType()).getDimSize(axis);
    if (needed[i])
      gradients[i] = sliceAlong(builder, dResults[0], axis, start, size);
    start += size;
  }
  return gradients;
}

static Expr zerosLike(ImplicitLocOpBuilder &builder, Value dy, RankedTensorType type) {
  return expand(Expr(builder, dy).scalar(0), type);
}

// Zeros everywhere but at the places the slice was taken from.
SmallVector<Value> SliceOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  auto from = mlir::cast<RankedTensorType>(getX().getType()),
       to = mlir::cast<RankedTensorType>(getY().getType());
  if (llvm::is_contained(to.getShape(), 0))
    return {zerosLike(builder, dResults[0], from)};
  SmallVector<int64_t> low(getStarts()), high(from.getRank(), 0), interior(from.getRank(), 0);
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    if (from.isDynamicDim(axis))
      continue;
    interior[axis] = getSteps()[axis] - 1;
    int64_t last = getStarts()[axis] + (to.getDimSize(axis) - 1) * getSteps()[axis];
    high[axis] = from.getDimSize(axis) - 1 - last;
  }
  return {PadOp::create(builder, PadMode::constant, dResults[0], low, high, interior, llvm::APFloat(0.0))};
}

//===-- Padding ----------------------------------------------------------------===//

// Where element i of a padded dim of `size` elements comes from.
static int64_t paddedFrom(PadMode mode, int64_t i, int64_t low, int64_t size) {
  int64_t offset = i - low;
  if (mode == PadMode::edge)
    return std::clamp<int64_t>(offset, 0, size - 1);
  // Wrapping repeats the elements, reflecting repeats them forth and back without doubling the ends.
  int64_t period = mode == PadMode::wrap ? size : std::max<int64_t>(2 * (size - 1), 1);
  int64_t place = ((offset % period) + period) % period;
  return place < size ? place : period - place;
}

SmallVector<Value> PadOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  auto type = mlir::cast<RankedTensorType>(getX().getType());
  if (llvm::is_contained(type.getShape(), 0))
    return {zerosLike(builder, dResults[0], type)};
  if (getMode() == PadMode::constant) {
    SmallVector<int64_t> limits, steps;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      steps.push_back(getInterior()[axis] + 1);
      bool whole = type.isDynamicDim(axis);
      limits.push_back(whole ? -1 : getLow()[axis] + (type.getDimSize(axis) - 1) * steps.back() + 1);
    }
    return {SliceOp::create(builder, dResults[0], getLow(), limits, steps)};
  }
  // The other modes copy: add each copy to its source, one dim at a time.
  Value dx = dResults[0];
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    int64_t low = getLow()[axis], high = getHigh()[axis], size = type.getDimSize(axis);
    if (low == 0 && high == 0)
      continue;
    SmallVector<int64_t> sources;
    for (int64_t i = 0; i < low + size + high; ++i)
      sources.push_back(paddedFrom(getMode(), i, low, size));
    auto indicesType = RankedTensorType::get({int64_t(sources.size())}, builder.getI64Type());
    Value indices =
        ConstantOp::create(builder, mlir::DenseIntElementsAttr::get(indicesType, ArrayRef(sources)));
    Shape shape = shapeOf(dx.getType());
    shape[axis] = size;
    dx = ScatterAddOp::create(builder, tensorType(shape, type.getElementType()), indices, dx, axis);
  }
  return {dx};
}

//===-- By index ---------------------------------------------------------------===//

/// Zero where the index is the padding: dy [a..., i..., b...] with a dim of one for each of b in the index.
static Value withoutPadding(ImplicitLocOpBuilder &builder, GatherOp op, int64_t padding, Value dy) {
  Shape rows = shapeOf(op.getIndices());
  rows.append(shapeOf(op.getX()).size() - 1 - op.getAxis(), Dim(1));
  mlir::Type type = tensorType(rows, elementTypeOf(op.getIndices()));
  Expr index(builder, ReshapeOp::create(builder, type, op.getIndices()));
  return select(equal(index, index.scalar(double(padding))), 0, Expr(builder, dy)).get();
}

SmallVector<Value> GatherOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (!needed[0])
    return gradients;
  std::optional<int64_t> padding = getPadding();
  Value dy = padding ? withoutPadding(builder, *this, *padding, dResults[0]) : dResults[0];
  gradients[0] = ScatterAddOp::create(builder, getX().getType(), getIndices(), dy, getAxis());
  return gradients;
}

SmallVector<Value> ScatterAddOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                          ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (needed[1])
    gradients[1] = GatherOp::create(builder, dResults[0], getIndices(), getAxis());
  return gradients;
}

} // namespace nn
