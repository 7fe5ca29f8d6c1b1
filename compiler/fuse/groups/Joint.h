//===- Joint.h - groups that may run as steps of one kernel ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GROUPS_JOINT_H
#define DLC_COMPILER_FUSE_GROUPS_JOINT_H

#include "compiler/fuse/groups/Groups.h"

namespace dlc::fuse {

/// Bytes of a result that are made in one iteration of some loops of its operation.
int64_t bytesInside(OpResult result, ArrayRef<unsigned> outer);

/// Two groups, or chains of groups, that may become one chain: the steps of both, the loops that all steps go
/// through together, and what is in memory meanwhile.
class Joint {
public:
  /// `block`: iterations of a tiled loop that run together.
  Joint(Group &producer, Group &consumer, int64_t block);

  /// Steps, each after those whose results it reads.
  SmallVector<const Group *> steps;

  /// The loops of a step that all steps share, in the same order in all.
  ArrayRef<unsigned> sharedLoops(const Group *step) const { return loopsOf.find(step)->second; }
  bool isAny() const { return !loopsOf.empty(); }
  /// Shares one loop more, which runs in blocks: whether there is one.
  bool tile();
  /// What products read again for each block, because the tiled loop does not move it.
  int64_t readAgainBytes() const;
  /// Of products, in one block.
  int64_t operations() const;
  int64_t iterations() const;
  /// Of all that one group hands to the other.
  int64_t handedBytes(const Group &producer, const Group &consumer) const;
  /// The most that is handed on at a time in one iteration; a step overwrites what it reads last, unless it
  /// is a product.
  int64_t liveBytes() const;

private:
  /// A loop of each step, by step.
  using Loops = llvm::DenseMap<const Group *, unsigned>;

  void order(SmallVector<const Group *> waiting);
  const Group *makerOf(Value value) const { return stepOf.lookup(value.getDefiningOp()); }
  size_t placeOf(OpResult result) const { return llvm::find(steps, makerOf(result)) - steps.begin(); }
  /// Shares a loop of the first step, if one loop of each other step goes along with it: at each point, a
  /// step reads of others what they make at the same point, and `isLegal` says so of each step.
  bool share(unsigned first, bool (*isLegal)(const Group &, unsigned));
  /// The loops that go along with one of the first step; nullopt where a step would need two.
  std::optional<Loops> loopsAlong(unsigned first) const;
  bool goesAlong(OpOperand *read, const Loops &loops) const;

  SmallVector<OpOperand *> reads; ///< of one step what another makes
  llvm::DenseMap<const Group *, SmallVector<unsigned>> loopsOf;
  llvm::DenseMap<Operation *, const Group *> stepOf;
  llvm::SetVector<OpResult> handed;
  int64_t block;
  bool isTiled = false;
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GROUPS_JOINT_H
