//===- PipelinedRows.h - epilogues inside the next tile's reduction --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer's update after a weight gradient moves three numbers for each number that was summed. If it
// ran after the reduction, it would wait for memory while the multipliers are idle. Therefore the sums of a
// tile are kept in a small buffer, and the update of one vector of them is interleaved with every few steps
// of the next tile's reduction.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PIPELINEDROWS_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PIPELINEDROWS_H

#include "compiler/codegen/cpu/contraction/RegisterTile.h"

namespace dlc::codegen {

/// Emits the whole tiles of a range of rows, at least one; `tileAt` gives the tile whose first row is the
/// argument. The root has one reduction loop of a static length that is at least `pipeline` steps for each
/// vector of a tile.
void emitPipelinedRows(KernelFunction &kernel, TileCode &code, Range range,
                       llvm::function_ref<RegisterTile(Index)> tileAt);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PIPELINEDROWS_H
