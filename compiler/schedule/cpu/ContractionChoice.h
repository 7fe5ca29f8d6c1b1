//===- ContractionChoice.h - the schedule of a contraction in the making ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_CONTRACTIONCHOICE_H
#define DLC_COMPILER_SCHEDULE_CPU_CONTRACTIONCHOICE_H

#include "compiler/schedule/cpu/Stages.h"

namespace dlc::schedule {

/// The fields of #cpu.contraction, which the functions below fill in one after the other: each says which
/// fields it needs. For C[i, j] += A[i, k] * B[k, j], `lane` is j, `row` is i, and the reduction is k: a tile
/// has `rows` rows and `vectors` vectors of lanes, whose sums stay in registers while k runs.
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
  /// Iterations of the whole reduction (the length of k).
  int64_t steps() const;
  /// Iterations of a loop that a tile takes at once: two of `pairs`, a tile register's of the matrix unit's
  /// loop.
  int64_t perStep(int64_t loop) const { return loop != pairs ? 1 : amx ? cpu::tileSteps : 2; }
  /// The multiply-adds of the whole kernel.
  int64_t products() const;
  /// Iterations of the row loop in one chunk.
  int64_t rowsOfChunk() const { return sizeOfChunk(row); }
  /// Iterations of a loop in one chunk.
  int64_t sizeOfChunk(int64_t loop) const;
  /// Bytes of all sums of one chunk.
  int64_t sumsBytes() const;
  /// The stride of `loop` in an operand's memory, in elements (strideAlong).
  std::optional<int64_t> stride(mlir::OpOperand *operand, int64_t loop) const;
  /// The operand that the lane loop moves but the row loop does not (B above), and the one that only the row
  /// loop moves (A above); two null pointers where the operands are not like that.
  std::pair<mlir::OpOperand *, mlir::OpOperand *> columnsAndRows() const;
};

// The epilogue: what follows the product in its kernel (ContractionEpilogue.cpp).
/// Whether the epilogue draws random bits, as a dropout does.
bool drawsRandomBits(train::KernelOp kernel);
/// Whether the epilogue updates tensors in place.
bool updates(train::KernelOp kernel);
/// Whether the random decisions of the epilogue of a matrix product can be made before the tiles run, and
/// kept as masks on the stack.
bool hasMasks(const ContractionChoice &choice);
/// Whether the epilogue reads a tensor that is in no near cache, and the reduction is long enough to hide the
/// latency of memory.
bool readsFar(ContractionChoice &choice);
/// How many tiles ahead the epilogue's operands are prefetched; 0: they are not. Needs the tile.
int64_t fetchedAhead(ContractionChoice &choice);
/// Whether the epilogue runs after the tile on all vectors of a row at once: it computes functions, whose
/// latencies then overlap, and all that it reads and writes is contiguous along the row.
bool runsSideBySide(ContractionChoice &choice);
/// Chooses `pipeline`: how many steps of k of the next tile run between two vectors of the epilogue; 0 where
/// the epilogue runs by itself. Needs the tile and the split.
void choosePipeline(ContractionChoice &choice);
/// The (input, output) pairs that may share storage. With an epilogue in two parts (`stages` = 2), the first
/// part writes results while the second still has to read its arguments: such pairs are left out.
llvm::SmallVector<int64_t> sharedPlaces(train::KernelOp kernel, cpu::ContractionAttr form);

// How threads share the contraction (ContractionChunks.cpp).
/// Chooses the loops that are cut into chunks: columns of the result, which then belong to the same thread in
/// kernel after kernel; images or rows where there are few columns. Needs the tile.
void chooseSplit(ContractionChoice &choice);
/// Where columns are cut into chunks that threads cannot share evenly, such as three, cuts images or rows as
/// well. Each chunk packs its columns for itself, so that enough tiles must read them.
void shareRows(ContractionChoice &choice);

/// The loop that the rows of a tile lie along; -1 where none but `lane` is parallel. Needs `lane`.
int64_t rowLoopOf(const ContractionChoice &choice);
/// The reduction loop whose iterations are multiplied in pairs (vdpbf16ps, for example); -1: none. It depends
/// on the operation and the CPU's instructions alone, since it decides in which order terms are added.
int64_t pairedLoopOf(mlir::linalg::GenericOp root, const CpuTarget &target);
/// Whether the loop alone indexes one dim of the operand, as k in A[i, k]; or a dim that lies in panels whose
/// width is a multiple of `unit`.
bool movesAlone(mlir::AffineMap map, int64_t loop, int64_t unit);
/// Whether the operand whose panels would run along `loop` is better packed, so that the two elements of each
/// pair are neighbours.
bool wantsPairsCopied(const ContractionChoice &choice, mlir::OpOperand *operand, int64_t loop);
/// Chooses the blocks of loops and the operands that are packed, so that tiles read from caches. Needs the
/// tile and the split.
void chooseBlocks(ContractionChoice &choice);
/// Chooses the loop whose next iteration tiles prefetch. Needs all of the above.
void chooseNext(ContractionChoice &choice);

// The CPU's matrix unit (MatrixUnit.cpp).
/// Whether the matrix unit computes the product; sets the loop along which it reduces. That depends on the
/// operation and on the layouts of its operands, not on the epilogue, since it decides in which order terms
/// are added.
bool runsOnMatrixUnit(ContractionChoice &choice);
/// Chooses tiles, chunks, blocks and packed operands for the matrix unit.
void chooseForMatrixUnit(ContractionChoice &choice);

// Which operands chooseBlocks packs into panels (Panels.cpp). All need the tile.
/// Whether neighbouring steps of the reduction lie far apart in an operand's memory.
bool isFar(const ContractionChoice &choice, mlir::OpOperand *operand);
/// Whether the contraction is so large that operands are packed or the reduction is cut, whatever the split.
bool isLarge(const ContractionChoice &choice);
/// Whether the rows of each tile lie together in an operand, so that copies may take them as one vector:
/// those of a dim that lies in panels do where tiles divide the panels.
bool areTogether(const ContractionChoice &choice, mlir::OpOperand *rows);
/// Whether the operand of the rows is packed, and whether the operand of the columns is.
bool copiesRows(const ContractionChoice &choice);
bool copiesColumns(const ContractionChoice &choice);
/// How many steps of k ahead packing prefetches what it reads; 0: not at all. Needs the blocks.
int64_t copyAheadOf(const ContractionChoice &choice);
/// Whether all rows are packed first, and then the columns of one column of tiles after the other.
bool copiesRowsOnce(const ContractionChoice &choice);
/// Packed columns take at most this many bytes.
constexpr int64_t mostColumnsBytes = 16 << 20;
/// Bytes of the operand of the rows.
int64_t rowsBytes(const ContractionChoice &choice);
/// How many tiles read the same columns: the length of a column of tiles.
int64_t tilesOfColumns(const ContractionChoice &choice);
/// The longest block of the reduction whose packed columns fill 1/8 of L2 (1/2 if the other operand is not
/// packed).
int64_t longestPackedBlock(const ContractionChoice &choice);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_CONTRACTIONCHOICE_H
