//===- SplitReductions.h - long reductions with few results ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_SPLITREDUCTIONS_H
#define DLC_COMPILER_FUSE_SPLITREDUCTIONS_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Reductions of many elements to few become two each: partial results, and what combines these in order.
void splitLongReductions(mlir::Block &block);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_SPLITREDUCTIONS_H
