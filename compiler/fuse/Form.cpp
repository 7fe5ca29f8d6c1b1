//===- Form.cpp - the pass that forms kernels ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Outline.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/SplitReductions.h"
#include "compiler/support/Remarks.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_FORMKERNELS
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

static void inlineIntoUsers(mlir::Block &block) {
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

static void eraseUnused(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

// Views that show all of a tensor have kept kernels apart (RecomputeForward.cpp). A kernel that reads the
// tensor and such a view of it then has one operand for both.
static void dropWholeViews(mlir::Block &block, llvm::DenseMap<Operation *, unsigned> &priority) {
  for (auto view : llvm::make_early_inc_range(block.getOps<mlir::tensor::CollapseShapeOp>()))
    if (view.getType() == view.getSrc().getType()) {
      view.replaceAllUsesWith(view.getSrc());
      priority.erase(view);
      view.erase();
    }
}

/// The sizes of the loops that all generics of a group share, as "64 x 256".
static std::string sharedSizesOf(Group &group) {
  std::string text;
  for (int64_t size : group.sharedSizes())
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

/// The bytes that a group which only moves elements copies; 0 for all others.
static int64_t movedBy(const Group &group) {
  int64_t bytes = 0;
  for (GenericOp op : group.ops) {
    if (!isMove(op))
      return 0;
    bytes += bytesOf(op.getResult(0));
  }
  return bytes;
}

/// A description of a group's kernel, made before its operations are gone; "" for a single operation.
static std::string contentsOf(Group &group) {
  if (group.ops.size() == 1)
    return "";
  std::string text = std::to_string(group.ops.size()) + " loop nests";
  if (group.steps.empty())
    return text +
           (group.shared == 0 ? " without common loops" : " in common loops of " + sharedSizesOf(group));
  return text + " in " + std::to_string(group.steps.size()) + " steps, one after the other for each of " +
         sharedSizesOf(group) + " iterations: what they hand to each other stays in the cache";
}

/// Emits remarks that say what has become one kernel, and which tensors it reads through memory although
/// their producers might have been part of it.
static void explain(train::LaunchOp launch, const std::string &contents, int64_t moved,
                    ArrayRef<Apart> apart) {
  using mlir::remark::metric;
  StringRef kernel = launch.getKernel();
  if (moved > 0)
    remarks::missed(launch, remarks::fuse, "moved", kernel)
        << "moves " << metric("bytes", moved)
        << " bytes into another order and computes nothing: no reader takes them as they lie";
  else if (!contents.empty())
    remarks::done(launch, remarks::fuse, "kernel", kernel) << "one kernel of " << contents;
  for (const Apart &one : apart)
    remarks::missed(launch, remarks::fuse, "apart", kernel)
        << "'" << one.from << "' hands " << metric("bytes", one.bytes) << " bytes to '" << one.to
        << "' through memory: " << one.why;
}

namespace {
struct FormKernelsPass : public impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;

  void formKernels(train::FunctionOp function, Outliner &outliner) {
    mlir::Block &block = function.getBody().front();
    eraseUnused(block);
    if (block.empty()) // nothing is written
      return;
    inlineIntoUsers(block);
    storeSourcesOnce(block, nearBytes);
    computeBeside(block);
    mergeSiblings(block);
    splitLongReductions(block, /*areThreads=*/tilesAtOnce > 0);
    if (attentions) {
      reuseRowSums(block);
      eraseUnused(block);
    }

    FusionCosts costs{minShared, anyOrder, nearBytes, operationsPerByte};
    costs.attentions = attentions;
    if (computeTwice(Grouping(block, costs), costs))
      inlineIntoUsers(block);
    if (recomputeHanded(Grouping(block, costs), costs))
      eraseUnused(block);
    if (costs.attentions && makeTransientsApart(block))
      eraseUnused(block);
    if (tilesAtOnce > 0)
      shareProducts(block, tilesAtOnce);
    llvm::DenseMap<Operation *, unsigned> priority;
    for (auto [index, op] : llvm::enumerate(block))
      priority[&op] = index;
    Grouping grouping(block, costs);
    SmallVector<SmallVector<Apart>> apart; // asked while operations are those that were grouped
    for (const std::unique_ptr<Group> &group : grouping.groups())
      apart.push_back(grouping.apartOf(*group));
    dropWholeViews(block, priority);
    if (panelWidth > 0)
      putInPanels(grouping, panelWidth, nearBytes);
    for (auto [group, read] : llvm::zip_equal(grouping.groups(), apart)) {
      unsigned place = priority.lookup(group->ops.front());
      for (GenericOp op : group->ops) // An operation that is made later may get the memory of one that goes.
        priority.erase(op);
      const bool isAsked = remarks::areWanted(function);
      const std::string contents = isAsked ? contentsOf(*group) : "";
      const int64_t moved = isAsked ? movedBy(*group) : 0;
      train::LaunchOp launch = outliner.outline(*group, read, function);
      explain(launch, contents, moved, read);
      priority[launch] = place;
    }
    for (auto call : llvm::make_early_inc_range(block.getOps<train::CustomCallOp>())) {
      unsigned place = priority.lookup(call);
      priority.erase(call);
      priority[outliner.outline(call, function)] = place;
    }
    eraseUnused(block);
    orderOperations(function, priority);
  }

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      Outliner outliner(program);
      for (auto function : llvm::to_vector(program.getOps<train::FunctionOp>()))
        formKernels(function, outliner);
    }
  }
};
} // namespace

} // namespace dlc::fuse
