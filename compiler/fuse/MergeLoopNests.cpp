//===- MergeLoopNests.cpp - few loop nests in a kernel ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every generic gets a level: above what it reads, or beside it where both are elementwise over the same
// loops. Elementwise generics of one level and the same loops become one. Then values that are read once, or
// are cheap, are computed where they are read.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/fuse/KernelBody.h"
#include "compiler/fuse/Members.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "dialects/train/Nonzero.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <map>

namespace dlc::fuse {

#define GEN_PASS_DEF_MERGELOOPNESTS
#include "compiler/fuse/Passes.h.inc"

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

/// Elementwise generics over the same loops become one, and cheap producers are computed where they are read.
static void mergeNests(mlir::Block &block) {
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
  eraseUnused(block);
}

// After interchanging loops, each position along a loop is an affine function of all positions.
static void simplifyPositions(GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(op.getBody()->getOps<mlir::affine::AffineApplyOp>())) {
    auto loop = mlir::cast<mlir::AffineDimExpr>(apply.getAffineMap().getResult(0));
    apply.replaceAllUsesWith(apply.getDimOperands()[loop.getPosition()]);
    apply.erase();
  }
}

// Interchanges the loops so that these are the first.
static void moveFirst(mlir::Block &body, ArrayRef<unsigned> outer) {
  mlir::IRRewriter rewriter(body.getParent()->getContext());
  for (GenericOp op : llvm::make_early_inc_range(body.getOps<GenericOp>())) {
    SmallVector<unsigned> order(outer);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!llvm::is_contained(outer, loop))
        order.push_back(loop);
    if (llvm::is_sorted(order))
      continue;
    train::dropNonzeroTerms(op); // which are of the loops in their old order
    rewriter.setInsertionPoint(op);
    if (mlir::FailureOr<GenericOp> made = mlir::linalg::interchangeGenericOp(rewriter, op, order);
        mlir::succeeded(made))
      simplifyPositions(*made);
  }
}

// Merges the nests of each step by themselves.
static void mergeInSteps(train::KernelOp kernel) {
  mlir::Block &old = kernel.getBody().front(), *body = new mlir::Block;
  kernel.getBody().push_back(body);
  mlir::IRMapping mapping;
  for (mlir::BlockArgument argument : old.getArguments())
    mapping.map(argument, body->addArgument(argument.getType(), argument.getLoc()));
  auto b = mlir::OpBuilder::atBlockEnd(body);
  SmallVector<int64_t> counts;
  for (const analysis::Step &step : analysis::stepsOf(kernel)) {
    Interface interface = interfaceOf(step);
    train::KernelOp own = kernelOf({SmallVector<GenericOp>(step)}, interface);
    mlir::Block &ownBody = own.getBody().front();
    mergeNests(ownBody);
    SmallVector<unsigned> shared(memberOf(step.front()).getShared());
    moveFirst(ownBody, shared);
    mlir::IRMapping inside;
    for (auto [value, argument] : llvm::zip_equal(interface.inputs, ownBody.getArguments()))
      inside.map(argument, mapping.lookup(value));
    for (Operation &op : ownBody.without_terminator())
      b.clone(op, inside);
    for (auto [value, made] : llvm::zip_equal(interface.outputs, ownBody.getTerminator()->getOperands()))
      mapping.map(value, inside.lookup(made));
    counts.push_back(llvm::range_size(ownBody.getOps<GenericOp>()));
    own->erase();
  }
  b.clone(*old.getTerminator(), mapping);
  for (GenericOp op : body->getOps<GenericOp>())
    dropMember(op);
  old.dropAllDefinedValueUses();
  old.erase();
  kernel.setSteps(counts);
}

namespace {
struct MergeLoopNestsPass : public impl::MergeLoopNestsBase<MergeLoopNestsPass> {
  void runOnOperation() override {
    forEachKernel(getOperation(), [](train::KernelOp kernel) {
      if (kernel.getSteps())
        mergeInSteps(kernel);
      else
        mergeNests(kernel.getBody().front());
    });
  }
};
} // namespace

} // namespace dlc::fuse
