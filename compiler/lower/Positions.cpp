//===- Positions.cpp - positions that bodies compute -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Positions.h"

using namespace mlir::arith;

namespace dlc::lower {

Value position(ImplicitLocOpBuilder &b, const Space &space, unsigned dim) {
  if (space.loops[dim] < 0)
    return constantIndex(b, 0);
  return mlir::linalg::IndexOp::create(b, space.loops[dim]);
}

Value elementAt(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<nn::Dim> shape, ValueRange positions) {
  SmallVector<Value> kept;
  for (auto [dim, position] : llvm::zip_equal(shape, positions))
    if (!dim.isOne())
      kept.push_back(position);
  return mlir::tensor::ExtractOp::create(b, tensor, kept);
}

Value clamp(ImplicitLocOpBuilder &b, Value position, Value size) {
  Value last = SubIOp::create(b, size, constantIndex(b, 1));
  return MinSIOp::create(b, MaxSIOp::create(b, position, constantIndex(b, 0)), last);
}

Value always(ImplicitLocOpBuilder &b) { return ConstantIntOp::create(b, 1, 1); }

Value require(ImplicitLocOpBuilder &b, Value condition, Value position, CmpIPredicate comparison,
              int64_t bound) {
  Value holds = CmpIOp::create(b, comparison, position, constantIndex(b, bound));
  return AndIOp::create(b, condition, holds);
}

} // namespace dlc::lower
