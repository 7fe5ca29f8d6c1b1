//===- Normalization.cpp - gradients of softmax, layer norm, batch norm ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With n = normalized elements, x^ = (x - mean) * rstd and g the gradient of x^, both norms have
//   dx = rstd * (g - mean(g) - x^ * mean(g * x^)).
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Groups.h"
#include "llvm/ADT/STLExtras.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

SmallVector<Value> SoftmaxOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr y(builder, getY()), dy(builder, dResults[0]);
  return {y * (dy - sum(dy * y, int64_t(getAxis()), /*keepdims=*/true))};
}

SmallVector<Value> LogSoftmaxOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                          ArrayRef<bool>) {
  Expr y(builder, getY()), dy(builder, dResults[0]);
  return {dy - exp(y) * sum(dy, int64_t(getAxis()), /*keepdims=*/true)};
}

//===-- Layer norm -----------------------------------------------------------===//

SmallVector<Value> LayerNormOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                         ArrayRef<bool> needed) {
  Expr x(builder, getX()), scale(builder, getScale()), mean(builder, getMean()), rstd(builder, getRstd());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(getAxis(), x.rank()));
  // Groups are worked on as channels (Groups.h), anything else as it is.
  std::optional<Groups> groups;
  if (Groups::areIn(x.type(), getAxis()))
    groups.emplace(x.type(), getAxis());
  auto channels = [&](Expr values) { return groups ? groups->channels(values) : values; };
  auto apart = [&](Expr values) { return groups ? groups->apart(values) : values; };
  auto spread = [&](Expr numbers) { return groups ? groups->spread(numbers) : numbers; };
  auto meanOf = [&](Expr values) {
    return groups ? groups->spread(groups->mean(values)) : nn::mean(values, axes, /*keepdims=*/true);
  };
  Expr inside = channels(x), center = spread(mean), factor = spread(rstd);
  Expr normal = (inside - center) * factor, normalized = apart(normal);
  Expr count = countAlong(x, axes, x.elementType());
  SmallVector<Value> gradients(3);
  auto addToDx = [&](Expr part) { gradients[0] = gradients[0] ? Expr(builder, gradients[0]) + part : part; };
  if (Value result = dResults[0]) {
    Expr dy(builder, result);
    if (needed[0]) {
      Expr g = channels(dy * scale), average = meanOf(g), correlation = meanOf(g * normal);
      addToDx(apart(factor * (g - average - normal * correlation)));
    }
    if (needed[1])
      gradients[1] = sumTo(dy * normalized, scale.type());
    if (needed[2])
      gradients[2] = sumTo(dy, scale.type());
  }
  // The statistics are results too: d mean / dx = 1 / n, d rstd / dx = -rstd^2 * x^ / n.
  if (Value dMean = dResults[1]; dMean && needed[0])
    addToDx(expand(Expr(builder, dMean) / count, x.type()));
  if (Value dRstd = dResults[2]; dRstd && needed[0])
    addToDx(-(Expr(builder, dRstd) / count) * (rstd * rstd) * normalized);
  return gradients;
}

//===-- Batch norm -----------------------------------------------------------===//

namespace {
/// Features are dim 1 of `x`, everything else is normalized or at least summed over.
struct Features {
  Expr x;
  SmallVector<int64_t> otherAxes;

  explicit Features(Expr x) : x(x) {
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      if (axis != 1)
        otherAxes.push_back(axis);
  }
  /// A vector of one number per feature, shaped to broadcast with x.
  Expr spread(Expr perFeature) const {
    if (x.rank() == 2)
      return perFeature;
    Shape shape(x.rank() - 1, Dim(1));
    shape[0] = shapeOf(perFeature.type())[0];
    return reshape(perFeature, tensorType(shape, perFeature.elementType()));
  }
  Expr sumOthers(Expr values) const { return sum(values, otherAxes, /*keepdims=*/false); }
};
} // namespace

SmallVector<Value> BatchNormOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                         ArrayRef<bool> needed) {
  Expr x(builder, getX()), scale(builder, getScale());
  Features features(x);
  Expr centred = x - features.spread({builder, getMean()});
  Expr count = countAlong(x, features.otherAxes, x.elementType());
  SmallVector<Value> gradients(3);
  auto addToDx = [&](Expr part) { gradients[0] = gradients[0] ? Expr(builder, gradients[0]) + part : part; };
  if (Value result = dResults[0]) {
    Expr dy(builder, result), rstd = rsqrt(Expr(builder, getVariance()) + getEpsilon().convertToDouble());
    Expr normalized = centred * features.spread(rstd);
    // The means of g = dy * scale are these sums times scale / n.
    Expr dScale = features.sumOthers(dy * normalized), dBias = features.sumOthers(dy);
    if (needed[0]) {
      Expr meanDy = features.spread(dBias / count), meanDyNormalized = features.spread(dScale / count);
      addToDx(features.spread(scale * rstd) * (dy - meanDy - normalized * meanDyNormalized));
    }
    if (needed[1])
      gradients[1] = dScale;
    if (needed[2])
      gradients[2] = dBias;
  }
  // The statistics are results too, which second derivatives go through: d mean / dx = 1 / n,
  // d variance / dx = 2 (x - mean) / n.
  if (Value dMean = dResults[1]; dMean && needed[0])
    addToDx(expand(features.spread(Expr(builder, dMean) / count), x.type()));
  if (Value dVariance = dResults[2]; dVariance && needed[0])
    addToDx(centred * features.spread(Expr(builder, dVariance) * 2 / count));
  return gradients;
}

SmallVector<Value> BatchNormInferenceOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                                  ArrayRef<bool> needed) {
  Expr x(builder, getX()), scale(builder, getScale()), dy(builder, dResults[0]);
  Features features(x);
  Expr rstd = rsqrt(Expr(builder, getVariance()) + getEpsilon().convertToDouble());
  SmallVector<Value> gradients(5);
  if (needed[0])
    gradients[0] = dy * features.spread(scale * rstd);
  if (needed[1])
    gradients[1] =
        features.sumOthers(dy * (x - features.spread({builder, getMean()})) * features.spread(rstd));
  if (needed[2])
    gradients[2] = features.sumOthers(dy);
  return gradients;
}

} // namespace nn
