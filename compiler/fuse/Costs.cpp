//===- Costs.cpp - what it takes to compute and to keep a tensor -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace dlc::fuse {

int64_t iterationsOf(GenericOp op) {
  int64_t count = 1;
  for (int64_t size : loopSizes(op))
    count *= size;
  return count;
}

int64_t bytesOf(Value tensor) {
  int64_t bytes = elementBytes(tensor);
  for (int64_t size : mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape())
    bytes *= mlir::ShapedType::isDynamic(size) ? typicalDynamicSize : size;
  return bytes;
}

int64_t operationsOf(GenericOp op) {
  constexpr int64_t function = 48, random = 96; // as measured: an exponential, and 16 random bits
  int64_t count = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    count += mlir::isa<mlir::math::MathDialect>(inner.getDialect()) ? function
             : mlir::isa<train::RandomBitsOp>(inner)                ? random
                                                                    : 1;
  return count;
}

} // namespace dlc::fuse
