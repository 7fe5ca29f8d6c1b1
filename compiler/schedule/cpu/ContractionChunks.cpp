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

// Where each chunk needs memory of its own, fewer are enough.
static constexpr int64_t enoughLargeChunks = 16, enoughChunksOfPanels = 8;
// So many columns of tiles are enough to be shared if there are less than so many images, or so many columns.
static constexpr int64_t fewColumns = 4, manyColumns = 16, fewOutside = 8;
// A chunk that copies columns has them read by at least so many tiles.
static constexpr int64_t leastTiles = 8;
// A chunk that copies the rows for itself has at least so many columns of tiles.
static constexpr int64_t columnsForCopies = 4;

/// The loop outside of all tiles, such as that over images, that has the most iterations; -1 where there is
/// none.
static int64_t outerLoopOf(const ContractionChoice &choice) {
  int64_t best = -1;
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.lane && loop != choice.row && (best < 0 || choice.bounds[loop] > choice.bounds[best]))
      best = loop;
  return best;
}

/// Whether two threads share so many chunks evenly, which all take as long, or nearly so. More chunks would
/// be shared evenly by more threads, but each has copies of its own.
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
  // Blocks of rows end where parts do.
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

/// Of how many rows chunks of them are multiples.
static int64_t unitOfRows(const ContractionChoice &choice) {
  return choice.rows * (updates(choice.kernel) ? choice.target.costs.updateTiles : 1);
}

/// Where all rows are copied first, rows are what chunks share: each copies its own, and one column of tiles
/// after the other. Chunks of columns would each copy all rows, which takes as many times the memory. The
/// columns' copies, one for each chunk, take half of what the rows' take at most.
static void splitCopiedRows(ContractionChoice &choice) {
  int64_t column = choice.steps() * choice.width() * elementBytes(choice.columnsAndRows().first->get());
  int64_t most = std::clamp<int64_t>(rowsBytes(choice) / (2 * column), 2,
                                     mostChunks(choice.products(), enoughLargeChunks)) /
                 2 * 2;
  choice.split =
      gridOf(choice.kernel, {{choice.row, choice.bounds[choice.row], unitOfRows(choice)}}, most, most);
}

/// Whether rows lie in panels as they are, and need no copies.
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
  if (hasRowsInPanels(choice)) // each chunk copies columns, and memory is full there (fuse/InPanels.cpp)
    most = mostChunks(products, enoughChunksOfPanels);
  int64_t laneSize = choice.bounds[choice.lane], outer = outerLoopOf(choice);
  int64_t columns = copiesRows(choice) ? columnsForCopies * choice.width() : choice.width();
  int64_t outside = outer >= 0 ? choice.bounds[outer] : 0, columnChunks = llvm::divideCeil(laneSize, columns);
  // A chunk of images copies all columns; one of columns, its own.
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
