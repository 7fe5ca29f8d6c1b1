//===- Costs.h - what it takes to compute and to keep a tensor -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_COSTS_H
#define DLC_COMPILER_FUSE_COSTS_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// The iterations of all loops together.
int64_t iterationsOf(GenericOp op);
/// The simple operations of one iteration; the multiplication and the addition of a product count as one
/// each.
int64_t operationsOf(GenericOp op);
/// Bytes of a tensor, with a typical size for each dynamic dim.
int64_t bytesOf(Value tensor);

/// How often memory moves the bytes of a tensor, for all who compare that with computing it again. Where it is
/// stored, each line is read and written; where it is kept for a later reader, it is read once more.
constexpr int64_t movesToStore = 2, movesToKeep = 3;

/// A tensor that is this many times smaller than another one costs nothing beside it.
constexpr int64_t timesSmaller = 8;

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_COSTS_H
