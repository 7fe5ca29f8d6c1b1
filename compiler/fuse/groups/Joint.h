//===- Joint.h - groups that may run as steps of one kernel ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GROUPS_JOINT_H
#define DLC_COMPILER_FUSE_GROUPS_JOINT_H

#include "compiler/fuse/groups/Groups.h"

namespace dlc::fuse {

/// Bytes of a result that are computed in one iteration of the `outer` loops of its operation.
int64_t bytesInside(OpResult result, ArrayRef<unsigned> outer);

/// Two groups, or chains of groups, that may become one chain: the kernel steps of both, the loops that all
/// of them share, and the memory that is live meanwhile. For example, scores[h, i, j] (a product) and the row
/// sums [h, i] of their exponentials share h: one kernel computes both for one head h after the other, and
/// the scores of one head are live at a time. The loops i and j make up the product's tiles and stay
/// together. If the scores of a head do not fit the cache, tile() shares i as well, in blocks of rows.
class Joint {
public:
  /// `block`: how many iterations of a tiled loop run together.
  Joint(Group &producer, Group &consumer, int64_t block);

  /// The kernel steps, each after those whose results it reads.
  SmallVector<const Group *> steps;

  /// The loops of a step that all steps share, in the same order for all.
  ArrayRef<unsigned> sharedLoops(const Group *step) const { return loopsOf.find(step)->second; }
  bool isAny() const { return !loopsOf.empty(); }
  /// Shares one more loop, which runs in blocks. Returns whether there is such a loop.
  bool tile();
  /// Bytes that products read again for each block, because the tiled loop does not move them.
  int64_t readAgainBytes() const;
  /// Multiply-adds of the products in one block.
  int64_t operations() const;
  int64_t iterations() const;
  /// Bytes of all tensors that one group hands to the other.
  int64_t handedBytes(const Group &producer, const Group &consumer) const;
  /// The most bytes of handed tensors that are live at a time in one iteration. A step overwrites the tensors
  /// that it is the last to read, unless it is a product.
  int64_t liveBytes() const;

private:
  /// One loop of each step.
  using Loops = llvm::DenseMap<const Group *, unsigned>;

  void order(SmallVector<const Group *> waiting);
  const Group *makerOf(Value value) const { return stepOf.lookup(value.getDefiningOp()); }
  size_t placeOf(OpResult result) const { return llvm::find(steps, makerOf(result)) - steps.begin(); }
  /// Shares loop `first` of the first step, if each other step has one loop that corresponds to it, so that
  /// at each point a step reads only what the others compute at the same point; `isLegal` must accept the
  /// loop of each step.
  bool share(unsigned first, bool (*isLegal)(const Group &, unsigned));
  /// The loops of all steps that correspond to a loop of the first one; nullopt where a step would need two.
  std::optional<Loops> loopsAlong(unsigned first) const;
  bool goesAlong(OpOperand *read, const Loops &loops) const;

  SmallVector<OpOperand *> reads; ///< operands of a step that another step computes
  llvm::DenseMap<const Group *, SmallVector<unsigned>> loopsOf;
  llvm::DenseMap<Operation *, const Group *> stepOf;
  llvm::SetVector<OpResult> handed;
  int64_t block;
  bool isTiled = false;
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GROUPS_JOINT_H
