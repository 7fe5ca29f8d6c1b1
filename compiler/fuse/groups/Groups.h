//===- Groups.h - which generics run as one kernel -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GROUPS_GROUPS_H
#define DLC_COMPILER_FUSE_GROUPS_GROUPS_H

#include "compiler/fuse/Generics.h"
#include "compiler/fuse/groups/Precedence.h"
#include "compiler/fuse/groups/Refusal.h"
#include "compiler/support/Decisions.h"
#include <memory>

namespace dlc::fuse {

/// Generics that become one kernel. In iteration i of their first `shared` loops, a generic reads of another
/// one only what that one has computed in its iteration i.
struct Group {
  SmallVector<GenericOp> ops; ///< in program order
  unsigned node = 0;          ///< in the function's Precedence
  unsigned shared = 0;
  size_t operations = 0;      ///< in the bodies of `ops`
  bool isContraction = false; ///< or a depthwise convolution
  bool isScatter = false;     ///< goes to computed positions of its result: a kernel of its own
  bool isScalars = false;     ///< what a step computes from hyperparameters only
  bool isTransient = false;   ///< its steps make matrices of which only tiles exist (Transients.cpp)
  /// Groups that run one after the other inside the shared loops; empty where it is one.
  std::vector<Group> steps;
  SmallVector<unsigned> outer; ///< of a step: which of its loops these are
  ArrayRef<Group> stepsOrSelf() const {
    return steps.empty() ? ArrayRef<Group>(*this) : ArrayRef<Group>(steps);
  }

  SmallVector<int64_t> sharedSizes() {
    return llvm::to_vector(ArrayRef(loopSizes(ops.front())).take_front(shared));
  }
};

class Joint;

/// What is worth a common kernel.
struct FusionCosts {
  int64_t minShared = 8;          ///< fewer common iterations are not worth giving up more of them
  bool anyOrder = false;          ///< neighbouring iterations need not read neighbours in memory
  int64_t nearBytes = 1 << 20;    ///< of the cache in which a core keeps what it works on
  int64_t operationsPerByte = 16; ///< that a core computes while memory moves a byte
  int64_t block = 32;             ///< at least so many iterations of a loop run together where it is tiled
  bool attentions = false;        ///< steps of one kernel are those of an attention, or of transient matrices
  size_t maxOperations = 512;     ///< a longer kernel gains nothing and takes long to compile
};

class Grouping {
public:
  Grouping(mlir::Block &block, FusionCosts costs);

  /// The groups, in the order of their first operations.
  ArrayRef<std::unique_ptr<Group>> groups() const { return all; }

  /// What the group reads of others through memory, where it was asked whether they could be one kernel.
  SmallVector<Apart> apartOf(const Group &group) const;

private:
  void formScalars();
  /// Why they stay apart; nullopt where they do not, or where nothing is to be said of it.
  std::optional<Refusal> tryMerge(Group &producer, Group &consumer);
  void take(Group &producer, Group &consumer);
  void formChains(mlir::Block &block);
  /// The same of steps; nullopt also where they have no common loops, or hand on little.
  std::optional<Refusal> tryChain(Group &producer, Group &consumer);
  void note(Value tensor, Operation *reader, std::optional<Refusal> refusal);
  void formAttentions(mlir::Block &block);
  void formTransients(mlir::Block &block);
  /// Adds operations to the step of a group of transient matrices whose results they follow.
  void tryFollow(Group &producer, Group &consumer);
  /// Makes the producer all steps of both.
  void chain(const Joint &joint, Group &producer, Group &consumer);
  /// How many leading loops the groups could share; nullopt if they cannot be one kernel.
  std::optional<unsigned> sharedIfMerged(Group &producer, Group &consumer);
  std::optional<Refusal> refusalOf(Group &producer, Group &consumer, unsigned shared) const;
  Group *groupOf(Operation *op) const { return byOp.lookup(op); }

  FusionCosts costs;
  Precedence precedence; ///< of the block's operations; kernels run as a whole
  SmallVector<std::unique_ptr<Group>> all;
  llvm::DenseMap<Operation *, Group *> byOp;
  llvm::DenseMap<std::pair<Value, Operation *>, Refusal> refusals; ///< by a tensor and one that reads it
};

/// What a kernel makes for itself and for later kernels, and what these compute again in less time than it
/// takes to store it: copies for them are made in the block, each in front of its reader, which is then to
/// compute it itself. Whether there are any.
bool computeTwice(const Grouping &grouping, const FusionCosts &costs);

/// Where steps of a kernel make what later kernels read, and to make it again costs less than to keep it,
/// copies for these are made in the block, which is then to be grouped anew. Whether there are any.
bool recomputeHanded(const Grouping &grouping, const FusionCosts &costs);

/// Gives each kernel that takes up elements of transient matrices (dialects/train/Transient.h) operations of
/// its own that make them. Whether there are any more of these now.
bool makeTransientsApart(mlir::Block &block);

/// Matrices larger than `nearBytes` that the groups hand to products of which each reads some columns at a
/// time are written in panels of `width` columns.
void putInPanels(const Grouping &grouping, int64_t width, int64_t nearBytes);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GROUPS_GROUPS_H
