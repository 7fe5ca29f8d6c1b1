//===- Decisions.h - what the compiler decided, for those who read of it ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No stage acts on it: it goes to the manifest, which dlc report draws.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_DECISIONS_H
#define DLC_COMPILER_SUPPORT_DECISIONS_H

#include "mlir/IR/Location.h"
#include <string>

namespace dlc {

/// A tensor that one kernel hands to another through memory, because they are not one.
struct Apart {
  std::string from, to; ///< what makes and what reads it, as nodeName says it
  int64_t bytes = 0;
  std::string why; ///< a sentence without capital and full stop
};

/// What was decided of a kernel when it was formed.
struct Decided {
  llvm::SmallVector<Apart> apart; ///< the tensors that it reads of others
  std::string contents;           ///< what has become one kernel; known where remarks are wanted
  int64_t moved = 0;              ///< the bytes that it copies, if it computes nothing; likewise
};

/// The location of a nest or of a launch, by which what was decided of its kernel is known: locations are not
/// printed, and equal programs with other reasons stay equal.
mlir::Location withDecided(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Location> parts,
                           const Decided &decided);
/// What withDecided was given.
Decided decidedOf(mlir::Location location);
/// The one part that withDecided was given.
mlir::Location withoutDecided(mlir::Location location);

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_DECISIONS_H
