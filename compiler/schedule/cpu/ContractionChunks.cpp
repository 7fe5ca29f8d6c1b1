//===- ContractionChunks.cpp - how threads share a contraction -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/ContractionChoice.h"
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
static int64_t outerLoopOf(const ContractionChoice &choice) {
  int64_t best = -1;
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.lane && loop != choice.row && (best < 0 || choice.bounds[loop] > choice.bounds[best]))
      best = loop;
  return best;
}

/// Whether two threads share so many equal chunks evenly, or nearly so. More chunks would suit more threads,
/// but each chunk packs copies of its own.
static bool areEven(int64_t chunks) { return chunks % 2 == 0 || chunks >= enoughChunks; }

void shareRows(ContractionChoice &choice) {
  if (choice.split.size() != 1 || choice.split.front().getLoop() != choice.lane ||
      !choice.columnsAndRows().first)
    return;
  int64_t columns = choice.split.front().getChunks(), parts = 1;
  while (!areEven(columns * parts))
    ++parts;
  if (parts == 1 || parts > tilesOfColumns(choice) / leastTiles)
    return;
  SmallVector<Cuttable> loops;
  AffineMap map = choice.root.getMatchingIndexingMap(choice.columnsAndRows().first);
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.row && !map.isFunctionOfDim(loop))
      loops.push_back({loop, choice.bounds[loop], 1});
  loops.push_back({choice.row, choice.bounds[choice.row], choice.rows});
  // Blocks of rows end where the chunks do.
  int64_t part = llvm::divideCeil(choice.bounds[choice.row], parts);
  for (cpu::BlockAttr &block : choice.nest)
    if (block.getLoop() == choice.row) {
      int64_t size = llvm::divideCeil(part, llvm::divideCeil(part, block.getSize()));
      loops.back().unit = llvm::alignTo(size, choice.rows);
      block = cpu::BlockAttr::get(choice.kernel.getContext(), choice.row, loops.back().unit);
    }
  SmallVector<cpu::SplitAttr> grid = gridOf(choice.kernel, loops, parts, parts);
  choice.split.insert(choice.split.begin(), grid.begin(), grid.end());
}

/// The number of rows that each chunk of rows is a multiple of.
static int64_t unitOfRows(const ContractionChoice &choice) {
  return choice.rows * (updates(choice.kernel) ? choice.target.costs.updateTiles : 1);
}

/// Cuts rows into chunks where all rows are packed first: each chunk packs its own rows, and the columns of
/// one column of tiles after the other. Chunks of columns would each pack all rows, which takes as many times
/// the memory. The packed columns of all chunks take at most half of the memory of the packed rows.
static void splitCopiedRows(ContractionChoice &choice) {
  int64_t column = choice.steps() * choice.width() * elementBytes(choice.columnsAndRows().first->get());
  int64_t most = std::clamp<int64_t>(rowsBytes(choice) / (2 * column), 2,
                                     mostChunks(choice.products(), enoughLargeChunks)) /
                 2 * 2;
  choice.split =
      gridOf(choice.kernel, {{choice.row, choice.bounds[choice.row], unitOfRows(choice)}}, most, most);
}

/// Whether the rows lie in panels already and need no packing.
static bool hasRowsInPanels(const ContractionChoice &choice) {
  OpOperand *rows = choice.columnsAndRows().second;
  return isLarge(choice) &&
         llvm::any_of(choice.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
           return expr.getKind() == AffineExprKind::Mod && expr.isFunctionOfDim(choice.row);
         });
}

void chooseSplit(ContractionChoice &choice) {
  const int64_t products = choice.products();
  int64_t most = mostChunks(products, isLarge(choice) ? enoughLargeChunks : manyChunks);
  if (products <= parallelProducts)
    return;
  if (copiesRowsOnce(choice))
    return splitCopiedRows(choice);
  if (hasRowsInPanels(choice)) // each chunk copies columns, and memory is full there (fuse/WritePanels.cpp)
    most = mostChunks(products, enoughChunksOfPanels);
  int64_t laneSize = choice.bounds[choice.lane], outer = outerLoopOf(choice);
  int64_t columns = copiesRows(choice) ? columnsForCopies * choice.width() : choice.width();
  int64_t outside = outer >= 0 ? choice.bounds[outer] : 0, columnChunks = llvm::divideCeil(laneSize, columns);
  // A chunk of images packs all columns; a chunk of columns packs its own.
  bool hasManyOutside =
      !copiesColumns(choice) && outside >= fewOutside && outside > columnChunks && columnChunks < manyColumns;
  if ((laneSize >= fewColumns * choice.width() && !hasManyOutside) || choice.row < 0) {
    choice.split = gridOf(choice.kernel, {{choice.lane, laneSize, columns}}, most, most);
    return;
  }
  if (copiesColumns(choice)) // each chunk of rows copies them all
    most = std::min(most, tilesOfColumns(choice) / CpuCosts::copiedForTiles);
  if (outside > choice.bounds[choice.row] / choice.rows)
    choice.split = gridOf(choice.kernel, {{outer, outside, 1}}, most, most);
  else
    choice.split =
        gridOf(choice.kernel, {{choice.row, choice.bounds[choice.row], unitOfRows(choice)}}, most, most);
}

} // namespace dlc::schedule
