//===- VectorLoops.h - loops cut into chunks and vectors -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the loops of a CPU's kernel do besides counting: they go through the chunks of a call, and they are
// cut into whole vectors and a masked rest.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_VECTORLOOPS_H
#define DLC_COMPILER_CODEGEN_CPU_VECTORLOOPS_H

#include "compiler/codegen/kernel/KernelFunction.h"
#include "compiler/codegen/kernel/Loops.h"
#include "compiler/machine/cpu/Schedule.h"

namespace dlc::codegen {

/// The schedule of a kernel for CPUs.
cpu::ScheduleAttr scheduleOf(KernelFunction &kernel);

/// Chunks that are computed together: `number` of them from number `first` on.
struct Chunks {
  llvm::SmallVector<Range> ranges; ///< their part of each loop
  Index first, number;
};

/// The chunks of this call. Neighbours are computed together, so that what they share is copied and read
/// once: a call is a few boxes of chunks, and often a single one. Loops have `extents`; those that are not
/// split are whole, but for the one that runs in blocks.
void forChunks(KernelFunction &kernel, llvm::ArrayRef<Index> extents,
               llvm::function_ref<void(const Chunks &)> body);

/// Emits the positions of [low, high) in groups of up to `group` vectors: `body` gets the first position, the
/// number of vectors and the mask of the last (null: whole). `extent` is where the loop ends over all chunks;
/// `low` is a multiple of group * lanes.
void forVectors(Builder &b, Index low, Index high, Index extent, int64_t lanes, int64_t group,
                llvm::function_ref<void(Index, int64_t, mlir::Value)> body);

/// A mask of the first `count` of `lanes` lanes.
mlir::Value firstLanes(Builder &b, int64_t lanes, Index count);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_VECTORLOOPS_H
