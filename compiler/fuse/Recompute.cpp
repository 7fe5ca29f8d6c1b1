//===- Recompute.cpp - what is made again instead of being kept ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one step of a kernel hands to another stays in the cache. If a kernel that runs later reads it as
// well, it has to be written to memory and read again: attention's probabilities, which the forward pass
// makes and the backward pass needs. Where to make it again costs less, the later kernel does, from what is
// in memory anyway and from results that are small beside it, such as the maximum and the sum of each row.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Groups.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

static int64_t iterationsOf(GenericOp op) {
  int64_t count = 1;
  for (int64_t size : loopSizes(op))
    count *= size;
  return count;
}

static int64_t bytesOf(Value tensor) {
  GenericOp maker = tensor.getDefiningOp<GenericOp>();
  int64_t elements = 1;
  SmallVector<int64_t> sizes = loopSizes(maker);
  for (unsigned loop = 0; loop < maker.getNumParallelLoops(); ++loop)
    elements *= sizes[loop];
  return elements * elementBytes(tensor);
}

// Of one iteration, in simple operations; a product's two are one each.
static int64_t operationsOf(GenericOp op) {
  constexpr int64_t function = 48, random = 96; // as measured: an exponential, and 16 random bits
  int64_t count = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    count += mlir::isa<mlir::math::MathDialect>(inner.getDialect()) ? function
             : mlir::isa<train::RandomBitsOp>(inner)                ? random
                                                                    : 1;
  return count;
}

namespace {
/// What a chain makes that later kernels read, and what it would take to make it again.
class Remade {
public:
  Remade(const Group &chain, const FusionCosts &costs) : members(chain.ops.begin(), chain.ops.end()) {
    for (GenericOp op : chain.ops)
      for (OpResult result : op->getResults())
        if (bytesOf(result) >= costs.nearBytes && isReadBy(result, true) && isReadBy(result, false))
          wanted.push_back(result);
    for (OpResult result : wanted)
      add(result);
  }

  bool isAny() const { return !wanted.empty(); }
  /// Storing an element moves it three times: the line is read, written, and read again later.
  bool isCheaper(const FusionCosts &costs) const {
    constexpr int64_t transfers = 3;
    int64_t bytes = 0, operations = 0;
    for (OpResult result : wanted)
      bytes += transfers * bytesOf(result);
    for (GenericOp op : slice)
      operations += iterationsOf(op) * operationsOf(op);
    return operations <= bytes * costs.operationsPerByte;
  }
  /// Makes copies for the readers outside, in front of the first of them.
  void make() {
    Operation *first = nullptr;
    for (OpResult result : wanted)
      for (Operation *user : result.getUsers())
        if (!members.contains(user) && (!first || user->isBeforeInBlock(first)))
          first = user;
    llvm::sort(slice, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    mlir::OpBuilder b(first);
    mlir::IRMapping mapping;
    for (GenericOp op : slice)
      b.clone(*op, mapping);
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
  void add(OpResult result) {
    auto op = mlir::cast<GenericOp>(result.getOwner());
    if (llvm::is_contained(slice, op))
      return;
    slice.push_back(op);
    constexpr int64_t small = 8; // times smaller: it is stored
    for (Value input : op.getInputs())
      if (members.contains(input.getDefiningOp()) && bytesOf(input) * small > bytesOf(result))
        add(mlir::cast<OpResult>(input));
  }

  llvm::SmallPtrSet<Operation *, 16> members;
  SmallVector<OpResult> wanted;
  SmallVector<GenericOp> slice;
};
} // namespace

bool recomputeHanded(const Grouping &grouping, const FusionCosts &costs) {
  bool changed = false;
  for (const std::unique_ptr<Group> &group : grouping.groups()) {
    if (group->steps.empty())
      continue;
    Remade remade(*group, costs);
    if (!remade.isAny() || !remade.isCheaper(costs))
      continue;
    remade.make();
    changed = true;
  }
  return changed;
}

} // namespace dlc::fuse
