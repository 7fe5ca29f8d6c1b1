//===- SplitReductions.h - reductions become partial results, and their sum ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_SPLITREDUCTIONS_H
#define DLC_COMPILER_FUSE_SPLITREDUCTIONS_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Whether an operation has partial results that can be combined; whether each can be of a part of the loop.
bool canSplit(GenericOp op);
bool canSplitAlong(GenericOp op, int64_t loop);
/// Makes two operations of one, the first of which has results of so many equal parts of a reduction loop.
void splitAlong(GenericOp op, int64_t loop, int64_t parts);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_SPLITREDUCTIONS_H
