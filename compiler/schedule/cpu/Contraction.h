//===- Contraction.h - the choices that make the schedule of a product -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function makes one choice, whose result does not change later. What it needs it takes as arguments, so
// that a choice cannot be made before those that it depends on. contractionSchedule (Contraction.cpp) makes
// all of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_CONTRACTION_H
#define DLC_COMPILER_SCHEDULE_CPU_CONTRACTION_H

#include "compiler/schedule/cpu/Product.h"

namespace dlc::schedule {

/// How threads share a product: the loops that are cut into chunks.
using Split = llvm::SmallVector<cpu::SplitAttr>;
using SplitRef = llvm::ArrayRef<cpu::SplitAttr>;

/// The blocks of loops outside of the tiles, and the operands that are packed between them.
struct Blocking {
  llvm::SmallVector<cpu::BlockAttr> nest;
  cpu::PackingAttr packing;
};

// The tile (Contraction.cpp).
cpu::TileAttr chooseTile(const Product &product);
/// How sums are added up, which follows from the product alone: equal sums have equal bits in all kernels.
cpu::ReductionAttr chooseReduction(const Product &product);

// How threads share the product (Split.cpp).
/// Chooses the loops that are cut into chunks: columns of the result, which then belong to the same thread in
/// kernel after kernel; images or rows where there are few columns.
Split chooseSplit(const Product &product, cpu::TileAttr tile);
/// Iterations of a loop in one chunk.
int64_t sizeOfChunk(const Product &product, SplitRef split, int64_t loop);
struct SharedRows {
  Split split;
  Blocking blocking;
};
/// Where columns are cut into chunks that threads cannot share evenly, such as three, cuts images or rows as
/// well; blocks of rows then end where the chunks do. Each chunk packs its columns for itself, so that enough
/// tiles must read them.
SharedRows shareRows(const Product &product, cpu::TileAttr tile, Split split, Blocking blocking);

// Blocks and packed operands (Packing.cpp).
/// Chooses the blocks of loops and the operands that are packed, so that tiles read from caches.
Blocking chooseBlocking(const Product &product, cpu::TileAttr tile, SplitRef split);
/// Whether the contraction is so large that operands are packed or the reduction is cut, whatever the split.
bool isLarge(const Product &product, cpu::TileAttr tile);
/// Whether neighbouring steps of the reduction lie far apart in an operand's memory.
bool isFar(const Product &product, mlir::OpOperand *operand);
/// Whether the operand of the rows is packed, and whether the operand of the columns is.
bool packsRows(const Product &product, cpu::TileAttr tile);
bool packsColumns(const Product &product, cpu::TileAttr tile);
/// Whether all rows are packed first, and then the columns of one column of tiles after the other.
bool packsRowsOnce(const Product &product, cpu::TileAttr tile);
/// Whether operands come to the first-level cache as they lie, or in one small copy, in a product that is not
/// large and has no blocks.
bool isFedWhole(const Product &product, cpu::TileAttr tile, llvm::ArrayRef<cpu::BlockAttr> nest);
/// Bytes of the operand of the rows.
int64_t rowsBytes(const Product &product);
/// How many tiles read the same columns: the length of a column of tiles.
int64_t tilesOfColumns(const Product &product, cpu::TileAttr tile);

// The epilogue: what follows the product in its kernel (Epilogue.cpp).
/// Chooses how the elementwise work on the sums of a tile runs.
cpu::EpilogueAttr chooseEpilogue(const Product &product, cpu::TileAttr tile, SplitRef split,
                                 llvm::ArrayRef<cpu::BlockAttr> nest);
/// The operation that follows the product in its kernel; null where there is none.
mlir::linalg::GenericOp epilogueOf(train::KernelOp kernel);
/// Whether the epilogue draws random bits, as a dropout does.
bool drawsRandomBits(train::KernelOp kernel);
/// Whether the epilogue updates tensors in place.
bool updates(train::KernelOp kernel);
/// Whether the random decisions of the epilogue of a matrix product are made before the tiles run, and kept
/// as masks on the stack. Tiles may then have any number of rows.
bool makesMasks(const Product &product);
/// Whether the epilogue reads a tensor that is in no near cache, and the reduction is long enough to hide the
/// latency of memory.
bool readsFar(const Product &product);
/// The (input, output) pairs that may share storage. With an epilogue in two stages, the first one writes
/// results while the second still has to read its arguments: such pairs are left out.
llvm::SmallVector<int64_t> sharedPlaces(train::KernelOp kernel, cpu::EpilogueAttr epilogue);

// What tiles prefetch (Prefetch.cpp).
cpu::PrefetchAttr choosePrefetch(const Product &product, cpu::TileAttr tile, cpu::ReductionAttr reduction,
                                 SplitRef split, const Blocking &blocking);

// The CPU's matrix unit, which has tiles and wants of its own (MatrixUnit.cpp).
cpu::TileAttr chooseUnitTile(const Product &product);
Split chooseUnitSplit(const Product &product, cpu::TileAttr tile);
Blocking chooseUnitBlocking(const Product &product, cpu::TileAttr tile, SplitRef split);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_CONTRACTION_H
