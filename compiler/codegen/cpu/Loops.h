//===- Loops.h - loop nests over points ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers that all emitters build their nests from: counted loops, loops with accumulators, and
// the cutting of a loop into whole vectors and a masked rest.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_LOOPS_H
#define DLC_COMPILER_CODEGEN_CPU_LOOPS_H

#include "compiler/codegen/cpu/Access.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dlc::codegen {

using Values = llvm::SmallVector<mlir::Value, 8>;

/// Iterations [low, high) of a loop.
struct Range {
  Index low, high;
};

/// for (i = low; i < high; i += step) body(i). A loop of one known iteration is not made a loop.
void forLoop(Builder &b, Index low, Index high, int64_t step, llvm::function_ref<void(Index)> body);
/// The same with values carried from one iteration to the next; returns the last ones.
Values forLoop(Builder &b, Index low, Index high, int64_t step, Values carried,
               llvm::function_ref<Values(Index, Values)> body);
/// The same, and LLVM leaves the loop as it is (where it runs more than once).
Values forRolled(Builder &b, Index low, Index high, int64_t step, Values carried,
                 llvm::function_ref<Values(Index, Values)> body);
/// if (a < b) body().
void ifLess(Builder &b, Index x, Index y, llvm::function_ref<void()> body);
/// The values of one of both.
Values ifElse(Builder &b, mlir::Value condition, llvm::function_ref<Values()> then,
              llvm::function_ref<Values()> otherwise);

/// The chunks of this call: for chunk in [begin, end) body(low, high) with the chunk's part of
/// [0, extent); the whole range where the kernel has one chunk.
void forChunks(KernelFunction &kernel, Index extent, llvm::function_ref<void(Index, Index)> body);

/// Positions of [low, high) in groups of up to `group` vectors: body gets the first position, the number
/// of vectors and the mask of the last (null: whole). `extent` is where the loop ends over all chunks;
/// `low` is a multiple of group * lanes.
void forVectors(Builder &b, Index low, Index high, Index extent, int64_t lanes, int64_t group,
                llvm::function_ref<void(Index, int64_t, mlir::Value)> body);

/// A mask of the first `count` of `lanes` lanes.
mlir::Value firstLanes(Builder &b, int64_t lanes, Index count);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_LOOPS_H
