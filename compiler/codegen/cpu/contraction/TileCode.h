//===- TileCode.h - what is emitted for a register tile --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TileCode emits the reduction of a tile, which may be cut into blocks; what a step of it is, a core does
// (TileCore.h), what is asked for meanwhile, a Prefetcher, and what follows, an Epilogue. Contraction.cpp
// says which tiles there are and when.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECODE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECODE_H

#include "compiler/codegen/cpu/contraction/Epilogue.h"
#include "compiler/codegen/cpu/contraction/Prefetcher.h"

namespace dlc::codegen {

/// Emits one register tile of a contraction: `rows` x `vectors` sums that stay in registers while the
/// reduction runs, and then the epilogue. An example: C[i, j] += A[i, k] * B[k, j] with lane j, row i, rows =
/// 4, vectors = 2 and 16 lanes. For the tile at (i, j), the emitted loop over k is
///     b0 = B[k, j .. j+15], b1 = B[k, j+16 .. j+31]
///     for r in 0 .. 3: a = broadcast A[i + r, k]; c[r][0] += a * b0; c[r][1] += a * b1
/// Eight sums are in flight, enough to hide the latency of a multiply-add, and each of the six loads serves
/// several of the eight multiply-adds. Where operands are packed, B's rows of 32 and A's columns of 4 are
/// contiguous (TileOperands). Where the reduction runs in blocks of k, the sums of all but the last block go
/// to memory (PartialSums), and the next block starts from them.
class TileCode {
public:
  explicit TileCode(KernelFunction &kernel);

  /// The tile whose first point is at `firstRow` and `firstLane`. `mask` masks the last vector of each row.
  RegisterTile tileAt(const Point &point, Index firstRow, int64_t rows, Index firstLane, int64_t vectors,
                      mlir::Value mask, bool rowsAligned);
  TileCore &tileCore() { return *core; }
  /// Emits `body` so that it runs in the last block of the reduction only.
  void whereLast(llvm::function_ref<void()> body);
  /// The initial sums: in the first block of the reduction the contraction's init, else the sums so far.
  Values initialize(const RegisterTile &tile);
  /// Adds the products of one block of the reduction to the sums.
  Values reduce(const RegisterTile &tile, Values accumulators) {
    return reduce(tile, loops.reductions(), accumulators);
  }
  /// Emits what follows a block: the epilogue after the last one; after the others the sums are stored.
  void finish(const RegisterTile &tile, const Values &accumulators);
  /// Emits the rest of a reduction over a single loop, from step `first` on.
  Values reduceFrom(const RegisterTile &tile, int64_t first, Values accumulators);
  /// Emits `count` steps of a reduction over a single loop, with what they prefetch.
  Values steps(const RegisterTile &tile, Index first, int64_t count, Values accumulators);
  /// Stores the sums where they wait for a pipelined epilogue.
  void keep(const RegisterTile &tile, const Values &sums, WaitingSums &waiting) {
    core->keep(tile, sums, waiting);
  }

  TileOperands operands;
  std::optional<PartialSums> partial;
  llvm::SmallVector<Range> block; ///< for each loop, the range that tiles sum over
  mlir::Value isFirst,
      isLast; ///< whether the block of the reduction is the first, the last; null where there is one

  const TileLoops loops;
  Prefetcher prefetcher;
  Epilogue epilogue;

private:
  Values start(const RegisterTile &tile);
  Values reduce(const RegisterTile &tile, llvm::ArrayRef<int64_t> order, Values accumulators);
  /// Emits a reduction in several accumulators, which take the steps in turn and are added at the end.
  Values reduceInTurns(const RegisterTile &tile, const Range &range, Values accumulators);
  /// Emits the steps from `first` on, which prefetch the rows of the next tile, one cache line after the
  /// other.
  Values reduceAndFetch(const RegisterTile &tile, int64_t first, Values accumulators);
  /// Emits one step of a reduction over a single loop.
  Values step(RegisterTile tile, Index step, Values accumulators);

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  std::unique_ptr<TileCore> core;
  int64_t lane, row;
};

/// Emits the whole tiles of a range of rows, at least one, with each epilogue inside the reduction of the
/// next tile; `tileAt` gives the tile whose first row is the argument. The root has one reduction loop of a
/// static length that is at least `pipeline` steps for each vector of a tile.
void emitPipelinedRows(KernelFunction &kernel, TileCode &code, Range range,
                       llvm::function_ref<RegisterTile(Index)> tileAt);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECODE_H
