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

class TileCode {
public:
  explicit TileCode(KernelFunction &kernel);

  cpu::ContractionAttr form() const { return scheduleOf(kernel).contraction(); }
  int64_t laneLoop() const { return form().getLane(); }
  int64_t rowLoop() const { return form().getRow(); }
  llvm::ArrayRef<int64_t> parallelLoops() const { return parallel; }
  llvm::ArrayRef<int64_t> reductionLoops() const { return reductions; }
  const Index &extent(int64_t loop) const { return extents[loop]; }
  bool descends(int64_t loop) const { return llvm::is_contained(form().getDescending(), loop); }

  /// The tile whose first point is at `firstRow` and `firstLane`; `mask` is of its last vectors.
  RegisterTile tileAt(const Point &point, Index firstRow, int64_t rows, Index firstLane, int64_t vectors,
                      mlir::Value mask, bool rowsAligned);
  TileCore &tileCore() { return *core; }
  /// Runs what belongs to the last block of the reduction.
  void whereLast(llvm::function_ref<void()> body);
  /// Asks for what the epilogue of the tile reads, where the schedule says so.
  void fetchForEpilogue(const RegisterTile &tile);
  /// Asks for what the epilogue reads at one point of a tile. The last vector of a row may end in a cache
  /// line of its own, which is asked for, too.
  void fetchForEpilogueAt(const Point &point, bool isLastOfRow);
  /// What the sums start from, point by point: at the first block of the reduction the init, else sums so
  /// far.
  Values initialize(const RegisterTile &tile);
  /// The block of the reduction.
  Values reduce(const RegisterTile &tile, Values accumulators) {
    return reduce(tile, reductions, accumulators);
  }
  /// What follows: the epilogue after the last block, else the sums are kept.
  void finish(const RegisterTile &tile, const Values &accumulators);
  /// Of the sums over a range of a loop: the steps, each an iteration, or a pair of them; and where one is.
  Range stepsOf(int64_t loop, const Range &range);
  Index positionOf(int64_t loop, const Index &step) { return mul(b, step, form().perStep(loop)); }
  /// What is left of a reduction over a single loop from the step `first` on.
  Values reduceFrom(const RegisterTile &tile, int64_t first, Values accumulators);
  /// `count` steps of a reduction over a single loop; where the schedule says so, they fetch a cache line of
  /// the next tile's rows.
  Values steps(const RegisterTile &tile, Index first, int64_t count, Values accumulators);
  /// One step of a reduction over a single loop.
  Values step(RegisterTile tile, Index step, Values accumulators);
  /// Everything after the reduction: for a tile, or for one point of it.
  void epilogue(const RegisterTile &tile, const Values &accumulators);
  void epilogueAt(const Point &point, mlir::Value accumulator, RandomWords *words = nullptr,
                  const Values &masks = {});
  /// Room for the sums of whole tiles that are this wide.
  WaitingSums waitingSums(int64_t vectors);
  void keep(const RegisterTile &tile, const Values &sums, WaitingSums &waiting) {
    core->keep(tile, sums, waiting);
  }
  /// The same at one point in two stages. The first returns what the second needs of it.
  Values firstStageAt(const Point &point, mlir::Value accumulator);
  void secondStageAt(const Point &point, const Values &carried);

  /// Decides at random, for these rows of a column of tiles.
  void makeMasks(const Point &point, const Range &rows, Index firstLane, int64_t vectors, mlir::Value mask);

  TileOperands operands;
  std::optional<PartialSums> partial;
  llvm::SmallVector<Range> block; ///< of each loop, what tiles sum over
  mlir::Value isFirst, isLast;    ///< of the blocks of the reduction; null where it is one

private:
  Values start(const RegisterTile &tile);
  Values reduce(const RegisterTile &tile, llvm::ArrayRef<int64_t> loops, Values accumulators);
  /// A reduction in several accumulators.
  Values reduceInTurns(const RegisterTile &tile, const Range &range, Values accumulators);
  /// The steps in which a tile reads as much of its rows as a cache line has.
  int64_t stepsOfLine() const;
  /// Steps from `first` on that fetch the rows of the next tile, a cache line each time it is due.
  Values reduceAndFetch(const RegisterTile &tile, int64_t first, Values accumulators);
  /// Asks for what `count` steps from `first` on of the next tile of rows read.
  void fetchNextRows(const RegisterTile &tile, Index first, int64_t count);
  /// Asks for the columns that `count` steps from `first` on read, as many steps ahead as the schedule says.
  void fetchColumns(const RegisterTile &tile, Index first, int64_t count);
  /// The tile's share of what the next iteration of a loop of the nest reads, at a step of `fetchLoop`.
  void fetchNext(const RegisterTile &tile, Index step);
  /// Which loop of the nest this one is; -1: it runs inside.
  int64_t placeInNest(int64_t loop) const;
  Point epiloguePoint(const Point &point);
  /// Where a mask lies, and what was decided at a point whose vector is this one of the tile's.
  mlir::Value placeOfMask(size_t mask, Index row, int64_t vector, int64_t lanes);
  Values masksAtPoint(const Point &point, int64_t vector);
  /// What an operation of the epilogue has as this operand, which is not in a register, at a point of its
  /// loops.
  mlir::Value argumentAt(mlir::linalg::GenericOp op, mlir::OpOperand &operand, const Point &here);
  /// The results of the epilogue that its second stage makes, or the others.
  void storeResults(mlir::linalg::GenericOp epilogue, const cpu::EpilogueStages &stages, bool late,
                    const Point &here, const mlir::IRMapping &values);
  /// The epilogue of neighbouring vectors of a row as one.
  void epilogueOfRows(const RegisterTile &tile, const Values &accumulators);
  void storeResult(mlir::linalg::GenericOp op, unsigned result, const Point &point, mlir::Value value);

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  std::unique_ptr<TileCore> core;
  llvm::SmallVector<Index, 4> extents;
  llvm::SmallVector<int64_t> parallel, reductions;
  int64_t lane, row;
  int64_t fetchLoop = -1; ///< the first reduction loop inside the nest, where tiles fetch in it
  std::optional<cpu::RandomMasks> masks; ///< made before the tiles; null where tiles decide themselves
  mlir::Value masksAt;                   ///< [mask][row][vector], a bit for each lane
  int64_t maskRows = 0;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H
