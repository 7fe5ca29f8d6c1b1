//===- SplitReductions.h - long reductions with few results ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_SPLITREDUCTIONS_H
#define DLC_COMPILER_FUSE_SPLITREDUCTIONS_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Splits each reduction of many elements to few into two: one that computes partial results, and one that
/// combines these in order. `areThreads`: the target works on thousands of elements at once.
void splitLongReductions(mlir::Block &block, bool areThreads);

/// Splits products (split-k) whose results make fewer tiles than the target computes at once, `tilesAtOnce`,
/// where that pays (ShareProducts.cpp). Producers and consumers of transient matrices stay whole.
void shareProducts(mlir::Block &block, int64_t tilesAtOnce);

/// Whether an operation has partial results that can be combined; whether each can be of a part of the loop.
bool canSplit(GenericOp op);
bool canSplitAlong(GenericOp op, int64_t loop);
/// Makes two operations of one, the first of which has results of so many equal parts of a reduction loop.
void splitAlong(GenericOp op, int64_t loop, int64_t parts);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_SPLITREDUCTIONS_H
