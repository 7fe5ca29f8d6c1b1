//===- ContractionChoice.h - what is decided of a contraction --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_CONTRACTIONCHOICE_H
#define DLC_COMPILER_SCHEDULE_CPU_CONTRACTIONCHOICE_H

#include "compiler/schedule/cpu/Stages.h"

namespace dlc::schedule {

/// The fields of #cpu.contraction, step by step.
struct ContractionChoice {
  ContractionChoice(train::KernelOp kernel, const CpuTarget &target);

  train::KernelOp kernel;
  mutable mlir::linalg::GenericOp root; ///< mutable, as MLIR's methods are not const
  CpuTarget target;                     ///< with the lanes of this kernel's vectors
  llvm::SmallVector<int64_t> bounds;    ///< of the root's loops
  int64_t lane = -1, row = -1, rows = 1, vectors = 1, pipeline = 0, stages = 1, unroll = 1;
  llvm::SmallVector<cpu::BlockAttr> nest;
  int64_t columns = -1, rowsCopied = -1;
  llvm::SmallVector<int64_t> descending;
  int64_t next = -1, columnsAhead = 0, fetch = 0;
  llvm::SmallVector<int64_t> nextLines;
  bool ahead = false, masks = false, sideBySide = false;
  int64_t pairs = -1;
  bool amx = false;
  llvm::SmallVector<cpu::SplitAttr> split;

  int64_t width() const { return vectors * target.lanes; }
  /// Iterations of the whole reduction.
  int64_t steps() const;
  /// Iterations of a loop that are one step of a tile.
  int64_t perStep(int64_t loop) const { return loop != pairs ? 1 : amx ? cpu::tileSteps : 2; }
  /// Multiply-adds of the whole kernel.
  int64_t products() const;
  /// Iterations of the row loop that one chunk has.
  int64_t rowsOfChunk() const { return sizeOfChunk(row); }
  /// Iterations of a loop that one chunk has.
  int64_t sizeOfChunk(int64_t loop) const;
  /// Of all sums of one chunk.
  int64_t sumsBytes() const;
  /// Elements between neighbours along `loop` of an operand, as strideAlong has it.
  std::optional<int64_t> stride(mlir::OpOperand *operand, int64_t loop) const;
  /// The operand that the lanes move in and rows do not, and the other, in which only rows move; nullptrs
  /// where the operands are not such.
  std::pair<mlir::OpOperand *, mlir::OpOperand *> columnsAndRows() const;
};

// What follows the product in its kernel (ContractionEpilogue.cpp).
bool drawsRandomBits(train::KernelOp kernel);
/// Whether it updates tensors in place.
bool updates(train::KernelOp kernel);
/// Whether what a product of matrices decides at random can be decided before, and kept on the stack.
bool hasMasks(const ContractionChoice &choice);
/// Whether it reads a tensor which no near cache holds, and the reduction covers the way from memory.
bool readsFar(ContractionChoice &choice);
/// How many tiles ahead what the epilogue reads is fetched; 0: it is not. Needs the tile.
int64_t fetchedAhead(ContractionChoice &choice);
/// Whether it computes functions, and runs on all vectors of a row at once, behind the tile. All that it
/// reads and writes then lies side by side in memory.
bool runsSideBySide(ContractionChoice &choice);
/// Steps of the reduction for each vector of it, where it is best run inside the next tile's reduction. Needs
/// the tile and the split.
void choosePipeline(ContractionChoice &choice);
/// Pairs that may share storage. In two stages, the first one writes results while the second still has to
/// read its arguments.
llvm::SmallVector<int64_t> sharedPlaces(train::KernelOp kernel, cpu::ContractionAttr form);

// How threads share it (ContractionChunks.cpp).
/// Columns of the result belong to one thread from kernel to kernel; images or rows where there are few
/// columns. Needs the tile.
void chooseSplit(ContractionChoice &choice);
/// Where columns are cut into chunks that threads cannot share evenly, such as three, images or rows are cut
/// too. Each part copies its columns for itself: they have to be read by some tiles.
void shareRows(ContractionChoice &choice);

/// The loop that the rows of a tile lie along; -1 where none but `lane` is parallel. Needs `lane`.
int64_t rowLoopOf(const ContractionChoice &choice);
/// The reduction loop whose iterations are taken in pairs; -1: none. It follows from the operation and the
/// instructions alone, as it decides in which order terms are added.
int64_t pairedLoopOf(mlir::linalg::GenericOp root, const CpuTarget &target);
/// Whether an operand moves along the loop in one dim, and there along no other loop; or from panel to panel,
/// as wide as a multiple of `unit`.
bool movesAlone(mlir::AffineMap map, int64_t loop, int64_t unit);
/// Whether an operand whose neighbours in a panel would be those along `loop` is better read as a copy, in
/// which pairs lie side by side.
bool wantsPairsCopied(const ContractionChoice &choice, mlir::OpOperand *operand, int64_t loop);
/// Blocks of loops and copies of operands, so that tiles read what caches hold. Needs the tile and the split.
void chooseBlocks(ContractionChoice &choice);
/// The loop whose next iteration tiles fetch. Needs all of the above, and the split.
void chooseNext(ContractionChoice &choice);

// By the CPU's matrix unit (MatrixUnit.cpp).
/// Whether it adds the products; it says along which loop. It follows from the operation and where its
/// operands lie, not from what follows it in its kernel: it decides in which order terms are added.
bool runsOnMatrixUnit(ContractionChoice &choice);
/// Tiles, chunks, blocks and copies.
void chooseForMatrixUnit(ContractionChoice &choice);

// Which operands chooseBlocks copies into panels (Panels.cpp). Needs the tile.
/// Whether neighbouring steps of the reduction lie far apart in an operand's memory.
bool isFar(const ContractionChoice &choice, mlir::OpOperand *operand);
/// Whether it copies operands or cuts the reduction, whatever the split.
bool isLarge(const ContractionChoice &choice);
/// Whether the rows of each tile lie together in an operand, so that copies may take them as one vector: those of a
/// dim that lies in panels do where tiles divide the panels.
bool areTogether(const ContractionChoice &choice, mlir::OpOperand *rows);
/// Whether it copies what rows move, or what columns do.
bool copiesRows(const ContractionChoice &choice);
bool copiesColumns(const ContractionChoice &choice);
/// How many steps ahead copies fetch what they read; 0: they do not. Needs the blocks.
int64_t copyAheadOf(const ContractionChoice &choice);
/// Whether it copies all rows first, and then the columns of one column of tiles after the other.
bool copiesRowsOnce(const ContractionChoice &choice);
/// Copies of columns are no larger than this.
constexpr int64_t mostColumnsBytes = 16 << 20;
/// Of the operand that rows move.
int64_t rowsBytes(const ContractionChoice &choice);
/// How many tiles read what one column of tiles reads of the operand that lanes move.
int64_t tilesOfColumns(const ContractionChoice &choice);
/// The steps of a reduction for which the columns of a column of tiles take an eighth of the second-level
/// cache, or half of it where the other operand is no panel beside them.
int64_t mostSteps(const ContractionChoice &choice);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_CONTRACTIONCHOICE_H
