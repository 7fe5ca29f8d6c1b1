//===- RegisterTile.h - a register tile, and the loops around it -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all that is emitted for a tile looks at, and nothing changes: which points the tile has, and how the
// loops of its contraction run.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H

#include "compiler/codegen/cpu/contraction/CopiedOperand.h"

namespace dlc::codegen {

/// A tile is rows x vectors points of the root's parallel loops.
struct RegisterTile {
  llvm::SmallVector<Point> points; ///< row by row
  int64_t rows, vectors;
  bool rowsAligned;                        ///< the first row is a multiple of eight
  mlir::Value columnsAt = {}, rowsAt = {}; ///< in copies of the operands; null where there is none
  /// The number of rows that exist, where that is fewer; only for cores that take any number of rows.
  std::optional<Index> inside = std::nullopt;
  const Point &at(int64_t r, int64_t v) const { return points[r * vectors + v]; }
};

/// The packed operands of a contraction; an operand without a packed copy is read as it lies.
struct TileOperands {
  std::optional<CopiedOperand> columns, rows;
};

/// The loops of a contraction, as its schedule and the kernel's sizes have them.
class TileLoops {
public:
  explicit TileLoops(KernelFunction &kernel);

  cpu::ContractionAttr form() const { return schedule; }
  /// Loops, rows and vectors of whole tiles.
  cpu::TileAttr shape() const { return schedule.getTile(); }
  cpu::ReductionAttr reduction() const { return schedule.getReduction(); }
  const Index &extent(int64_t loop) const { return extents[loop]; }
  llvm::ArrayRef<int64_t> parallel() const { return parallelLoops; }
  llvm::ArrayRef<int64_t> reductions() const { return reductionLoops; }
  /// The reduction loop of a product of matrices; the first of several.
  int64_t k() const { return reductionLoops.front(); }
  bool isReduced(int64_t loop) const { return llvm::is_contained(reductionLoops, loop); }
  /// The steps of a range of a reduction loop, each of which is one iteration, or a pair of them (or as many
  /// as a matrix unit adds at once); and the position at which a step begins.
  Range stepsOf(int64_t loop, const Range &range) const;
  Index positionOf(int64_t loop, const Index &step) const { return mul(b, step, reduction().perStep(loop)); }
  /// The same point among the loops of an epilogue, which are the root's parallel loops, in order.
  Point epiloguePoint(const Point &point) const;

private:
  Builder &b;
  cpu::ContractionAttr schedule;
  llvm::SmallVector<Index, 4> extents;
  llvm::SmallVector<int64_t> parallelLoops, reductionLoops;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_REGISTERTILE_H
