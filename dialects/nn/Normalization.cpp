//===- Normalization.cpp - nn: types of softmax and normalizations
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

template <typename Adaptor> static LogicalResult inferSoftmax(const Inference &infer, Adaptor op) {
  int64_t axis = op.getAxis();
  if (failed(infer.checkAxis(axis, tensorOf(op.getX()).getRank())) ||
      failed(infer.checkNotEmpty(op.getX(), axis)))
    return failure();
  return infer.give(op.getX().getType());
}
NN_INFER(SoftmaxOp) { return inferSoftmax(infer, op); }
NN_INFER(LogSoftmaxOp) { return inferSoftmax(infer, op); }

static LogicalResult checkEpsilon(const Inference &infer, const APFloat &epsilon) {
  if (!epsilon.isNegative() && epsilon.isFinite())
    return success();
  return infer.error("expects a finite epsilon that is not negative, got " +
                     Twine(std::to_string(epsilon.convertToDouble())));
}

NN_INFER(LayerNormOp) {
  Shape x = shapeOf(op.getX());
  int64_t axis = op.getAxis();
  if (failed(infer.checkAxis(axis, x.size())) || failed(checkEpsilon(infer, op.getEpsilon())))
    return failure();
  ArrayRef<Dim> normalized = ArrayRef<Dim>(x).drop_front(axis);
  if (failed(infer.checkShape("scale", op.getScale(), normalized)) ||
      failed(infer.checkShape("bias", op.getBias(), normalized)) ||
      failed(infer.checkSameElementType(op.getX(), op.getScale())) ||
      failed(infer.checkSameElementType(op.getX(), op.getBias())))
    return failure();
  Shape statistics(x.begin(), x.begin() + axis);
  statistics.append(x.size() - axis, Dim(1));
  Type elementType = elementTypeOf(op.getX());
  (void)infer.give(op.getX().getType());
  (void)infer.give(statistics, elementType);
  return infer.give(statistics, elementType);
}

/// `perFeature` are tensors of shape [features], features being dim 1 of `x`.
static LogicalResult checkBatchNorm(const Inference &infer, Value x, const APFloat &epsilon,
                                    ArrayRef<std::pair<StringRef, Value>> perFeature) {
  Shape shape = shapeOf(x);
  if (shape.size() < 2)
    return infer.error("expects x of rank 2 or more, got rank " + Twine(shape.size()));
  if (failed(checkEpsilon(infer, epsilon)))
    return failure();
  for (auto [name, value] : perFeature)
    if (failed(infer.checkShape(name, value, shape[1])) || failed(infer.checkSameElementType(x, value)))
      return failure();
  return success();
}

NN_INFER(BatchNormOp) {
  if (failed(checkBatchNorm(infer, op.getX(), op.getEpsilon(),
                            {{"scale", op.getScale()}, {"bias", op.getBias()}})))
    return failure();
  (void)infer.give(op.getX().getType());
  (void)infer.give(op.getScale().getType());
  return infer.give(op.getScale().getType());
}

NN_INFER(BatchNormInferenceOp) {
  if (failed(checkBatchNorm(infer, op.getX(), op.getEpsilon(),
                            {{"scale", op.getScale()},
                             {"bias", op.getBias()},
                             {"mean", op.getMean()},
                             {"variance", op.getVariance()}})))
    return failure();
  return infer.give(op.getX().getType());
}
