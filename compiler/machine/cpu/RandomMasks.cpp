//===- RandomMasks.cpp - what is decided at random before a tile's sums ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/RandomMasks.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace dlc::cpu {

std::optional<RandomMasks> randomMasks(linalg::GenericOp op) {
  RandomMasks result;
  for (auto bits : op.getBlock()->getOps<train::RandomBitsOp>())
    for (Operation *user : bits->getUsers()) {
      auto comparison = dyn_cast<arith::CmpIOp>(user);
      if (!comparison || comparison.getLhs() != bits.getResult() ||
          !comparison.getRhs().getDefiningOp<arith::ConstantOp>())
        return std::nullopt;
      result.masks.push_back(comparison.getResult());
    }
  if (result.masks.empty())
    return std::nullopt;
  llvm::SmallPtrSet<Value, 16> needed(op.getBlock()->getTerminator()->operand_begin(),
                                      op.getBlock()->getTerminator()->operand_end());
  for (Operation &inner : llvm::reverse(op.getBlock()->without_terminator())) {
    bool isUsed = llvm::any_of(inner.getResults(), [&](Value value) { return needed.contains(value); });
    bool isMask = inner.getNumResults() == 1 && llvm::is_contained(result.masks, inner.getResult(0));
    if (!isUsed || isMask)
      continue;
    needed.insert(inner.operand_begin(), inner.operand_end());
    result.rest.push_back(&inner);
  }
  std::reverse(result.rest.begin(), result.rest.end());
  return result;
}

} // namespace dlc::cpu
