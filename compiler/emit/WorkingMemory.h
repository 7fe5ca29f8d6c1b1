//===- WorkingMemory.h - what lies in the working memory, and when ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_WORKINGMEMORY_H
#define DLC_COMPILER_EMIT_WORKINGMEMORY_H

#include "dialects/train/Train.h"

namespace dlc::emit {

/// A value in the working memory, or the scratch of one launch. Launches are 0, 1 ... in a function; -1 is
/// its beginning, their number its end.
struct Resident {
  mlir::MemRefType type; ///< of the whole; null: scratch, or a value that only parts of are read and written
  int64_t offset = 0;    ///< where it begins in the arena, in bytes
  int64_t bytes = 0;     ///< every named dim at its bound
  int64_t first = 0, last = 0; ///< the launches that make it and that use it last
};

struct WorkingMemory {
  llvm::SmallVector<Resident> residents; ///< in the order in which they are made
  int64_t fullest = 0;                   ///< the first launch during which the sum of bytes is largest
  llvm::SmallVector<size_t> whenFullest; ///< of the residents those that are there then, the largest first
};

/// Reads the places that the stage `plan` gave to a function's values.
WorkingMemory workingMemoryOf(train::FunctionOp function);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_WORKINGMEMORY_H
