//===- OrderLaunches.cpp - the order of launches ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Members.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include <queue>

namespace dlc::fuse {

#define GEN_PASS_DEF_ORDERLAUNCHES
#include "compiler/fuse/Passes.h.inc"

namespace {
/// The operations of a function and what must come before what.
class Dependencies {
public:
  explicit Dependencies(mlir::Block &block) {
    for (Operation &op : block)
      for (Operation *user : op.getUsers())
        add(&op, user);
    for (auto write : block.getOps<train::WriteOp>())
      addReadersBefore(write, block);
  }

  /// Removes `op`, which has its place in the order now. Returns the operations that can follow.
  SmallVector<Operation *> take(Operation *op) {
    SmallVector<Operation *> ready;
    for (Operation *next : successors[op])
      if (--predecessors[next] == 0)
        ready.push_back(next);
    return ready;
  }
  bool isReady(Operation *op) const { return predecessors.lookup(op) == 0; }

private:
  void add(Operation *before, Operation *after) {
    if (successors[before].insert(after))
      ++predecessors[after];
  }

  bool reaches(Operation *from, Operation *to) {
    llvm::SmallPtrSet<Operation *, 32> seen;
    SmallVector<Operation *> queue{from};
    while (!queue.empty()) {
      Operation *op = queue.pop_back_val();
      if (op == to)
        return true;
      if (seen.insert(op).second)
        llvm::append_range(queue, successors[op]);
    }
    return false;
  }

  // Each reader of a state's old value, or of a view of it, comes before the operation that computes the new
  // value.
  void addReadersBefore(train::WriteOp write, mlir::Block &block) {
    SmallVector<Operation *> updates{write.getValue().getDefiningOp()};
    while (!updates.empty()) {
      Operation *update = updates.pop_back_val();
      if (mlir::isa<train::LaunchOp>(update))
        addReadersBefore(update, write, block);
      else // a view, or parts
        for (Value operand : update->getOperands())
          updates.push_back(operand.getDefiningOp());
    }
  }

  void addReadersBefore(Operation *update, train::WriteOp write, mlir::Block &block) {
    for (auto read : block.getOps<train::ReadOp>()) {
      if (read.getSymbolAttr() != write.getSymbolAttr())
        continue;
      SmallVector<Operation *> readers(read->getUsers());
      while (!readers.empty()) {
        Operation *reader = readers.pop_back_val();
        if (!mlir::isa<train::LaunchOp>(reader))
          llvm::append_range(readers, reader->getUsers());
        else if (reader != update && !reaches(update, reader))
          add(reader, update);
      }
    }
  }

  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> successors;
  llvm::DenseMap<Operation *, unsigned> predecessors;
};
} // namespace

/// Orders the operations: operands first, and, where possible, each update of a state after the last reader
/// of its old value. Their positions decide where neither does.
static void orderOperations(mlir::Block &block) {
  Dependencies dependencies(block);
  auto later = [](Operation *a, Operation *b) { return positionOf(a) > positionOf(b); };
  std::priority_queue<Operation *, std::vector<Operation *>, decltype(later)> ready(later);
  for (Operation &op : block)
    if (dependencies.isReady(&op))
      ready.push(&op);
  while (!ready.empty()) {
    Operation *op = ready.top();
    ready.pop();
    op->moveBefore(&block, block.end());
    for (Operation *next : dependencies.take(op))
      ready.push(next);
  }
}

namespace {
struct OrderLaunchesPass : public impl::OrderLaunchesBase<OrderLaunchesPass> {
  void runOnOperation() override {
    forEachFunction(getOperation(), [](train::FunctionOp, mlir::Block &block) {
      orderOperations(block);
      for (Operation &op : block)
        dropPosition(&op);
    });
  }
};
} // namespace

} // namespace dlc::fuse
