//===- CopiedOperand.h - a part of an operand, copied into panels ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile reads a few neighbours of each operand for each step of the reduction. Where these lie far apart,
// the steps' neighbours are copied first, so that they lie one after the other: a panel. What is copied is a
// box of the operand's own positions: elements that several steps read, as those under a window, are there
// once.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_COPIEDOPERAND_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_COPIEDOPERAND_H

#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/Access.h"
#include "compiler/machine/cpu/Scratch.h"

namespace dlc::codegen {

class CopiedOperand {
public:
  /// Packs an operand of `root` in panels along `loop` to the memory at `place`.
  CopiedOperand(KernelFunction &kernel, mlir::linalg::GenericOp root, mlir::OpOperand &operand, int64_t loop,
                cpu::PanelShape shape, mlir::Value place);

  bool isOf(const mlir::OpOperand &other) const { return &operand == &other; }
  /// Packs what the ranges of the root's loops read, if `when` is null or true; else it is packed already.
  /// Positions in panels count from where the ranges begin.
  void copy(llvm::ArrayRef<Range> ranges, mlir::Value when);
  /// Packs one panel, that of a column of tiles.
  void copyPanel(llvm::ArrayRef<Range> ranges, const Index &position, int64_t vectors, mlir::Value mask);
  /// The address of the neighbours from `position` on, at position 0 of all coordinates. `position` begins a
  /// panel, or `inside` says that it may not.
  mlir::Value addressOf(const Index &position, bool inside);
  /// Loads `count` of the neighbours at `address`, from number `first` on, at the reduction's point; a scalar
  /// if `count` is 1.
  mlir::Value load(mlir::Value address, const Point &point, int64_t first, int64_t count);
  /// Loads pairs in the same way, each as a word with the bits of both elements; the point is that of the
  /// first one.
  mlir::Value loadPairs(mlir::Value address, const Point &point, int64_t first, int64_t count);
  /// The address of neighbour number `neighbour` of those at `address`, at the reduction's point.
  mlir::Value addressAt(mlir::Value address, const Point &point, int64_t neighbour);
  /// In a copy packed for a matrix unit: the bytes between the rows of a tile register in memory, which are
  /// neighbours of the panel if these are rows, else pairs of k.
  int64_t bytesBetweenTileRows() const;
  /// Prefetches the cache line of the first of these neighbours.
  void prefetch(mlir::Value address, const Point &point);

private:
  Access places(mlir::Value address, llvm::ArrayRef<mlir::AffineExpr> dims, unsigned count);
  void store(mlir::Value address, const Point &at, int64_t first, mlir::Value values);
  /// What the elements of a point, or of a pair's two points, become in the panel: a vector, and its load.
  mlir::Value elementsOf(const Point &point);
  bool isPaired() const { return shape.pairs >= 0; }
  /// The number of contiguous points along a coordinate.
  int64_t perStep(int64_t coordinate) const { return coordinate == shape.pairs ? 2 : 1; }
  void forCoordinates(Point point, int64_t without, llvm::function_ref<void(const Point &)> body);
  void begin(llvm::ArrayRef<Range> ranges, const Index &position);
  void copyNeighbours(const Point &at, const Index &position, int64_t vectors, mlir::Value mask);
  void fetchAhead(Point point);
  void copyVectors(const Range &range);
  void copySquares(const Range &range);
  // These pack for a matrix unit.
  void copyTiles(const Range &range);
  void copyTile(const Point &at, const Index &position, mlir::Value mask, const Index &step, bool isWhole);
  Values pairsOfTile(const Point &at, const Index &position, mlir::Value mask, const Index &step,
                     bool isWhole);
  Values neighboursOfTile(const Point &at, const Index &position, mlir::Value mask, const Index &step,
                          bool isWhole);
  mlir::Value pairsBefore(const Point &point, const Index &end);

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  mlir::OpOperand &operand;
  cpu::PanelCoordinates coordinates;
  llvm::SmallVector<llvm::SmallVector<int64_t>> factors; ///< of the root's loops, for each coordinate
  Access from;                                           ///< by coordinates, then the panels' loop
  int64_t loop;
  cpu::PanelShape shape;
  mlir::Value place, origin;    ///< of the memory, and of position 0 of all coordinates in it
  Index first;                  ///< the position where the first panel begins
  llvm::SmallVector<Range> box; ///< of each coordinate, what is copied
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_COPIEDOPERAND_H
