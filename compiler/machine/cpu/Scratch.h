//===- Scratch.h - memory of a contraction beside its tensors --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedule asks for it, codegen uses it; both take its sizes from here.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPU_SCRATCH_H
#define DLC_COMPILER_MACHINE_CPU_SCRATCH_H

#include "compiler/machine/cpu/Schedule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dlc::cpu {

/// What the dims of an operand move along that is copied in panels along one loop. An image under a window is
/// read at sums of loops: its coordinates are the image's positions, so that all elements of the window share
/// a copy.
struct PanelCoordinates {
  PanelCoordinates(mlir::AffineMap map, int64_t loop);

  /// Linear in the root's loops. Where the operand itself lies in panels along another loop, that loop is
  /// one.
  llvm::SmallVector<mlir::AffineExpr, 4> positions;
  mlir::AffineMap source; ///< (coordinates, the panels' loop) -> the operand's dims
  /// The coordinate that is this loop; -1: none.
  int64_t along(int64_t loop) const;
  /// The number of positions along each coordinate, for loops of these sizes.
  llvm::SmallVector<int64_t> sizes(llvm::ArrayRef<int64_t> loops) const;
};

/// The factor of each loop in a linear expression, and behind them the constant.
llvm::SmallVector<int64_t> coefficientsOf(mlir::AffineExpr expr, unsigned numLoops);

/// A copy of an operand in panels: `panels` times `stride` elements. In a panel, `unit` neighbours lie
/// together for each point of the coordinates, whose steps are `steps` elements. Two points that are a pair,
/// an even position and the next along the coordinate `pairs`, lie together: the neighbours' elements of one
/// and the other in turn. For a matrix unit, `isTiled`: there is a multiple of tileSteps positions along
/// `pairs`, which for rows all lie together.
struct PanelShape {
  int64_t panels = 0, stride = 0, unit = 0, pairs = -1, between = 1;
  bool isTiled = false;
  llvm::SmallVector<int64_t, 4> steps;
  int64_t elements() const { return panels * stride; }
};

/// The sums between blocks of the reduction, which lie in the order of these loops, the outermost first; then
/// come the columns of a tile.
struct SumsShape {
  llvm::SmallVector<int64_t, 4> loops, steps; ///< the lane loop's step is that of a column of tiles
  int64_t elements = 0;
};

/// The scratch memory of a contraction for one chunk; several chunks in a row need as many times the memory.
struct ContractionScratch {
  /// `bounds`: trip counts of the root's loops at the bounds of open dims.
  ContractionScratch(mlir::linalg::GenericOp root, ScheduleAttr schedule, llvm::ArrayRef<int64_t> bounds);

  PanelShape columns, rows;
  SumsShape sums;
  int64_t elementBytes, resultBytes; ///< of an element of the operands, of the result
  int64_t columnsBytes() const { return aligned(columns.elements() * elementBytes); }
  int64_t rowsBytes() const { return aligned(rows.elements() * elementBytes); }
  int64_t sumsBytes() const { return aligned(sums.elements * resultBytes); }
  int64_t bytes() const { return columnsBytes() + rowsBytes() + sumsBytes(); }

private:
  static int64_t aligned(int64_t bytes) { return llvm::alignTo(bytes, 64); }
};

/// Returns the operand that `loop` moves and `other` does not.
mlir::OpOperand &operandAlong(mlir::linalg::GenericOp root, int64_t loop, int64_t other);

/// Whether the reduction is in blocks, so that sums are not complete when a tile ends.
bool cutsReduction(mlir::linalg::GenericOp root, llvm::ArrayRef<BlockAttr> nest);
/// Whether sums are kept in scratch: the reduction is in blocks, and the kernel does not yield the product
/// itself.
bool keepsSumsInScratch(mlir::linalg::GenericOp root, llvm::ArrayRef<BlockAttr> nest);

} // namespace dlc::cpu

#endif // DLC_COMPILER_MACHINE_CPU_SCRATCH_H
