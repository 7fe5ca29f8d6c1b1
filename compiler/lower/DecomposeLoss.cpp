//===- DecomposeLoss.cpp - losses as formulas ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's formulas.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "dialects/nn/Classes.h"
#include "dialects/nn/Dims.h"

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

//===-- Pointwise losses -------------------------------------------------------===//

static Values reducePointwise(nn::LossReduction reduction, Expr loss) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  Expr total = sumAll(loss), weight = countAlong(loss, axes, loss.elementType());
  return {reduction == nn::LossReduction::mean ? total / weight : total, weight};
}

static Values mseLoss(nn::MseLossOp op, ImplicitLocOpBuilder &builder) {
  Expr d = Expr(builder, op.getX()) - Expr(builder, op.getTarget());
  return reducePointwise(op.getReduction(), d * d);
}

static Values l1Loss(nn::L1LossOp op, ImplicitLocOpBuilder &builder) {
  Expr d = Expr(builder, op.getX()) - Expr(builder, op.getTarget());
  return reducePointwise(op.getReduction(), abs(d));
}

static Values huberLoss(nn::HuberLossOp op, ImplicitLocOpBuilder &builder) {
  double delta = op.getDelta().convertToDouble();
  Expr d = Expr(builder, op.getX()) - Expr(builder, op.getTarget()), size = abs(d);
  Expr loss = select(lessEqual(size, size.scalar(delta)), 0.5 * (d * d), delta * (size - 0.5 * delta));
  return reducePointwise(op.getReduction(), loss);
}

static Values bceLoss(nn::BceLossOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX()), target(builder, op.getTarget());
  auto boundedLog = [](Expr p) { return max(log(p), p.scalar(-100)); };
  return reducePointwise(op.getReduction(), -(target * boundedLog(x) + (1 - target) * boundedLog(1 - x)));
}

static Values bceWithLogitsLoss(nn::BceWithLogitsLossOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX()), target(builder, op.getTarget());
  Expr loss = max(x, x.scalar(0)) - x * target + log1p(exp(-abs(x)));
  return reducePointwise(op.getReduction(), loss);
}

//===-- Class losses -----------------------------------------------------------===//

namespace {
/// What the rows of a loss with classes count.
struct Rows : nn::Classes {
  Expr ignored;                     ///< [rows, 1, ...]
  std::optional<Expr> classWeights; ///< [classes, 1 ...]

  template <typename LossOp>
  Rows(ImplicitLocOpBuilder &builder, LossOp op)
      : Classes({builder, op.getX()}, {builder, op.getLabels()}), ignored(isIgnored(op.getIgnoreIndex())) {
    if (op.getClassWeights())
      classWeights = alongClasses({builder, op.getClassWeights()});
  }
  Expr sumOverClasses(Expr perClass) const { return sum(perClass, 1, /*keepdims=*/true); }
  /// The label's class weight in each row: [rows, 1, ...].
  Expr labelWeight() const { return sumOverClasses(select(isLabel, *classWeights, 0)); }
  /// The loss and what a mean divides by, from the rows' losses and weights.
  Values reduce(nn::LossReduction reduction, Expr rowLoss) const {
    Expr total = sumAll(select(ignored, 0, rowLoss));
    Expr one = expand(x.scalar(1), mlir::RankedTensorType::get({}, x.elementType()));
    Expr weight = sumAll(select(ignored, 0, classWeights ? labelWeight() : expandLike(one)));
    return {reduction == nn::LossReduction::mean ? total / weight : total, weight};
  }

private:
  Expr expandLike(Expr scalar) const {
    return expand(scalar, nn::tensorType(nn::shapeOf(labels.type()), x.elementType()));
  }
};
} // namespace

// -ln softmax(x)[label] = ln(sum of e^t) - t[label] with t = x - max; the smoothed part spreads over rows.
static Values softmaxCrossEntropy(nn::SoftmaxCrossEntropyOp op, ImplicitLocOpBuilder &builder) {
  Rows rows(builder, op);
  Expr t = rows.x - reduceMax(rows.x, 1, /*keepdims=*/true);
  Expr logSum = log(rows.sumOverClasses(exp(t)));
  Expr loss = logSum - rows.sumOverClasses(select(rows.isLabel, t, 0));
  if (rows.classWeights)
    loss = loss * rows.labelWeight();
  double smoothing = op.getLabelSmoothing().convertToDouble();
  if (smoothing != 0) {
    Expr everywhere = logSum - t;
    if (rows.classWeights)
      everywhere = everywhere * *rows.classWeights;
    loss = (1 - smoothing) * loss + (smoothing / rows.count()) * rows.sumOverClasses(everywhere);
  }
  return rows.reduce(op.getReduction(), loss);
}

static Values nllLoss(nn::NllLossOp op, ImplicitLocOpBuilder &builder) {
  Rows rows(builder, op);
  Expr loss = -rows.sumOverClasses(select(rows.isLabel, rows.x, 0));
  if (rows.classWeights)
    loss = loss * rows.labelWeight();
  return rows.reduce(op.getReduction(), loss);
}

void addLossDecompositions(Decompositions &table) {
  table.add<nn::MseLossOp>(mseLoss);
  table.add<nn::L1LossOp>(l1Loss);
  table.add<nn::HuberLossOp>(huberLoss);
  table.add<nn::BceLossOp>(bceLoss);
  table.add<nn::BceWithLogitsLossOp>(bceWithLogitsLoss);
  table.add<nn::SoftmaxCrossEntropyOp>(softmaxCrossEntropy);
  table.add<nn::NllLossOp>(nllLoss);
}

} // namespace dlc::lower
