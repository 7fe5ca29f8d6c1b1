//===- ComputeTwice.cpp - what several kernels compute ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel may need a value for itself that a later kernel needs as well: of the exponentials of a softmax,
// cross entropy takes the sum, and its gradient is made of them. For the later kernel alone they would be
// stored: a second tensor as large as the scores of all classes. Where both kernels wait for memory, and the
// later one can read what the value is made of, it computes the value again instead: a function of a number
// costs less than to store the result. Its own result then lies where the scores lay.
//
// Behind a product this would cost time: its stores are done while it multiplies.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/groups/Groups.h"
#include "compiler/support/Remarks.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_COMPUTETWICE
#include "compiler/fuse/Passes.h.inc"

namespace {
/// A result of a generic in a group, and how other groups could compute it.
class Again {
public:
  Again(OpResult result, const Group &group, const FusionCosts &costs)
      : result(result), group(group), costs(costs) {}

  bool isWorthIt() {
    if (!costs.memory.isFar(bytesOf(result)) || !findReaders() || !addSlice(result))
      return false;
    int64_t operations = 0;
    for (GenericOp op : slice)
      operations += operationsOf(op);
    // Reading the result costs as much as reading its source.
    return operations * int64_t(readers.size()) <=
               costs.memory.toStore(bytesOf(result) / iterationsOf(owner())) &&
           !keepsMore();
  }

  /// Gives each reader its own copy of the producers.
  void make() {
    remarks::done(owner(), remarks::fuse, "computed-twice")
        << "computed once more in front of each of " << mlir::remark::metric("readers", readers.size())
        << " later readers: that takes less time than to store "
        << mlir::remark::metric("bytes", bytesOf(result)) << " bytes";
    llvm::sort(slice, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    for (OpOperand *reader : readers) {
      mlir::OpBuilder b(reader->getOwner());
      mlir::IRMapping mapping;
      for (GenericOp op : slice)
        b.clone(*op, mapping);
      reader->set(mapping.lookup(mlir::cast<Value>(result)));
    }
  }

private:
  GenericOp owner() const { return mlir::cast<GenericOp>(result.getOwner()); }
  bool isMember(Operation *op) const { return llvm::is_contained(group.ops, op); }

  /// Finds the readers of the result outside of the group. False where there is none, where a reader could
  /// not compute the elements that it reads, or would compute them more than once, and where no generic of
  /// the group reads the result: it then stays where it is computed once.
  bool findReaders() {
    bool isReadInside = false;
    for (OpOperand &use : result.getUses()) {
      auto user = mlir::dyn_cast<GenericOp>(use.getOwner());
      if (user && isMember(user)) {
        isReadInside = true;
        continue;
      }
      if (!user || !user.isDpsInput(&use) || isProduct(user) || !canInline(use) ||
          !user.getMatchingIndexingMap(&use).isPermutation())
        return false;
      readers.push_back(&use);
    }
    return isReadInside && !readers.empty();
  }

  bool isStored(Value value) const {
    Operation *maker = value.getDefiningOp();
    return !isMember(maker) || isSmallBeside(bytesOf(value), bytesOf(result)) ||
           llvm::any_of(value.getUsers(), [&](Operation *user) { return !isMember(user); });
  }

  /// Adds the producers of `value`, back to what is in memory. False where these are too many to be computed
  /// twice.
  bool addSlice(Value value) {
    auto op = value.getDefiningOp<GenericOp>();
    if (!op || !isElementwise(op) || op.getNumResults() != 1 || !capturedTensors(op).empty())
      return false;
    if (llvm::is_contained(slice, op))
      return true;
    slice.push_back(op);
    return llvm::all_of(op.getInputs(), [&](Value input) {
      if (!isStored(input))
        return addSlice(input);
      sources.insert(input);
      return true;
    });
  }

  /// Whether rematerializing for the last reader would keep more bytes alive than the result has.
  bool keepsMore() const {
    Operation *last = nullptr;
    for (OpOperand *reader : readers)
      if (!last || last->isBeforeInBlock(reader->getOwner()))
        last = reader->getOwner();
    int64_t bytes = 0;
    for (Value source : sources) {
      bool isKept =
          !source.getDefiningOp<GenericOp>() || // of which nothing is known but that it is there
          llvm::any_of(source.getUsers(), [&](Operation *user) {
            return user == last || (user->getBlock() == last->getBlock() && last->isBeforeInBlock(user));
          });
      if (!isKept)
        bytes += bytesOf(source);
    }
    return bytes > bytesOf(result) + bytesOf(result) / timesSmaller;
  }

  OpResult result;
  const Group &group;
  const FusionCosts &costs;
  SmallVector<OpOperand *> readers;
  SmallVector<GenericOp> slice;
  llvm::SetVector<Value> sources;
};
} // namespace

/// Copies cheap producers in front of later kernels that would otherwise load the stored result. Returns
/// whether it changed anything.
static bool computeTwice(const Grouping &grouping, const FusionCosts &costs) {
  bool changed = false;
  for (const std::unique_ptr<Group> &group : grouping.groups()) {
    if (group->isContraction || !group->steps.empty()) // steps: see RecomputeHanded.cpp
      continue;
    for (GenericOp op : group->ops) {
      if (op.getNumResults() != 1)
        continue;
      Again again(op->getResult(0), *group, costs);
      if (again.isWorthIt()) {
        again.make();
        changed = true;
      }
    }
  }
  return changed;
}

namespace {
struct ComputeTwicePass : public impl::ComputeTwiceBase<ComputeTwicePass> {
  using ComputeTwiceBase::ComputeTwiceBase;

  void runOnOperation() override {
    FusionCosts costs{minShared, anyOrder, {nearBytes, operationsPerByte}, attentions};
    bool changed = false;
    forEachFunction(getOperation(), [&](train::FunctionOp function, mlir::Block &block) {
      if (!computeTwice(getChildAnalysis<FunctionGrouping>(function).by(costs), costs))
        return;
      inlineIntoUsers(block);
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dlc::fuse
