//===- MergeSiblings.cpp - reductions of the same elements read them once --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a batch norm sums up a tensor, and the tensor times another one. Neither sum needs the
// other, so that no path from producer to consumer leads to one kernel; but together they read half as much.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_MERGESIBLINGS
#include "compiler/fuse/Passes.h.inc"

// Each result has accumulators of its own in registers.
constexpr unsigned mostResults = 2;

static bool isReduction(GenericOp op) { return op && !isElementwise(op) && !isProduct(op); }

// Whether the operation serves one generic alone, so that it can move to any place before it.
static bool canMove(Operation *op) {
  return mlir::isa<mlir::tensor::EmptyOp, mlir::linalg::FillOp, mlir::arith::ConstantOp, train::DimSizeOp>(
      op);
}

static bool isKnownAt(Operation *place, Value value) {
  Operation *op = value.getDefiningOp();
  return op->isBeforeInBlock(place) ||
         (canMove(op) && llvm::all_of(op->getOperands(), [&](Value of) { return isKnownAt(place, of); }));
}

static void addToMove(Operation *place, Value value, llvm::SetVector<Operation *> &toMove) {
  Operation *op = value.getDefiningOp();
  if (op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    addToMove(place, operand, toMove);
  toMove.insert(op);
}

// A reduction that has the loops of `first`, reads one of its tensors in the same way, and could run at its
// place.
static GenericOp siblingOf(GenericOp first) {
  for (OpOperand *input : first.getDpsInputOperands()) {
    AffineMap map = first.getMatchingIndexingMap(input);
    if (!map.isPermutation()) // else it does not tell the extents of all loops
      continue;
    for (OpOperand &use : input->get().getUses()) {
      auto other = mlir::dyn_cast<GenericOp>(use.getOwner());
      if (isReduction(other) && other != first && first->isBeforeInBlock(other) && other.isDpsInput(&use) &&
          other.getMatchingIndexingMap(&use) == map &&
          other.getIteratorTypesArray() == first.getIteratorTypesArray() &&
          first.getNumResults() + other.getNumResults() <= mostResults && capturedTensors(other).empty() &&
          llvm::all_of(other->getOperands(), [&](Value of) { return isKnownAt(first, of); }))
        return other;
    }
  }
  return nullptr;
}

/// Merges reductions of the same elements into one, if neither needs the other.
static void mergeSiblings(mlir::Block &block) {
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    auto first = mlir::dyn_cast<GenericOp>(op);
    if (!isReduction(first))
      continue;
    while (GenericOp other = siblingOf(first)) {
      // All are moved at once, because each isBeforeInBlock after a move renumbers the block.
      llvm::SetVector<Operation *> toMove;
      for (Value operand : other->getOperands())
        addToMove(first, operand, toMove);
      for (Operation *needed : toMove)
        needed->moveBefore(first);
      other->moveAfter(first);
      remarks::done(first, remarks::fuse, "siblings")
          << "summed up together with '" << nodeName(other->getLoc())
          << "', which reads the same elements: they are read once";
      first = mergeLoops({first, other});
    }
    op = first;
  }
}

namespace {
struct MergeSiblingsPass : public impl::MergeSiblingsBase<MergeSiblingsPass> {
  void runOnOperation() override {
    forEachFunction(getOperation(), [](train::FunctionOp, mlir::Block &block) { mergeSiblings(block); });
  }
};
} // namespace

} // namespace dlc::fuse
