//===- Loss.cpp - gradients of losses --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's formulas. Only `loss` carries a gradient; `weight`, what a mean divides by, is a constant of
// the batch.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Classes.h"
#include "dialects/nn/Dims.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

//===-- Pointwise losses -------------------------------------------------------===//

// What one element's loss counts in the result: 1, for a mean 1 / number of elements.
static Expr elementScale(LossReduction reduction, Expr x, Expr dLoss) {
  if (reduction == LossReduction::sum)
    return dLoss;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  return dLoss / countAlong(x, axes, x.elementType());
}

#define POINTWISE_RULE(Op, DX, DTARGET)                                                                      \
  SmallVector<Value> Op::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,                        \
                                  ArrayRef<bool> needed) {                                                   \
    SmallVector<Value> gradients(2);                                                                         \
    if (!dResults[0])                                                                                        \
      return gradients;                                                                                      \
    [[maybe_unused]] Expr x(builder, getX()), target(builder, getTarget());                                  \
    Expr scale = elementScale(getReduction(), x, Expr(builder, dResults[0]));                                \
    if (needed[0])                                                                                           \
      gradients[0] = DX;                                                                                     \
    if (needed[1])                                                                                           \
      gradients[1] = DTARGET;                                                                                \
    return gradients;                                                                                        \
  }

static Expr clip(Expr x, double limit) {
  return {x.getBuilder(),
          ClipOp::create(x.getBuilder(), x.get(), llvm::APFloat(-limit), llvm::APFloat(limit))};
}

// ln x as the loss has it: not below -100.
static Expr boundedLog(Expr x) { return max(log(x), x.scalar(-100)); }

POINTWISE_RULE(MseLossOp, (x - target) * (scale * 2), (target - x) * (scale * 2))
POINTWISE_RULE(L1LossOp, sign(x - target) * scale, sign(target - x) * scale)
POINTWISE_RULE(HuberLossOp, clip(x - target, getDelta().convertToDouble()) * scale,
               clip(target - x, getDelta().convertToDouble()) * scale)
POINTWISE_RULE(BceLossOp, (x - target) / max((1 - x) * x, x.scalar(1e-12)) * scale,
               (boundedLog(1 - x) - boundedLog(x)) * scale)
POINTWISE_RULE(BceWithLogitsLossOp, (sigmoid(x) - target) * scale, -(x *scale))

#undef POINTWISE_RULE

//===-- Class losses -----------------------------------------------------------===//

// What a row counts in the result: 1, for a mean 1 / weight, and 0 with the ignored label.
template <typename LossOp> static Expr rowScale(const Classes &classes, LossOp op, Expr dLoss) {
  ImplicitLocOpBuilder &builder = classes.x.getBuilder();
  Expr scale = op.getReduction() == LossReduction::sum ? dLoss : dLoss / Expr(builder, op.getWeight());
  return select(classes.isIgnored(op.getIgnoreIndex()), 0, scale);
}

template <typename LossOp> static std::optional<Expr> weightsOf(const Classes &classes, LossOp op) {
  if (!op.getClassWeights())
    return std::nullopt;
  return classes.alongClasses({classes.x.getBuilder(), op.getClassWeights()});
}

// With target distribution q (of total Q per row), loss = -sum(q * ln softmax(x)) and dx = Q softmax(x) - q.
SmallVector<Value> SoftmaxCrossEntropyOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                                   ArrayRef<bool>) {
  SmallVector<Value> gradients(getNumOperands());
  if (!dResults[0])
    return gradients;
  Classes classes({builder, getX()}, {builder, getLabels()});
  Expr x = classes.x, softmax(builder, SoftmaxOp::create(builder, x.get(), /*axis=*/1));
  double smoothing = getLabelSmoothing().convertToDouble(), everywhere = smoothing / classes.count();
  Expr scale = rowScale(classes, *this, {builder, dResults[0]});
  if (std::optional<Expr> weights = weightsOf(classes, *this)) {
    Expr target = select(classes.isLabel, *weights * (1 - smoothing), 0) + *weights * everywhere;
    gradients[0] = (softmax * sum(target, 1, /*keepdims=*/true) - target) * scale;
  } else {
    Expr target = select(classes.isLabel, x.scalar(1 - smoothing + everywhere), everywhere);
    gradients[0] = (softmax - target) * scale;
  }
  return gradients;
}

SmallVector<Value> NllLossOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  SmallVector<Value> gradients(getNumOperands());
  if (!dResults[0])
    return gradients;
  Classes classes({builder, getX()}, {builder, getLabels()});
  Expr scale = rowScale(classes, *this, {builder, dResults[0]});
  std::optional<Expr> weights = weightsOf(classes, *this);
  gradients[0] = select(classes.isLabel, -(weights ? *weights * scale : scale), 0);
  return gradients;
}

} // namespace nn
