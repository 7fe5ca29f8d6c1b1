//===- Members.h - the loop nests that become one kernel --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which nests become one kernel stands in the program between the passes dlc-group-loop-nests and
// dlc-merge-loop-nests: in the attribute `train.member` of each nest (FactAttrs.td). What is read of it
// together is here.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_MEMBERS_H
#define DLC_COMPILER_FUSE_MEMBERS_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Null where a nest is in no group.
train::MemberAttr memberOf(GenericOp op);
void setMember(GenericOp op, train::MemberAttr member);
void dropMember(GenericOp op);

/// The nests of a kernel.
struct Members {
  SmallVector<GenericOp> ops;                ///< in program order
  SmallVector<SmallVector<GenericOp>> steps; ///< the same, step by step

  bool isOfSteps() const { return steps.size() > 1; }
  /// How many loops all nests share.
  int64_t shared() const { return memberOf(steps.front().front()).getShared().size(); }
};

/// The groups in a block, by the numbers of their kernels. Failure, with an error, where a nest is in none,
/// or where those of a kernel share different numbers of loops.
mlir::FailureOr<SmallVector<Members>> membersIn(mlir::Block &block);

/// The place of an operation in the program's order (`train.position`); 0 for what was made since.
int64_t positionOf(Operation *op);
void setPosition(Operation *op, int64_t position);
void dropPosition(Operation *op);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_MEMBERS_H
