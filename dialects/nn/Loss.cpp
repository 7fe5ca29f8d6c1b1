//===- Loss.cpp - nn: types of losses
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

/// `loss` and `weight`: one number each.
static LogicalResult giveLoss(const Inference &infer, Value x) {
  (void)infer.give(ArrayRef<Dim>(), elementTypeOf(x));
  return infer.give(ArrayRef<Dim>(), elementTypeOf(x));
}

template <typename Adaptor> static LogicalResult inferPointwiseLoss(const Inference &infer, Adaptor op) {
  if (failed(infer.checkSameElementType(op.getX(), op.getTarget())) ||
      failed(infer.checkShape("target", op.getTarget(), shapeOf(op.getX()))))
    return failure();
  return giveLoss(infer, op.getX());
}

NN_INFER(MseLossOp) { return inferPointwiseLoss(infer, op); }
NN_INFER(L1LossOp) { return inferPointwiseLoss(infer, op); }
NN_INFER(BceLossOp) { return inferPointwiseLoss(infer, op); }
NN_INFER(BceWithLogitsLossOp) { return inferPointwiseLoss(infer, op); }
NN_INFER(HuberLossOp) { return inferPointwiseLoss(infer, op); }

// Attributes of the attribute dictionary are not there yet when the parser infers types: verifiers check
// them.
LogicalResult HuberLossOp::verify() {
  double delta = getDelta().convertToDouble();
  if (delta > 0)
    return success();
  return emitOpError("expects a delta above 0, got ") << std::to_string(delta);
}

template <typename Adaptor> static LogicalResult inferClassLoss(const Inference &infer, Adaptor op) {
  Shape x = shapeOf(op.getX());
  if (x.size() < 2)
    return infer.error("expects x of rank 2 or more (rows, classes), got rank " + Twine(x.size()));
  Dim classes = x[1];
  if (!classes.isStatic())
    return infer.error("expects a static number of classes, got " + classes.str());
  if (failed(infer.checkNotEmpty(op.getX(), 1)))
    return failure();
  Shape rows = x;
  rows.erase(rows.begin() + 1);
  if (failed(infer.checkShape("labels", op.getLabels(), rows)))
    return failure();
  if (Value weights = op.getClassWeights())
    if (failed(infer.checkShape("class weights", weights, classes)) ||
        failed(infer.checkSameElementType(op.getX(), weights)))
      return failure();
  return giveLoss(infer, op.getX());
}

/// As a label's number it would be cut off, and another label be ignored.
template <typename Op> static LogicalResult verifyIgnored(Op op) {
  const unsigned bits = elementTypeOf(op.getLabels()).getIntOrFloatBitWidth();
  const int64_t ignored = op.getIgnoreIndex();
  if (llvm::isIntN(bits, ignored))
    return success();
  return op.emitOpError("expects an ignore_index that labels of ") << bits << " bits can be, got " << ignored;
}

NN_INFER(SoftmaxCrossEntropyOp) { return inferClassLoss(infer, op); }
NN_INFER(NllLossOp) { return inferClassLoss(infer, op); }

LogicalResult NllLossOp::verify() { return verifyIgnored(*this); }

LogicalResult SoftmaxCrossEntropyOp::verify() {
  double smoothing = getLabelSmoothing().convertToDouble();
  if (smoothing >= 0 && smoothing <= 1)
    return verifyIgnored(*this);
  return emitOpError("expects label_smoothing in [0, 1], got ") << std::to_string(smoothing);
}
