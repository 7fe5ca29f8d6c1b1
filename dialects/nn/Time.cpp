//===- Time.cpp - nn: types of operations on sequences ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

NN_INFER(ReverseSequenceOp) {
  Shape x = shapeOf(op.getX());
  const int64_t time = op.getTime(), batch = op.getBatch();
  if (failed(infer.checkAxis(time, x.size())) || failed(infer.checkAxis(batch, x.size())))
    return failure();
  if (time == batch)
    return infer.error("expects two axes, got axis " + Twine(time) + " for time and batch");
  if (failed(infer.checkShape("lengths", op.getLengths(), x[batch])))
    return failure();
  return infer.give(op.getX().getType());
}
