//===- IndexRange.cpp - inputs that are indices ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/IndexRange.h"
#include "dialects/nn/Infer.h"

using namespace mlir;

namespace dlc::frontend {

train::ReadOp readOfIndices(Value indices) {
  while (isa_and_nonnull<nn::ReshapeOp, nn::CastOp, nn::ExpandOp, nn::TransposeOp, nn::SliceOp>(
      indices.getDefiningOp()))
    indices = indices.getDefiningOp()->getOperand(0);
  return isa<IntegerType>(nn::elementTypeOf(indices)) ? indices.getDefiningOp<train::ReadOp>()
                                                      : train::ReadOp();
}

} // namespace dlc::frontend
