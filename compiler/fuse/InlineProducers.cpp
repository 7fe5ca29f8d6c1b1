//===- InlineProducers.cpp - cheap values are computed where they are read -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_INLINEPRODUCERS
#include "compiler/fuse/Passes.h.inc"

// A value is trivial if a few simple operations compute it from positions and from what is in memory anyway,
// an input or a tensor of lower rank (a comparison of labels with class numbers): every user then computes it
// itself.
static bool isRecomputable(GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  return isElementwise(op) && op.getNumLoops() > 0 && op.getNumResults() == 1 &&
         capturedTensors(op).empty() && isCheap(bodySlice(op, yielded)) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.getMatchingIndexingMap(input).getNumResults() < op.getNumLoops() ||
                  input->get().getDefiningOp<train::ReadOp>();
         });
}

// Each step of inlining copies both bodies: without a limit long chains of operations would take time in the
// square of their length, and no machine has registers for more values anyway.
static bool isTooLong(GenericOp producer, GenericOp user) {
  constexpr size_t maxOperations = 128;
  return producer.getBody()->getOperations().size() + user.getBody()->getOperations().size() > maxOperations;
}

// Whether reading the result from memory costs as much as reading what it is made of: few simple operations
// on one tensor that is in memory anyway, because something else reads it too, and on tensors of lower rank
// (an image less its mean). If every user reads each element once, all of them compute it, and it is never
// stored.
static bool isAsGoodAsItsSource(GenericOp op) {
  if (!isElementwise(op) || op.getNumLoops() == 0 || op.getNumResults() != 1 || !capturedTensors(op).empty())
    return false;
  Value source;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingIndexingMap(input).getNumResults() < op.getNumLoops())
      continue;
    if (source || !op.getMatchingIndexingMap(input).isIdentity())
      return false;
    source = input->get();
  }
  auto bits = [](Value tensor) {
    return mlir::getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth();
  };
  return source && !source.hasOneUse() && bits(source) <= bits(op.getResult(0)) &&
         isCheap(bodySlice(op, op.getBody()->getTerminator()->getOperand(0))) &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto user = mlir::dyn_cast<GenericOp>(use.getOwner());
           return user && user.isDpsInput(&use) && canInline(use) && !isTooLong(op, user) &&
                  user.getMatchingIndexingMap(&use).isPermutation();
         });
}

// Whether a producer is better a follower of what it reads than part of the reduction `user`: the epilogue of
// a contraction whose result nothing else reads, or a row's last step before everything is summed up on one
// thread.
static bool belongsToProducers(GenericOp op, GenericOp user) {
  return llvm::any_of(op.getInputs(), [&](Value input) {
    auto producer = input.getDefiningOp<GenericOp>();
    return producer && ((isProduct(producer) && input.hasOneUse()) || user.getNumParallelLoops() == 0);
  });
}

// Whether `operand`'s user should compute its elements itself; asked before kernels are formed.
static bool shouldInline(OpOperand &operand, GenericOp producer) {
  auto user = mlir::dyn_cast<GenericOp>(operand.getOwner());
  if (!user || !user.isDpsInput(&operand) || !canInline(operand) || isTooLong(producer, user))
    return false;
  AffineMap map = user.getMatchingIndexingMap(&operand);
  if (isProduct(user)) // whose operands are tensors, laid out for it
    return false;
  if (isMove(producer) || isRecomputable(producer) || isAsGoodAsItsSource(producer))
    return true;
  if (!producer->hasOneUse() || !map.isPermutation())
    return false;
  return (isElementwise(user) && map.isIdentity()) || !belongsToProducers(producer, user);
}

void inlineIntoUsers(mlir::Block &block) {
  for (Operation *op = &block.front(); op;) {
    Operation *before = op->getPrevNode();
    bool isGone = false;
    if (auto producer = mlir::dyn_cast<GenericOp>(op); producer && isElementwise(producer)) {
      // Inlines one operand at a time: a user that reads a value twice is replaced with all its operands.
      for (bool changed = true; changed && !isGone;) {
        changed = false;
        for (OpOperand &use : producer->getUses())
          if (shouldInline(use, producer)) {
            isGone = producer->hasOneUse();
            inlineProducer(use);
            changed = true;
            break;
          }
      }
    }
    op = !isGone ? op->getNextNode() : before ? before->getNextNode() : &block.front();
  }
}

namespace {
struct InlineProducersPass : public impl::InlineProducersBase<InlineProducersPass> {
  void runOnOperation() override {
    forEachFunction(getOperation(), [](train::FunctionOp, mlir::Block &block) {
      eraseUnused(block);
      if (!block.empty()) // else nothing is written
        inlineIntoUsers(block);
    });
  }
};
} // namespace

} // namespace dlc::fuse
