//===- DecomposePool.cpp - resampling --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "dialects/nn/Dims.h"

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

static Expr weightsOf(nn::ResampleOp op, ImplicitLocOpBuilder &builder, const nn::Shape &shape) {
  Expr x(builder, op.getX());
  llvm::SmallVector<mlir::Attribute> weights;
  for (double weight : op.getWeights())
    weights.push_back(builder.getFloatAttr(x.elementType(), weight));
  auto type = nn::tensorType(shape, x.elementType());
  return {builder, nn::ConstantOp::create(builder, mlir::DenseElementsAttr::get(type, weights))};
}

// The taps are a dim before the axis, over which weighted elements are summed: fused, this reads each element
// where it lies. One tap of weight 1 moves elements only.
static Values resample(nn::ResampleOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  int64_t axis = op.getAxis(), taps = op.getTaps(), size = op.getPositions().size() / taps;
  llvm::SmallVector<int32_t> positions(op.getPositions().begin(), op.getPositions().end());
  auto indexType = nn::tensorType(taps == 1 ? nn::Shape{size} : nn::Shape{taps, size}, builder.getI32Type());
  auto indices = nn::ConstantOp::create(
      builder, mlir::DenseElementsAttr::get(indexType, llvm::ArrayRef<int32_t>(positions)));
  Expr gathered(builder, nn::GatherOp::create(builder, x.get(), indices, axis));
  bool isMove = taps == 1 && llvm::all_of(op.getWeights(), [](double weight) { return weight == 1; });
  if (isMove)
    return {gathered};
  nn::Shape along(x.rank() - axis, nn::Dim(1));
  along[0] = size;
  if (taps == 1)
    return {gathered * weightsOf(op, builder, along)};
  along.insert(along.begin(), nn::Dim(taps));
  return {sum(gathered * weightsOf(op, builder, along), axis, /*keepdims=*/false)};
}

void addPoolDecompositions(Decompositions &table) { table.add<nn::ResampleOp>(resample); }

} // namespace dlc::lower
