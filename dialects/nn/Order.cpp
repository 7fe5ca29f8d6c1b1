//===- Order.cpp - the order of a formula's operations ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Order.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace nn {

// Moves `op` before `end`, after what it and its regions need of `unplaced`.
static void place(Operation *op, llvm::SmallPtrSetImpl<Operation *> &unplaced, Block *block,
                  Block::iterator end) {
  if (!op || !unplaced.erase(op))
    return;
  op->walk([&](Operation *user) {
    for (Value operand : user->getOperands())
      place(operand.getDefiningOp(), unplaced, block, end);
  });
  op->moveBefore(block, end);
}

SmallVector<Value> inOrder(OpBuilder &builder, llvm::function_ref<SmallVector<Value>()> formulas) {
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  SmallVector<Value> results = formulas();

  Block::iterator begin = before ? std::next(before->getIterator()) : block->begin();
  auto made = llvm::map_to_vector(llvm::make_range(begin, end), [](Operation &op) { return &op; });
  llvm::SmallPtrSet<Operation *, 32> unplaced(made.begin(), made.end());
  for (Value result : results)
    if (result)
      place(result.getDefiningOp(), unplaced, block, end);
  for (Operation *op : llvm::reverse(made))
    if (unplaced.contains(op)) // needed by nothing, or only by what has just been erased
      op->erase();
  return results;
}

} // namespace nn
