//===- Loss.cpp - losses --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses: a sum over elements or rows, and what a mean divides it by.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

#include <cmath>
#include <functional>
#include <limits>

namespace dlc::interpret {
namespace {

using Pointwise = std::function<double(double, double)>;

void finish(Evaluation &e, nn::LossReduction reduction, double loss, double weight) {
  e.result(0).floats[0] = reduction == nn::LossReduction::mean ? loss / weight : loss;
  e.result(1).floats[0] = weight;
}

template <typename Op> bool evaluatePointwise(Evaluation &e, llvm::function_ref<Pointwise(Op)> formula) {
  auto op = mlir::dyn_cast<Op>(e.getOperation());
  if (!op)
    return false;
  const Tensor &x = e.of(op.getX()), &target = e.of(op.getTarget());
  Pointwise f = formula(op);
  double loss = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    loss = e.sum(loss + f(x.floats[i], target.floats[i]));
  finish(e, op.getReduction(), loss, static_cast<double>(x.size()));
  return true;
}

double huber(double distance, double delta) {
  distance = std::fabs(distance);
  return distance <= delta ? distance * distance / 2 : delta * (distance - delta / 2);
}

double binaryCrossEntropy(double x, double target) {
  return -(target * maximum(std::log(x), -100) + (1 - target) * maximum(std::log1p(-x), -100));
}

double binaryCrossEntropyWithLogits(double x, double target) {
  return maximum(x, 0) - x * target + std::log1p(std::exp(-std::fabs(x)));
}

/// Sums `rowLoss(scores of the row, label, weight of the label)` over the rows whose label counts.
/// The scores of a row are `classes` numbers at distance `inner`.
template <typename Op>
void evaluateClassLoss(Evaluation &e, Op op,
                       llvm::function_ref<double(llvm::ArrayRef<double>, int64_t, double)> rowLoss) {
  const Tensor &x = e.of(op.getX()), &labels = e.of(op.getLabels());
  const Tensor *weights = op.getClassWeights() ? &e.of(op.getClassWeights()) : nullptr;
  int64_t classes = x.shape[1], inner = product(llvm::ArrayRef<int64_t>(x.shape).drop_front(2));
  double loss = 0, total = 0;
  std::vector<double> row(classes);
  for (int64_t r = 0; r < labels.size(); ++r) {
    int64_t label = labels.ints[r];
    if (label == static_cast<int64_t>(op.getIgnoreIndex()))
      continue;
    if (label < 0 || label >= classes)
      return e.fail("expected a label in [0, " + llvm::Twine(classes) + ") or the ignored one, found " +
                    llvm::Twine(label));
    for (int64_t c = 0; c < classes; ++c)
      row[c] = x.floats[(r / inner * classes + c) * inner + r % inner];
    double weight = weights ? weights->floats[label] : 1;
    loss += rowLoss(row, label, weight);
    total += weight;
  }
  finish(e, op.getReduction(), loss, total);
}

double logSumExp(llvm::ArrayRef<double> row) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (double score : row)
    largest = maximum(largest, score);
  for (double score : row)
    sum += std::exp(score - largest);
  return largest + std::log(sum);
}

void evaluateSoftmaxCrossEntropy(Evaluation &e, nn::SoftmaxCrossEntropyOp op) {
  double smoothing = op.getLabelSmoothing().convertToDouble();
  const Tensor *weights = op.getClassWeights() ? &e.of(op.getClassWeights()) : nullptr;
  evaluateClassLoss(e, op, [&](llvm::ArrayRef<double> row, int64_t label, double weight) {
    double normalizer = logSumExp(row), loss = (1 - smoothing) * weight * (normalizer - row[label]);
    if (smoothing != 0)
      for (size_t c = 0; c < row.size(); ++c)
        loss += smoothing / static_cast<double>(row.size()) * (weights ? weights->floats[c] : 1) *
                (normalizer - row[c]);
    return loss;
  });
}

} // namespace

bool evaluateLoss(Evaluation &e) {
  if (auto loss = mlir::dyn_cast<nn::SoftmaxCrossEntropyOp>(e.getOperation()))
    return evaluateSoftmaxCrossEntropy(e, loss), true;
  if (auto loss = mlir::dyn_cast<nn::NllLossOp>(e.getOperation())) {
    evaluateClassLoss(e, loss, [](llvm::ArrayRef<double> row, int64_t label, double weight) {
      return -weight * row[label];
    });
    return true;
  }
  return evaluatePointwise<nn::MseLossOp>(
             e, [](nn::MseLossOp) { return [](double x, double t) { return (x - t) * (x - t); }; }) ||
         evaluatePointwise<nn::L1LossOp>(
             e, [](nn::L1LossOp) { return [](double x, double t) { return std::fabs(x - t); }; }) ||
         evaluatePointwise<nn::HuberLossOp>(e,
                                            [](nn::HuberLossOp op) {
                                              return [delta = op.getDelta().convertToDouble()](
                                                         double x, double t) { return huber(x - t, delta); };
                                            }) ||
         evaluatePointwise<nn::BceLossOp>(e, [](nn::BceLossOp) { return binaryCrossEntropy; }) ||
         evaluatePointwise<nn::BceWithLogitsLossOp>(
             e, [](nn::BceWithLogitsLossOp) { return binaryCrossEntropyWithLogits; });
}

} // namespace dlc::interpret
