//===- Random.cpp - nn: types of random operations
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

Value nn::randomStateOf(Operation *op) {
  if (auto dropout = dyn_cast<DropoutOp>(op))
    return dropout.getRng();
  if (auto uniform = dyn_cast<RandomUniformOp>(op))
    return uniform.getRng();
  return {};
}

/// Whether the state has a seed and a count of draws, and perhaps where a part of a tensor begins.
static LogicalResult checkState(const Inference &infer, Value rng) {
  const Shape shape = shapeOf(rng.getType());
  return shape.size() == 1 && shape.front() == Dim(3) ? success() : infer.checkShape("rng", rng, Dim(2));
}

NN_INFER(DropoutOp) {
  double ratio = op.getRatio().convertToDouble();
  if (!(ratio >= 0 && ratio < 1))
    return infer.error("expects a ratio in [0, 1), got " + Twine(std::to_string(ratio)));
  // The stream is a word of the generator's counter.
  int64_t stream = op.getStream();
  if (stream < 0 || stream > int64_t(UINT32_MAX))
    return infer.error("expects a stream in [0, 2^32), got " + Twine(stream));
  if (failed(checkState(infer, op.getRng())))
    return failure();
  return infer.give(op.getX().getType());
}

LogicalResult RandomUniformOp::verify() {
  SmallVector<Type> types;
  Inference infer{getLoc(), getOperationName(), types};
  // Both streams are words of the generator's counter.
  int64_t stream = getStream();
  if (stream < 0 || stream >= int64_t(UINT32_MAX))
    return emitOpError("expects a stream in [0, 2^32 - 1), got ") << stream;
  if (failed(infer.checkOperands({getRng(), getY()})))
    return failure();
  return checkState(infer, getRng());
}
