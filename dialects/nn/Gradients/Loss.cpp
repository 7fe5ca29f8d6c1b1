//===- Loss.cpp - gradients of losses --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's formulas. Only `loss` carries a gradient; `weight`, what a mean divides by, is a constant of
// the batch. Class losses compare labels with class numbers instead of gathering, which vectorises.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"

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
POINTWISE_RULE(BceWithLogitsLossOp, (sigmoid(x) - target) * scale, -(x * scale))

#undef POINTWISE_RULE

//===-- Class losses -----------------------------------------------------------===//

namespace {
/// Labels and class weights, shaped to broadcast with `x`, whose dim 1 is the class.
template <typename LossOp> struct Classes {
  ImplicitLocOpBuilder &builder;
  mutable LossOp op; // accessors of ops are not const
  Expr x;
  Expr labels;  ///< [rows, 1, ...]
  Expr isLabel; ///< i1, [rows, classes, ...]: the class is the row's label

  Classes(ImplicitLocOpBuilder &builder, LossOp op)
      : builder(builder), op(op), x(builder, op.getX()), labels(rowLabels()),
        isLabel(equal(labels, alongClasses(classNumbers()))) {}

  int64_t count() const { return x.type().getDimSize(1); }
  std::optional<Expr> weights() const {
    if (!op.getClassWeights())
      return std::nullopt;
    return alongClasses({builder, op.getClassWeights()});
  }
  /// What a row counts in the result: 1, for a mean 1 / weight, and 0 with the ignored label.
  Expr rowScale(Expr dLoss) const {
    Expr scale = op.getReduction() == LossReduction::sum ? dLoss : dLoss / Expr(builder, op.getWeight());
    auto ignore =
        mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({}, labels.elementType()),
                                     builder.getIntegerAttr(labels.elementType(), op.getIgnoreIndex()));
    return select(equal(labels, {builder, ConstantOp::create(builder, ignore)}), 0, scale);
  }

private:
  Expr rowLabels() const {
    Shape shape = shapeOf(x.type());
    shape[1] = 1;
    Expr flat(builder, op.getLabels());
    return reshape(flat, tensorType(shape, flat.elementType()));
  }
  Expr classNumbers() const {
    return {builder, IotaOp::create(builder, tensorType({Dim(count())}, labels.elementType()), /*axis=*/0)};
  }
  /// A vector of one number per class, shaped to broadcast with x.
  Expr alongClasses(Expr perClass) const {
    if (x.rank() == 2)
      return perClass;
    Shape shape(x.rank() - 1, Dim(1));
    shape[0] = count();
    return reshape(perClass, tensorType(shape, perClass.elementType()));
  }
};
} // namespace

// With target distribution q (of total Q per row), loss = -sum(q * ln softmax(x)) and dx = Q softmax(x) - q.
SmallVector<Value> SoftmaxCrossEntropyOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                                   ArrayRef<bool>) {
  SmallVector<Value> gradients(getNumOperands());
  if (!dResults[0])
    return gradients;
  Classes<SoftmaxCrossEntropyOp> classes(builder, *this);
  Expr x = classes.x, softmax(builder, SoftmaxOp::create(builder, x.get(), /*axis=*/1));
  double smoothing = getLabelSmoothing().convertToDouble(), everywhere = smoothing / classes.count();
  Expr rowScale = classes.rowScale({builder, dResults[0]});
  if (std::optional<Expr> weights = classes.weights()) {
    Expr target = select(classes.isLabel, *weights * (1 - smoothing), 0) + *weights * everywhere;
    gradients[0] = (softmax * sum(target, 1, /*keepdims=*/true) - target) * rowScale;
  } else {
    Expr target = select(classes.isLabel, x.scalar(1 - smoothing + everywhere), everywhere);
    gradients[0] = (softmax - target) * rowScale;
  }
  return gradients;
}

SmallVector<Value> NllLossOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  SmallVector<Value> gradients(getNumOperands());
  if (!dResults[0])
    return gradients;
  Classes<NllLossOp> classes(builder, *this);
  Expr rowScale = classes.rowScale({builder, dResults[0]});
  std::optional<Expr> weights = classes.weights();
  gradients[0] = select(classes.isLabel, -(weights ? *weights * rowScale : rowScale), 0);
  return gradients;
}

} // namespace nn
