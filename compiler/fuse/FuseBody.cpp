//===- FuseBody.cpp - few generics in a kernel -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every generic gets a level: above what it reads, or beside it where both are elementwise over the same
// loops. Elementwise generics of one level and the same loops become one. Then values that are read once, or
// are cheap, are computed where they are read.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Rewrite.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <map>

namespace dlc::fuse {

// Whether `operand`'s user can be one generic with its producer: both elementwise, at the same element.
static bool sameElements(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<GenericOp>();
  auto user = mlir::dyn_cast<GenericOp>(operand.getOwner());
  return producer && user && isElementwise(producer) && isElementwise(user) && user.isDpsInput(&operand) &&
         producer.getNumLoops() == user.getNumLoops() && user.getMatchingIndexingMap(&operand).isIdentity();
}

// The loops of an elementwise generic. Only static dims are cut.
static nn::Shape loopDims(GenericOp op) {
  if (op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return shapeOf(op.getDpsInits().front());
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return nn::Shape(sizes.begin(), sizes.end());
}

namespace {
class Levels {
public:
  explicit Levels(mlir::Block &block)
      : ops(block.getOps<GenericOp>().begin(), block.getOps<GenericOp>().end()) {
    for (GenericOp op : ops)
      level[op] = earliest(op);
    for (GenericOp op : llvm::reverse(ops))
      level[op] = std::max(level[op], latest(op));
    llvm::DenseMap<Operation *, unsigned> place;
    for (auto [index, op] : llvm::enumerate(ops))
      place[op] = index;
    llvm::sort(ops, [&](GenericOp a, GenericOp b) {
      return std::pair(level[a], place[a]) < std::pair(level[b], place[b]);
    });
    for (GenericOp op : ops)
      op->moveBefore(block.getTerminator());
  }

  /// Finds elementwise generics that can become one, in an order that keeps producers first.
  SmallVector<SmallVector<GenericOp>> mergeable() {
    std::map<std::pair<int, std::string>, SmallVector<GenericOp>> byLoops;
    for (GenericOp op : ops)
      if (isElementwise(op))
        byLoops[{level[op], nn::str(loopDims(op))}].push_back(op);
    SmallVector<SmallVector<GenericOp>> result;
    for (auto &entry : byLoops)
      if (entry.second.size() > 1)
        result.push_back(entry.second);
    return result;
  }

private:
  int earliest(GenericOp op) {
    int result = 0;
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto producer = input->get().getDefiningOp<GenericOp>())
        result = std::max(result, level[producer] + !sameElements(*input));
    return result;
  }
  // The last level at which `op` still comes before its users, so that it can be merged with operations near
  // them; 0, which leaves it where it is, if its result leaves the kernel.
  int latest(GenericOp op) {
    int result = std::numeric_limits<int>::max();
    for (OpOperand &use : op->getUses()) {
      auto user = mlir::dyn_cast<GenericOp>(use.getOwner());
      if (!user || !isElementwise(op))
        return 0;
      result = std::min(result, level[user] - !sameElements(use));
    }
    return result;
  }

  SmallVector<GenericOp> ops;
  llvm::DenseMap<Operation *, int> level;
};
} // namespace

// Finds an operand that its user should compute itself, because it is read once or cheap.
static OpOperand *findInlinable(mlir::Block &block) {
  for (GenericOp user : block.getOps<GenericOp>()) {
    if (isProduct(user))
      continue;
    for (OpOperand *operand : user.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<GenericOp>();
      if (!producer || sameElements(*operand) || !canInline(*operand))
        continue;
      bool readOnce = operand->get().hasOneUse() && user.getMatchingIndexingMap(operand).isPermutation();
      auto result = mlir::cast<OpResult>(operand->get());
      Value yielded = producer.getBody()->getTerminator()->getOperand(result.getResultNumber());
      if (readOnce || (producer.getNumLoops() > 0 && isCheap(bodySlice(producer, yielded))))
        return operand;
    }
  }
  return nullptr;
}

void fuseGenerics(mlir::Block &block) {
  for (bool changed = true; changed;) {
    changed = false;
    for (ArrayRef<GenericOp> ops : Levels(block).mergeable()) {
      mergeLoops(ops);
      changed = true;
    }
    while (OpOperand *operand = findInlinable(block)) {
      inlineProducer(*operand);
      changed = true;
    }
  }
  // Runs CSE within each body only: a kernel's constants must not replace those in bodies.
  mlir::MLIRContext *context = block.getParent()->getContext();
  mlir::IRRewriter rewriter(context);
  for (GenericOp op : block.getOps<GenericOp>()) {
    mlir::DominanceInfo dominance(op);
    mlir::eliminateCommonSubExpressions(rewriter, dominance, op);
  }
  mlir::RewritePatternSet patterns(context);
  mlir::linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  mlir::walkAndApplyPatterns(block.getParentOp(), std::move(patterns));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

} // namespace dlc::fuse
