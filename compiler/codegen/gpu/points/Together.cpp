//===- Together.cpp - operations of a point in one loop ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several operations read of a long row, each would read from memory again. Where their threads have the
// same elements, one loop computes all: what one operation makes, the next one has in a register, and sums of
// a row are made where its elements are. The order of a sum is the same as in a loop of its own.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/points/Points.h"
#include "compiler/codegen/kernel/Body.h"

using namespace mlir;

namespace dlc::codegen::gpu {

ArrayRef<Index> PointsCode::turnsOf(linalg::GenericOp op) {
  extents = kernel.loopExtents(op);
  const int64_t partials = partialsOf(op);
  if (partials > 1)
    return partials == members && own(op).empty() ? reductions(op) : ArrayRef<Index>();
  return op.getNumReductionLoops() == 0 ? own(op) : ArrayRef<Index>();
}

size_t PointsCode::countTogether(ArrayRef<linalg::GenericOp> operations) {
  if (members == 1)
    return 1;
  SmallVector<Index, 4> turns(turnsOf(operations.front()));
  if (turns.empty())
    return 1;
  SmallVector<MemoryAccess> accesses;
  auto isSame = [](const Index &x, const Index &y) { return x.base == y.base && x.offset == y.offset; };
  for (size_t count = 0; count < operations.size(); ++count) {
    linalg::GenericOp op = operations[count];
    if (!llvm::equal(turns, turnsOf(op), isSame))
      return count;
    auto isHere = [&](Value value) {
      return llvm::is_contained(operations.take_front(count), value.getDefiningOp());
    };
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isHere(operand.get()))
        continue;
      auto maker = operand.get().getDefiningOp<linalg::GenericOp>();
      AffineMap made = maker.getMatchingIndexingMap(maker.getTiedOpOperand(cast<OpResult>(operand.get())));
      if (partialsOf(maker) > 1 || made != op.getMatchingIndexingMap(&operand))
        return count;
    }
    bool isComputed = false;
    op.getBlock()->walk([&](Operation *inner) { isComputed |= llvm::any_of(inner->getOperands(), isHere); });
    const Ownership ownership = this->ownership(/*members=*/1, turns);
    SmallVector<MemoryAccess> next = reads(op, ownership);
    if (partialsOf(op) == 1)
      llvm::append_range(next, llvm::concat<MemoryAccess>(starts(op, ownership), writes(op, ownership)));
    if (isComputed || barriers.needsBarrier(accesses, next))
      return count;
    llvm::append_range(accesses, next);
  }
  return operations.size();
}

void PointsCode::emitTogether(ArrayRef<linalg::GenericOp> operations) {
  SmallVector<MemoryAccess> accesses;
  SmallVector<Type> types;
  const Index count = productOf(b, SmallVector<Index, 4>(turnsOf(operations.front())));
  for (linalg::GenericOp op : operations) {
    const Ownership ownership = this->ownership(/*members=*/1, turnsOf(op));
    llvm::append_range(accesses, reads(op, ownership));
    if (partialsOf(op) > 1)
      llvm::append_range(types, elementTypes(op));
    else
      llvm::append_range(accesses, llvm::concat<MemoryAccess>(starts(op, ownership), writes(op, ownership)));
  }
  barriers.before(accesses);
  Values partial = where(b, isPoint, types, [&] {
    Values neutral;
    for (linalg::GenericOp op : operations)
      if (partialsOf(op) > 1)
        llvm::append_range(neutral, neutralElements(b, op, {pointOf(op, {})}));
    auto each = [&](Index number, Values sums) {
      Values next;
      for (linalg::GenericOp op : operations) {
        SmallVector<Index, 4> positions = positionsOf(b, number, turnsOf(op));
        Point at = pointOf(op, {});
        llvm::copy(positions, at.loops.begin() + shared);
        if (partialsOf(op) > 1) {
          ArrayRef<Value> before = ArrayRef(sums).slice(next.size(), op.getNumResults());
          llvm::append_range(next, emitBody(kernel, op, operands.arguments(op, at, before), at));
          continue;
        }
        Values results = compute(op, at);
        write(op, at, results);
        for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
          operands.keep(result, value);
      }
      return next;
    };
    return isAlongRow(operations.front()) ? forTurns(neutral, each)
                                          : forShare(member, count, members, neutral, each);
  });
  for (linalg::GenericOp op : operations)
    for (Value result : op->getResults())
      operands.forget(result);
  for (linalg::GenericOp op : operations) {
    extents = kernel.loopExtents(op);
    if (int64_t partials = partialsOf(op); partials > 1) {
      Values own(ArrayRef<Value>(partial).take_front(op.getNumResults()));
      partial.erase(partial.begin(), partial.begin() + op.getNumResults());
      finishPartials(op, partials, pointOf(op, {}), isPoint, own);
    }
  }
}

} // namespace dlc::codegen::gpu
