//===- Fullest.h - what lies in the working memory when most does ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_FULLEST_H
#define DLC_COMPILER_EMIT_FULLEST_H

#include "dialects/train/Train.h"

namespace dlc::emit {

/// A value in the working memory, or the scratch of one launch. Launches are 0, 1 ... in a function; -1 is
/// its beginning, their number its end.
struct Resident {
  mlir::MemRefType type; ///< of the whole; null: scratch, or a value that only parts of are read and written
  int64_t bytes = 0;     ///< every named dim at its bound
  int64_t first = 0, last = 0; ///< the launches that make it and that use it last
};

struct Fullest {
  int64_t launch = 0;                    ///< the first one during which the sum of bytes is largest
  llvm::SmallVector<Resident> residents; ///< the largest first, and of equal ones those that are made first
};

/// Reads the places that the stage `plan` gave to a function's values.
Fullest fullestOf(train::FunctionOp function);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_FULLEST_H
