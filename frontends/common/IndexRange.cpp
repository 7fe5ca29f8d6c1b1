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

void limitIndices(train::ProgramOp program, Value indices, int64_t low, const nn::Dim &limit,
                  std::optional<int64_t> ignored) {
  train::ReadOp read = readOfIndices(indices);
  if (!read || !limit.isStatic())
    return;
  auto input = dyn_cast_or_null<train::InputOp>(SymbolTable::lookupSymbolIn(program, read.getSymbolAttr()));
  if (!input || limit.factor <= 0)
    return;
  input.setLow(std::max(low, int64_t(input.getLow().value_or(low))));
  input.setLimit(std::min(limit.factor, int64_t(input.getLimit().value_or(limit.factor))));
  if (ignored)
    input.setIgnore(*ignored);
}

} // namespace dlc::frontend
