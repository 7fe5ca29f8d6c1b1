//===- RecomputeHanded.cpp - what is made again instead of being kept ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one step of a kernel hands to another stays in the cache. If a kernel that runs later reads it as
// well, it has to be written to memory and read again: attention's probabilities, which the forward pass
// makes and the backward pass needs. Where to make it again costs less, the later kernel does, from what is
// in memory anyway and from results that are small beside it, such as the maximum and the sum of each row.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/groups/Groups.h"
#include "compiler/support/Remarks.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_RECOMPUTEHANDED
#include "compiler/fuse/Passes.h.inc"

namespace {
/// The tensors of a chain that later kernels read, and what rematerializing them would take.
class Remade {
public:
  Remade(const Group &chain, const FusionCosts &costs, TiledMatrices &matrices)
      : members(chain.ops.begin(), chain.ops.end()) {
    for (GenericOp op : chain.ops)
      if (costs.attentions && !attention)
        attention = matrices.attentionOf(op);
    for (GenericOp op : chain.ops)
      for (OpResult result : op->getResults())
        if ((attention ? attention->isOfElements(op) : costs.memory.isFar(bytesOf(result))) &&
            isReadBy(result, true) && isReadBy(result, false))
          wanted.push_back(result);
    // Tensors that are small beside others are stored.
    OpResult largest;
    for (OpResult result : wanted)
      if (!largest || bytesOf(result) > bytesOf(largest))
        largest = result;
    llvm::erase_if(wanted, [&](OpResult result) { return isStored(result, largest); });
    for (OpResult result : wanted)
      add(result, slice);
  }

  bool isAny() const { return !wanted.empty(); }
  bool isCheaper(const MemoryCosts &memory) const { return operations() <= memory.toMove(bytesMoved()); }
  int64_t bytesMoved() const {
    int64_t bytes = 0;
    for (OpResult result : wanted)
      bytes += MemoryCosts::movesToKeep * bytesOf(result);
    return bytes;
  }
  /// Operations that rematerializing takes.
  int64_t operations() const {
    int64_t operations = 0;
    for (GenericOp op : slice)
      operations += workOf(op);
    return operations;
  }
  /// The operation that remarks are about.
  Operation *first() const { return wanted.front().getOwner(); }
  /// Copies the producers of each result in front of the first of its readers outside. Later copies read the
  /// results of earlier ones.
  void make() {
    llvm::sort(wanted, [&](OpResult a, OpResult b) { return isBefore(a, b); });
    llvm::sort(slice, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    mlir::IRMapping mapping;
    for (OpResult result : wanted) {
      SmallVector<GenericOp> needed;
      add(result, needed);
      mlir::OpBuilder b(readerOf(result));
      for (GenericOp op : slice)
        if (llvm::is_contained(needed, op) && !mapping.contains(op->getResult(0)))
          b.clone(*op, mapping);
    }
    for (OpResult result : wanted)
      result.replaceUsesWithIf(mapping.lookup(result),
                               [&](OpOperand &use) { return !members.contains(use.getOwner()); });
  }

private:
  bool isReadBy(OpResult result, bool byMembers) const {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return mlir::isa<GenericOp>(user) && members.contains(user) == byMembers;
    });
  }
  /// The first operation outside that reads a result.
  Operation *readerOf(OpResult result) const {
    Operation *first = nullptr;
    for (Operation *user : result.getUsers())
      if (!members.contains(user) && (!first || user->isBeforeInBlock(first)))
        first = user;
    return first;
  }
  /// Sorts results by their readers, and by their producers where they have the same reader.
  bool isBefore(OpResult a, OpResult b) const {
    Operation *readers[] = {readerOf(a), readerOf(b)}, *makers[] = {a.getOwner(), b.getOwner()};
    if (readers[0] != readers[1])
      return readers[0]->isBeforeInBlock(readers[1]);
    return makers[0] != makers[1] ? makers[0]->isBeforeInBlock(makers[1])
                                  : a.getResultNumber() < b.getResultNumber();
  }
  /// Whether a tensor is small beside another one; of attentions, all that has no element for each score is.
  bool isStored(Value tensor, Value beside) const {
    return attention ? !attention->isOfElements(tensor.getDefiningOp())
                     : isSmallBeside(bytesOf(tensor), bytesOf(beside));
  }
  void add(OpResult result, SmallVector<GenericOp> &slice) {
    auto op = mlir::cast<GenericOp>(result.getOwner());
    if (llvm::is_contained(slice, op))
      return;
    slice.push_back(op);
    for (Value input : op.getInputs())
      if (members.contains(input.getDefiningOp()) && !isStored(input, result))
        add(mlir::cast<OpResult>(input), slice);
  }

  llvm::SmallPtrSet<Operation *, 16> members;
  const analysis::Attention *attention = nullptr; ///< that the chain is
  SmallVector<OpResult> wanted;
  SmallVector<GenericOp> slice;
};
} // namespace

/// Rematerializes tensors that the steps of a kernel hand to each other, and that later kernels read as well,
/// where computing them again costs less than storing them: copies their producers in front of the later
/// readers. Returns whether it changed anything.
static bool recomputeHanded(const Grouping &grouping, const FusionCosts &costs, TiledMatrices &matrices) {
  bool changed = false;
  for (const std::unique_ptr<Group> &group : grouping.groups()) {
    if (group->steps.empty() || group->isTransient)
      continue;
    Remade remade(*group, costs, matrices);
    if (!remade.isAny())
      continue;
    using mlir::remark::metric;
    if (!costs.attentions && !remade.isCheaper(costs.memory)) {
      remarks::missed(remade.first(), remarks::fuse, "kept")
          << "kept for later kernels: to make it again takes " << metric("operations", remade.operations())
          << " operations, and keeping it moves " << metric("bytes", remade.bytesMoved())
          << " bytes, for each of which a core has time for "
          << metric("per_byte", costs.memory.operationsPerByte);
      continue;
    }
    remarks::done(remade.first(), remarks::fuse, "made-again")
        << "made again by the later kernels that read it, by " << metric("operations", remade.operations())
        << " operations: " << metric("bytes", remade.bytesMoved()) << " bytes less are moved";
    remade.make();
    changed = true;
  }
  return changed;
}

namespace {
struct RecomputeHandedPass : public impl::RecomputeHandedBase<RecomputeHandedPass> {
  using RecomputeHandedBase::RecomputeHandedBase;

  void runOnOperation() override {
    FusionCosts costs{minShared, anyOrder, {nearBytes, operationsPerByte}, attentions};
    bool changed = false;
    forEachFunction(getOperation(), [&](train::FunctionOp function, mlir::Block &block) {
      auto &matrices = getChildAnalysis<TiledMatrices>(function);
      if (!recomputeHanded(getChildAnalysis<FunctionGrouping>(function).by(costs), costs, matrices))
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
