//===- Split.cpp - how threads share a product -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/support/Elements.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

// The number of chunks that is enough where each chunk needs memory of its own.
static constexpr int64_t enoughLargeChunks = 16, enoughChunksOfPanels = 8;
// So many columns of tiles are enough to be shared if there are less than so many images, or so many columns.
static constexpr int64_t fewColumns = 4, manyColumns = 16, fewOutside = 8;
// A chunk that copies columns has them read by at least so many tiles.
static constexpr int64_t leastTiles = 8;
// A chunk that copies the rows for itself has at least so many columns of tiles.
static constexpr int64_t columnsForCopies = 4;

/// The longest of the loops outside of all tiles, such as that over images; -1 where there is none.
static int64_t outerLoopOf(const Product &product) {
  int64_t best = -1;
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
    if (loop != product.lane && loop != product.row &&
        (best < 0 || product.bounds[loop] > product.bounds[best]))
      best = loop;
  return best;
}

/// Whether two threads share so many equal chunks evenly, or nearly so. More chunks would suit more threads,
/// but each chunk packs copies of its own.
static bool areEven(int64_t chunks) { return chunks % 2 == 0 || chunks >= enoughChunks; }

SharedRows shareRows(const Product &product, cpu::TileAttr tile, Split split, Blocking blocking) {
  SharedRows shared{std::move(split), std::move(blocking)};
  const bool areColumns = shared.split.size() == 1 && shared.split.front().getLoop() == product.lane;
  // Where sums are in scratch, the one loop that is cut is the outermost.
  if (product.amx || !areColumns || !product.columns ||
      cpu::keepsSumsInScratch(product.root, shared.blocking.nest))
    return shared;
  int64_t columns = shared.split.front().getChunks(), parts = 1;
  while (!areEven(columns * parts))
    ++parts;
  if (parts == 1 || parts > tilesOfColumns(product, tile) / leastTiles)
    return shared;
  SmallVector<Cuttable> loops;
  AffineMap map = product.root.getMatchingIndexingMap(product.columns);
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
    if (loop != product.row && !map.isFunctionOfDim(loop))
      loops.push_back({loop, product.bounds[loop], 1});
  loops.push_back({product.row, product.bounds[product.row], tile.getRows()});
  // Blocks of rows end where the chunks do.
  int64_t part = llvm::divideCeil(product.bounds[product.row], parts);
  for (cpu::BlockAttr &block : shared.blocking.nest)
    if (block.getLoop() == product.row) {
      int64_t size = llvm::divideCeil(part, llvm::divideCeil(part, block.getSize()));
      loops.back().unit = llvm::alignTo(size, tile.getRows());
      block = cpu::BlockAttr::get(product.kernel.getContext(), product.row, loops.back().unit);
    }
  Split grid = gridOf(product.kernel, loops, parts, parts);
  shared.split.insert(shared.split.begin(), grid.begin(), grid.end());
  return shared;
}

/// The number of rows that each chunk of rows is a multiple of.
static int64_t unitOfRows(const Product &product, cpu::TileAttr tile) {
  return tile.getRows() * (updates(product.kernel) ? product.target.costs.updateTiles : 1);
}

static Split splitRows(const Product &product, cpu::TileAttr tile, int64_t most) {
  return gridOf(product.kernel, {{product.row, product.bounds[product.row], unitOfRows(product, tile)}}, most,
                most);
}

/// Cuts rows into chunks where all rows are packed first: each chunk packs its own rows, and the columns of
/// one column of tiles after the other. Chunks of columns would each pack all rows, which takes as many times
/// the memory. The packed columns of all chunks take at most half of the memory of the packed rows.
static Split splitPackedRows(const Product &product, cpu::TileAttr tile) {
  int64_t column = product.steps() * product.widthOf(tile) * elementBytes(product.columns->get());
  int64_t most = std::clamp<int64_t>(rowsBytes(product) / (2 * column), 2,
                                     mostChunks(product.products(), enoughLargeChunks)) /
                 2 * 2;
  return splitRows(product, tile, most);
}

/// Whether the rows lie in panels already and need no packing.
static bool hasRowsInPanels(const Product &product, cpu::TileAttr tile) {
  OpOperand *rows = product.rows;
  return isLarge(product, tile) &&
         llvm::any_of(product.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
           return expr.getKind() == AffineExprKind::Mod && expr.isFunctionOfDim(product.row);
         });
}

Split chooseSplit(const Product &product, cpu::TileAttr tile) {
  const int64_t products = product.products();
  int64_t most = mostChunks(products, isLarge(product, tile) ? enoughLargeChunks : manyChunks);
  if (products <= parallelProducts)
    return {};
  if (packsRowsOnce(product, tile))
    return splitPackedRows(product, tile);
  // Each chunk packs columns, and memory is full there (fuse/WritePanels.cpp).
  if (hasRowsInPanels(product, tile))
    most = mostChunks(products, enoughChunksOfPanels);
  const int64_t width = product.widthOf(tile);
  int64_t laneSize = product.bounds[product.lane], outer = outerLoopOf(product);
  int64_t columns = packsRows(product, tile) ? columnsForCopies * width : width;
  int64_t outside = outer >= 0 ? product.bounds[outer] : 0,
          columnChunks = llvm::divideCeil(laneSize, columns);
  // A chunk of images packs all columns; a chunk of columns packs its own.
  bool hasManyOutside = !packsColumns(product, tile) && outside >= fewOutside && outside > columnChunks &&
                        columnChunks < manyColumns;
  if ((laneSize >= fewColumns * width && !hasManyOutside) || product.row < 0)
    return gridOf(product.kernel, {{product.lane, laneSize, columns}}, most, most);
  if (packsColumns(product, tile)) // each chunk of rows packs them all
    most = std::min(most, tilesOfColumns(product, tile) / CpuCosts::copiedForTiles);
  if (outside > product.bounds[product.row] / tile.getRows())
    return gridOf(product.kernel, {{outer, outside, 1}}, most, most);
  return splitRows(product, tile, most);
}

int64_t sizeOfChunk(const Product &product, SplitRef split, int64_t loop) {
  for (cpu::SplitAttr cut : split)
    if (cut.getLoop() == loop)
      return cut.getSize();
  return product.bounds[loop];
}

} // namespace dlc::schedule
