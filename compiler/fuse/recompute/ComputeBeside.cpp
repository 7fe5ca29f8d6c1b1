//===- ComputeBeside.cpp - copies are made beside what reads the same ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed again for a product has to be written once more: as a kernel of its own it would read all
// that it is made of. But the backward pass reads that anyway, for the gradient. So one generic makes both:
// behind a product, the second store is done while the next tile is multiplied, and both results can lie
// where their operands lay.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/recompute/KeptValues.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_COMPUTEBESIDE
#include "compiler/fuse/Passes.h.inc"

// The tensor behind a view that shows all of it, through which copies read (RecomputeForward.cpp).
static Value behindView(Value value) {
  auto view = value.getDefiningOp<mlir::tensor::CollapseShapeOp>();
  return view && view.getSrcType() == view.getType() ? view.getSrc() : value;
}

static bool isWhole(GenericOp op, OpOperand *input) {
  return op.getMatchingIndexingMap(input).getNumResults() == op.getNumLoops();
}

static bool isCopyForProducts(GenericOp op) {
  if (!isElementwise(op) || op.getNumResults() != 1 || !capturedTensors(op).empty() || op->use_empty() ||
      llvm::none_of(op.getInputs(), [](Value input) { return behindView(input) != input; }))
    return false;
  bool isReadByOthers = false;
  forEachUse(op->getResult(0), [&](OpOperand &use) {
    auto reader = mlir::dyn_cast<GenericOp>(use.getOwner());
    isReadByOthers |= !reader || !isContraction(reader);
  });
  return !isReadByOthers;
}

// Whether `reader` reads all whole tensors that `copy` reads, and at the same elements.
static bool readsTheSame(GenericOp reader, GenericOp copy) {
  return llvm::all_of(copy.getDpsInputOperands(), [&](OpOperand *input) {
    if (!isWhole(copy, input))
      return true;
    return llvm::any_of(reader.getDpsInputOperands(), [&](OpOperand *other) {
      return other->get() == behindView(input->get()) &&
             reader.getMatchingIndexingMap(other) == copy.getMatchingIndexingMap(input);
    });
  });
}

// Finds the first generic of the backward pass that could compute the copy as well.
static GenericOp readerBeside(GenericOp copy) {
  GenericOp first;
  for (OpOperand *input : copy.getDpsInputOperands()) {
    Value source = behindView(input->get());
    if (source == input->get() || !isWhole(copy, input))
      continue;
    for (Operation *user : source.getUsers()) {
      auto reader = mlir::dyn_cast<GenericOp>(user);
      if (!reader || !isElementwise(reader) || isCopyForProducts(reader))
        continue;
      bool isLate = llvm::all_of(copy.getInputs(),
                                 [&](Value of) { return of.getDefiningOp()->isBeforeInBlock(reader); });
      if (isLate && reader.getNumLoops() == copy.getNumLoops() && readsTheSame(reader, copy) &&
          (!first || reader->isBeforeInBlock(first)))
        first = reader;
    }
  }
  return first;
}

// Moves the users of the copy behind the reader; false where the reader itself is one of them.
static bool moveUsersBehind(GenericOp reader, GenericOp copy) {
  llvm::SetVector<Operation *> later;
  mlir::Block *block = copy->getBlock();
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      later.insert(block->findAncestorOpInBlock(*user));
  };
  addUsers(copy);
  for (Operation *op = copy; op != reader; op = op->getNextNode())
    if (later.contains(op))
      addUsers(op);
  if (later.contains(reader))
    return false;
  Operation *place = reader;
  for (Operation *op = copy->getNextNode(), *next = nullptr; op != reader; op = next) {
    next = op->getNextNode();
    if (later.contains(op)) {
      op->moveAfter(place);
      place = op;
    }
  }
  return true;
}

/// Where a value is rematerialized for products of the backward pass, lets a generic of the backward pass
/// that reads the same elements compute it as a second result.
static void computeBeside(mlir::Block &block) {
  SmallVector<GenericOp> copies = llvm::filter_to_vector(block.getOps<GenericOp>(), isCopyForProducts);
  for (GenericOp copy : copies) {
    GenericOp reader = readerBeside(copy);
    if (!reader || (copy->isBeforeInBlock(reader) && !moveUsersBehind(reader, copy)))
      continue;
    mlir::OpBuilder b(reader);
    OpOperand &init = *copy.getDpsInitOperand(0);
    init.set(b.clone(*init.get().getDefiningOp())->getResult(0));
    copy->moveBefore(reader);
    for (OpOperand *input : copy.getDpsInputOperands())
      input->set(behindView(input->get()));
    mergeLoops({copy, reader});
  }
}

namespace {
struct ComputeBesidePass : public impl::ComputeBesideBase<ComputeBesidePass> {
  void runOnOperation() override {
    forEachFunction(getOperation(), [](train::FunctionOp, mlir::Block &block) { computeBeside(block); });
  }
};
} // namespace

} // namespace dlc::fuse
