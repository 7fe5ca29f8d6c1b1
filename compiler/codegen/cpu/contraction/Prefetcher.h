//===- Prefetcher.h - what a tile asks for before it is needed -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PREFETCHER_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PREFETCHER_H

#include "compiler/codegen/cpu/contraction/RegisterTile.h"

namespace dlc::codegen {

/// Emits the prefetches that #cpu.prefetch names; each function emits nothing where that does not name its
/// kind.
class Prefetcher {
public:
  Prefetcher(KernelFunction &kernel, const TileLoops &loops, TileOperands &operands);

  /// Whether steps prefetch the next tile's rows; and the number of steps in which a tile reads one cache
  /// line of its packed rows.
  bool hasRows() const { return form.getRows(); }
  int64_t stepsOfLine() const;
  /// Whether something is prefetched for epilogues.
  bool hasEpilogue() const { return form.getEpilogue() > 0; }
  /// What the epilogue reads at one point of a tile. The last vector of a row may end in a cache line of its
  /// own, which is prefetched, too.
  void epilogueAt(const Point &point, bool isLastOfRow);
  /// What the epilogue of the whole tile reads.
  void epilogueOf(const RegisterTile &tile);
  /// The rows that `count` steps from `first` on of the next tile read.
  void nextRows(const RegisterTile &tile, Index first, int64_t count);
  /// The columns for `count` steps from `first` on, as many steps ahead as the schedule says.
  void columns(const RegisterTile &tile, Index first, int64_t count);
  /// The tile's share, at a step of a reduction loop, of what the next iteration of a loop of the nest reads.
  /// `block` is the range of each loop that the call's tiles have.
  void nextIteration(const RegisterTile &tile, int64_t stepLoop, Index step, llvm::ArrayRef<Range> block);

private:
  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  const TileLoops &loops;
  TileOperands &operands;
  cpu::PrefetchAttr form;
  int64_t lane, row;
  int64_t shareLoop = -1; ///< the first reduction loop inside the nest, at whose steps shares are prefetched
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PREFETCHER_H
