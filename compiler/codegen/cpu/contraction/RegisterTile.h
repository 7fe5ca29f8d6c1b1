//===- RegisterTile.h - one register tile of a contraction -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TileCode emits what happens to a tile before, around and after its reduction, which may be cut into blocks;
// what a step of the reduction is, a core does (TileCore.h). Contraction.cpp says which tiles there are and
// when.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H

#include "compiler/codegen/cpu/contraction/PartialSums.h"
#include "compiler/codegen/cpu/contraction/TileCore.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/target/cpu/EpilogueStages.h"
#include "compiler/target/cpu/RandomMasks.h"

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

  cpu::ContractionAttr form() const { return scheduleOf(kernel).contraction(); }
  /// Loops, rows and vectors of whole tiles.
  cpu::TileAttr shape() const { return form().getTile(); }
  cpu::ReductionAttr reduction() const { return form().getReduction(); }
  llvm::ArrayRef<int64_t> parallelLoops() const { return parallel; }
  llvm::ArrayRef<int64_t> reductionLoops() const { return reductions; }
  const Index &extent(int64_t loop) const { return extents[loop]; }
  bool descends(int64_t loop) const { return reduction().descends(loop); }

  /// The tile whose first point is at `firstRow` and `firstLane`. `mask` masks the last vector of each row.
  RegisterTile tileAt(const Point &point, Index firstRow, int64_t rows, Index firstLane, int64_t vectors,
                      mlir::Value mask, bool rowsAligned);
  TileCore &tileCore() { return *core; }
  /// Emits `body` so that it runs in the last block of the reduction only.
  void whereLast(llvm::function_ref<void()> body);
  /// Prefetches what the epilogue of the tile reads, where the schedule says so.
  void fetchForEpilogue(const RegisterTile &tile);
  /// Prefetches what the epilogue reads at one point of a tile. The last vector of a row may end in a cache
  /// line of its own, which is prefetched, too.
  void fetchForEpilogueAt(const Point &point, bool isLastOfRow);
  /// The initial sums: in the first block of the reduction the contraction's init, else the sums so far.
  Values initialize(const RegisterTile &tile);
  /// Adds the products of one block of the reduction to the sums.
  Values reduce(const RegisterTile &tile, Values accumulators) {
    return reduce(tile, reductions, accumulators);
  }
  /// Emits what follows a block: the epilogue after the last one; after the others the sums are stored.
  void finish(const RegisterTile &tile, const Values &accumulators);
  /// The steps of a range of a reduction loop, each of which is one iteration, or a pair of them (or as many
  /// as a matrix unit adds at once); and the position at which a step begins.
  Range stepsOf(int64_t loop, const Range &range);
  Index positionOf(int64_t loop, const Index &step) { return mul(b, step, reduction().perStep(loop)); }
  /// Emits the rest of a reduction over a single loop, from step `first` on.
  Values reduceFrom(const RegisterTile &tile, int64_t first, Values accumulators);
  /// Emits `count` steps of a reduction over a single loop, which prefetch a cache line of the next tile's
  /// rows where the schedule says so.
  Values steps(const RegisterTile &tile, Index first, int64_t count, Values accumulators);
  /// Emits one step of a reduction over a single loop.
  Values step(RegisterTile tile, Index step, Values accumulators);
  /// Emits the epilogue of a tile, or of one point of it.
  void epilogue(const RegisterTile &tile, const Values &accumulators);
  void epilogueAt(const Point &point, mlir::Value accumulator, RandomWords *words = nullptr,
                  const Values &masks = {});
  /// Allocates memory for the sums of whole tiles that are `vectors` wide.
  WaitingSums waitingSums(int64_t vectors);
  void keep(const RegisterTile &tile, const Values &sums, WaitingSums &waiting) {
    core->keep(tile, sums, waiting);
  }
  /// The epilogue at one point in two parts. The first returns the values that the second needs.
  Values firstStageAt(const Point &point, mlir::Value accumulator);
  void secondStageAt(const Point &point, const Values &carried);

  /// Makes the random decisions for these rows of a column of tiles, as masks.
  void makeMasks(const Point &point, const Range &rows, Index firstLane, int64_t vectors, mlir::Value mask);

  TileOperands operands;
  std::optional<PartialSums> partial;
  llvm::SmallVector<Range> block; ///< for each loop, the range that tiles sum over
  mlir::Value isFirst,
      isLast; ///< whether the block of the reduction is the first, the last; null where there is one

private:
  cpu::PrefetchAttr prefetch() const { return form().getPrefetch(); }
  Values start(const RegisterTile &tile);
  Values reduce(const RegisterTile &tile, llvm::ArrayRef<int64_t> loops, Values accumulators);
  /// Emits a reduction in several accumulators, which take the steps in turn and are added at the end.
  Values reduceInTurns(const RegisterTile &tile, const Range &range, Values accumulators);
  /// The number of steps in which a tile reads one cache line of its packed rows.
  int64_t stepsOfLine() const;
  /// Emits the steps from `first` on, which prefetch the rows of the next tile, one cache line every
  /// stepsOfLine.
  Values reduceAndFetch(const RegisterTile &tile, int64_t first, Values accumulators);
  /// Prefetches the rows that `count` steps from `first` on of the next tile read.
  void fetchNextRows(const RegisterTile &tile, Index first, int64_t count);
  /// Prefetches columns for `count` steps from `first` on, as many steps ahead as the schedule says.
  void fetchColumns(const RegisterTile &tile, Index first, int64_t count);
  /// Prefetches, at a step of `fetchLoop`, the tile's share of what the next iteration of a loop of the nest
  /// reads.
  void fetchNext(const RegisterTile &tile, Index step);
  Point epiloguePoint(const Point &point);
  /// The address of a mask, and the masks of a point that is in this vector of the tile.
  mlir::Value placeOfMask(size_t mask, Index row, int64_t vector, int64_t lanes);
  Values masksAtPoint(const Point &point, int64_t vector);
  /// Loads an operand of an epilogue's operation, which is not in a register, at a point of its loops.
  mlir::Value argumentAt(mlir::linalg::GenericOp op, mlir::OpOperand &operand, const Point &here);
  /// Stores those results of the epilogue that its second part computes (`late`), or the others.
  void storeResults(mlir::linalg::GenericOp epilogue, const cpu::EpilogueStages &stages, bool late,
                    const Point &here, const mlir::IRMapping &values);
  /// Emits the epilogue of neighbouring vectors of a row as one.
  void epilogueOfRows(const RegisterTile &tile, const Values &accumulators);
  void storeResult(mlir::linalg::GenericOp op, unsigned result, const Point &point, mlir::Value value);

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  std::unique_ptr<TileCore> core;
  llvm::SmallVector<Index, 4> extents;
  llvm::SmallVector<int64_t> parallel, reductions;
  int64_t lane, row;
  int64_t fetchLoop = -1; ///< the first reduction loop inside the nest, if tiles prefetch in it
  std::optional<cpu::RandomMasks> masks; ///< made before the tiles; null where tiles decide themselves
  mlir::Value masksAt;                   ///< [mask][row][vector], a bit for each lane
  int64_t maskRows = 0;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H
