//===- MatrixUnit.cpp - contractions by a CPU's matrix unit ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX multiplies bf16 so much faster than vectors that it is fed by copies wherever an operand does not lie
// as it wants it (docs/rationale/cpu-kernels.md). The columns always are copied. Tiles of 32 x 32 need both
// operands from the second-level cache; vectors do what follows a tile.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::schedule {

using cpu::tileSide;

// A chunk that copies the rows for itself has at least so many columns of tiles.
constexpr int64_t columnsForRows = 4;
// In each chunk, packed columns take at most this many bytes.
constexpr int64_t mostCopiedBytes = 4 << 20;

cpu::TileAttr chooseUnitTile(const Product &product) {
  const int64_t rows = product.bounds[product.row] > tileSide ? 2 * tileSide : tileSide;
  const int64_t vectors = product.bounds[product.lane] > tileSide ? 2 : 1;
  return cpu::TileAttr::get(product.kernel.getContext(), product.lane, product.row, rows, vectors);
}

Split chooseUnitSplit(const Product &product, cpu::TileAttr tile) {
  if (product.products() <= parallelProducts)
    return {};
  const int64_t most = mostChunks(product.products(), manyChunks);
  int64_t outer = -1; // the longest of the loops outside of tiles
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
    if (loop != product.lane && loop != product.row &&
        (outer < 0 || product.bounds[loop] > product.bounds[outer]))
      outer = loop;
  if (outer >= 0)
    return gridOf(product.kernel, {{outer, product.bounds[outer], 1}}, most, most);
  const int64_t unit = product.widthOf(tile) * (product.readsUnitRows() ? 1 : columnsForRows);
  if (product.bounds[product.lane] >= 4 * unit)
    return gridOf(product.kernel, {{product.lane, product.bounds[product.lane], unit}}, most, most);
  return gridOf(product.kernel, {{product.row, product.bounds[product.row], tile.getRows()}}, enoughChunks,
                enoughChunks);
}

/// Orders the nest: outside run the loops that move the columns, inside of which the columns are packed; then
/// the other loops, inside of which the rows are packed. In a matrix product, each column of tiles packs its
/// own columns, and rows run in blocks that fit the second-level cache.
Blocking chooseUnitBlocking(const Product &product, cpu::TileAttr tile, SplitRef split) {
  MLIRContext *context = product.kernel.getContext();
  AffineMap map = product.root.getMatchingIndexingMap(product.columns);
  SmallVector<cpu::BlockAttr> nest;
  auto add = [&](int64_t loop, int64_t size) { nest.push_back(cpu::BlockAttr::get(context, loop, size)); };
  auto addOuter = [&](bool ofColumns) {
    for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
      if (loop != product.lane && loop != product.row && map.isFunctionOfDim(loop) == ofColumns)
        add(loop, 1);
  };
  const int64_t columnBytes = product.steps() * product.widthOf(tile) * elementBytes(product.columns->get());
  addOuter(true);
  const int64_t most = std::max<int64_t>(1, mostCopiedBytes / columnBytes) * product.widthOf(tile);
  const size_t copied = nest.size();
  const bool hasOthers = int64_t(copied) + 2 < product.parallelLoops();
  const int64_t tileBytes = product.steps() * elementBytes(product.rows->get()) * tile.getRows();
  const int64_t block = std::max<int64_t>(4, product.target.costs.l2Bytes / 2 / tileBytes);
  const bool hasBlocks = !hasOthers && block * tile.getRows() < product.bounds[product.row];
  int64_t columns = copied + 1; // each column of tiles
  if (hasOthers || hasBlocks) {
    if (most < sizeOfChunk(product, split, product.lane))
      add(product.lane, most);
    columns = nest.size();
    addOuter(false);
    if (hasBlocks)
      add(product.row, block * tile.getRows());
  }
  const int64_t rows = product.readsUnitRows() ? -1 : int64_t(nest.size());
  return {nest, cpu::PackingAttr::get(context, columns, rows, /*ahead=*/0)};
}

} // namespace dlc::schedule
