//===- Transients.cpp - kernels of matrices of which only tiles exist -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On targets that make the elements of a matrix tile by tile (compiler/analysis/Transient.h), a kernel takes
// them up along one side of the matrix, and not before it has all that they are made of. The backward pass of
// an attention needs two, or three: what a row's elements are compared with is a sum over the row, and that
// may be made of elements as well. So each kernel gets operations of its own that make elements. These
// kernels are formed first: what they hand on must not tie them to others.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/groups/Groups.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_SEPARATETRANSIENTS
#include "compiler/fuse/Passes.h.inc"

namespace {
/// The consumers that become one kernel.
struct Taking {
  SmallVector<GenericOp> ends;
  SmallVector<int64_t, 4> reduced;   ///< the loops along which they sum up
  llvm::DenseSet<Operation *> after; ///< all that needs results of these
};
} // namespace

static void addReaders(Operation *op, llvm::DenseSet<Operation *> &readers) {
  SmallVector<Operation *> queue{op};
  while (!queue.empty())
    for (Operation *user : queue.pop_back_val()->getUsers()) {
      Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
      if (readers.insert(reader).second)
        queue.push_back(reader);
    }
}

// Divides the consumers among as few kernels as possible, none of which may need its own results.
static SmallVector<Taking> takingsOf(const analysis::Transient &transient) {
  SmallVector<Taking> takings;
  for (GenericOp end : transient.consumers) {
    auto needs = [&](const Taking &taking) {
      return taking.after.contains(end) ||
             llvm::any_of(transient.neededFor(end), [&](GenericOp op) { return taking.after.contains(op); });
    };
    auto isTiedTo = [&](const Taking &taking) { // by a third one that comes between
      return llvm::any_of(takings, [&](const Taking &third) {
        return &third != &taking && needs(third) && llvm::any_of(third.ends, [&](GenericOp other) {
          return taking.after.contains(other) || llvm::any_of(transient.neededFor(other), [&](GenericOp op) {
                   return taking.after.contains(op);
                 });
        });
      });
    };
    SmallVector<int64_t, 4> reduced = transient.reducedBy(end);
    auto found = llvm::find_if(takings, [&](const Taking &taking) {
      return taking.reduced == reduced && !needs(taking) && !isTiedTo(taking);
    });
    if (found == takings.end())
      found = takings.insert(takings.end(), Taking{{}, reduced, {}});
    found->ends.push_back(end);
    addReaders(end, found->after);
  }
  return takings;
}

/// Calls `body` with all transient matrices of a block.
static void forTransients(mlir::Block &block, TiledMatrices &matrices,
                          llvm::function_ref<void(const analysis::Transient &)> body) {
  llvm::DenseSet<Operation *> seen;
  for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>()))
    if (!seen.contains(op))
      if (const analysis::Transient *transient = matrices.transientFrom(op)) {
        for (GenericOp maker : transient->producers)
          seen.insert(maker);
        for (GenericOp end : transient->consumers) // whose products begin no others that are found here
          seen.insert(end);
        body(*transient);
      }
}

/// Gives each kernel that consumes transient matrices producers of its own. Returns whether it copied any.
static bool separateTransients(mlir::Block &block, TiledMatrices &matrices) {
  bool changed = false;
  forTransients(block, matrices, [&](const analysis::Transient &transient) {
    SmallVector<Taking> takings = takingsOf(transient);
    if (takings.size() == 1)
      return;
    changed = true;
    for (const Taking &taking : takings) {
      mlir::IRMapping mapping;
      for (GenericOp end : taking.ends) {
        mlir::OpBuilder b(end);
        for (GenericOp op : transient.neededFor(end))
          if (!mapping.contains(op->getResult(0)))
            b.clone(*op, mapping);
        for (OpOperand *input : end.getDpsInputOperands())
          input->set(mapping.lookupOrDefault(input->get()));
      }
    }
  });
  return changed;
}

void Grouping::formTransients(mlir::Block &block) {
  forTransients(block, matrices, [&](const analysis::Transient &transient) {
    if (takingsOf(transient).size() > 1)
      return;
    SmallVector<GenericOp> ops(ArrayRef(transient.producers));
    ops.append(transient.elementwise.begin(), transient.elementwise.end());
    ops.append(transient.consumers.begin(), transient.consumers.end());
    llvm::sort(ops, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    Group &whole = *groupOf(ops.front());
    Precedence tried = precedence;
    for (GenericOp op : ops) {
      Group &group = *groupOf(op);
      if (group.isTransient || (&group != &whole && tried.isBetween(whole.node, group.node)))
        return;
      if (&group != &whole)
        tried.merge(whole.node, group.node);
    }
    std::vector<Group> steps;
    for (GenericOp op : ops) {
      Group &group = *groupOf(op);
      steps.push_back(group);
      for (int64_t loop : transient.shared)
        steps.back().outer.push_back(transient.loopOf(op, loop));
    }
    for (GenericOp op : llvm::drop_begin(ops))
      take(whole, *groupOf(op));
    whole.steps = std::move(steps);
    whole.shared = transient.shared.size();
    whole.isContraction = false;
    whole.isTransient = true;
  });
}

namespace {
struct SeparateTransientsPass : public impl::SeparateTransientsBase<SeparateTransientsPass> {
  void runOnOperation() override {
    bool changed = false;
    forEachFunction(getOperation(), [&](train::FunctionOp function, mlir::Block &block) {
      if (!separateTransients(block, getChildAnalysis<TiledMatrices>(function)))
        return;
      eraseUnused(block);
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dlc::fuse
