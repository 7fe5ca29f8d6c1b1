//===- DecomposeNormalization.cpp - softmax, layer norm, batch norm --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written so that what a gradient rule computes again (the exponentials, their sum) is literally equal and
// is merged with the forward computation.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/Groups.h"
#include "mlir/IR/Matchers.h"

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

// Only where all elements are minus infinity is the largest one below the lowest number, and the sum below 1:
// the exponentials are 0 then, and what divides them 1. Elsewhere the two bounds change nothing.
static Values softmax(nn::SoftmaxOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX()), largest = reduceMax(x, op.getAxis(), /*keepdims=*/true);
  if (op.getEmptyToZero()) {
    const auto &floats = mlir::cast<mlir::FloatType>(x.elementType()).getFloatSemantics();
    auto lowest = llvm::APFloat::getLargest(floats, /*Negative=*/true);
    largest = max(largest, largest.scalar(lowest.convertToDouble()));
  }
  Expr e = exp(x - largest), all = sum(e, op.getAxis(), /*keepdims=*/true);
  return {e * reciprocal(op.getEmptyToZero() ? max(all, all.scalar(1)) : all)};
}

static Values logSoftmax(nn::LogSoftmaxOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  Expr centered = x - reduceMax(x, op.getAxis(), /*keepdims=*/true);
  return {centered - log(sum(exp(centered), op.getAxis(), /*keepdims=*/true))};
}

/// What a group normalization has in place of a scale and a bias of its own.
static bool isOnly(mlir::Value value, double number) {
  mlir::SplatElementsAttr splat;
  return matchPattern(value, mlir::m_Constant(&splat)) &&
         splat.getSplatValue<llvm::APFloat>().convertToDouble() == number;
}

static Values groupNorm(nn::LayerNormOp op, ImplicitLocOpBuilder &builder) {
  Expr scale(builder, op.getScale()), bias(builder, op.getBias());
  nn::Groups groups(op.getX().getType(), op.getAxis());
  Expr x = groups.channels({builder, op.getX()});
  Expr center = groups.mean(x), d = x - groups.spread(center);
  Expr variance = groups.mean(d * d), rstd = rsqrt(variance + op.getEpsilon().convertToDouble());
  Expr y = groups.apart(d * groups.spread(rstd));
  // As operations on tensors with groups apart, these would be read and written in another order.
  if (!isOnly(scale, 1))
    y = y * scale;
  if (!isOnly(bias, 0))
    y = y + bias;
  return {y, center, rstd};
}

static Values layerNorm(nn::LayerNormOp op, ImplicitLocOpBuilder &builder) {
  if (nn::Groups::areIn(op.getX().getType(), op.getAxis()))
    return groupNorm(op, builder);
  Expr x(builder, op.getX()), scale(builder, op.getScale()), bias(builder, op.getBias());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(op.getAxis(), x.rank()));
  Expr center = mean(x, axes, /*keepdims=*/true), d = x - center;
  Expr rstd = rsqrt(mean(d * d, axes, /*keepdims=*/true) + op.getEpsilon().convertToDouble());
  return {d * rstd * scale + bias, center, rstd};
}

// A vector of one number per feature, shaped to broadcast with x, whose dim 1 is the feature.
static Expr alongFeatures(Expr perFeature, Expr x) {
  if (x.rank() == 2)
    return perFeature;
  nn::Shape shape(x.rank() - 1, nn::Dim(1));
  shape[0] = nn::shapeOf(perFeature.type())[0];
  return reshape(perFeature, nn::tensorType(shape, perFeature.elementType()));
}

static Values batchNorm(nn::BatchNormOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX()), scale(builder, op.getScale()), bias(builder, op.getBias());
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (axis != 1)
      axes.push_back(axis);
  Expr center = mean(x, axes, /*keepdims=*/false), d = x - alongFeatures(center, x);
  Expr variance = mean(d * d, axes, /*keepdims=*/false);
  Expr factor = rsqrt(variance + op.getEpsilon().convertToDouble()) * scale;
  return {d * alongFeatures(factor, x) + alongFeatures(bias, x), center, variance};
}

static Values batchNormInference(nn::BatchNormInferenceOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX()), scale(builder, op.getScale()), bias(builder, op.getBias());
  Expr center(builder, op.getMean()), variance(builder, op.getVariance());
  Expr factor = rsqrt(variance + op.getEpsilon().convertToDouble()) * scale;
  return {(x - alongFeatures(center, x)) * alongFeatures(factor, x) + alongFeatures(bias, x)};
}

void addNormalizationDecompositions(Decompositions &table) {
  table.add<nn::SoftmaxOp>(softmax);
  table.add<nn::LogSoftmaxOp>(logSoftmax);
  table.add<nn::LayerNormOp>(layerNorm);
  table.add<nn::BatchNormOp>(batchNorm);
  table.add<nn::BatchNormInferenceOp>(batchNormInference);
}

} // namespace dlc::lower
