//===- MatrixUnit.cpp - contractions by a CPU's matrix unit ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX multiplies bf16 so much faster than vectors that it is fed by copies wherever an operand does not lie
// as it wants it (docs/rationale/cpu-kernels.md). The columns always are copied. Tiles of 32 x 32 need both
// operands from the second-level cache; vectors do what follows a tile.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"
#include "compiler/target/cpu/Scratch.h"
#include "dialects/train/Nonzero.h"
#include "dialects/train/Precision.h"

using namespace mlir;

namespace dlc::schedule {

using cpu::tileSide, cpu::tileSteps;

// Vectors compute fewer multiply-adds than this before the tile registers are configured and the operands
// packed; they also compute reductions, rows or columns that would leave most of a tile register empty.
constexpr int64_t leastProducts = 1 << 15, leastSize = 8;
// A chunk that copies the rows for itself has at least so many columns of tiles.
constexpr int64_t columnsForRows = 4;
// In each chunk, packed columns take at most this many bytes.
constexpr int64_t mostCopiedBytes = 4 << 20;

/// The reduction loop along which the unit takes its steps: of those that no operand moves along but in a dim
/// of its own, and that runs whole, the longest; -1: none.
static int64_t stepLoopOf(const ContractionChoice &choice) {
  IntegerSet terms = train::nonzeroTerms(choice.root);
  auto isCut = [&](int64_t loop) {
    return terms && llvm::any_of(terms.getConstraints(),
                                 [&](AffineExpr atLeastZero) { return atLeastZero.isFunctionOfDim(loop); });
  };
  int64_t best = -1;
  for (int64_t loop = choice.root.getNumParallelLoops(); loop < int64_t(choice.bounds.size()); ++loop)
    if (!isCut(loop) && (best < 0 || choice.bounds[loop] > choice.bounds[best]) &&
        llvm::all_of(choice.root.getDpsInputOperands(), [&](OpOperand *operand) {
          return movesAlone(choice.root.getMatchingIndexingMap(operand), loop, tileSteps);
        }))
      best = loop;
  return best;
}

/// Whether an operand can be packed in squares, in which `loop` runs along neighbours.
static bool canCopy(const ContractionChoice &choice, OpOperand *operand, int64_t loop, int64_t steps) {
  return movesAlone(choice.root.getMatchingIndexingMap(operand), loop, tileSide) &&
         (choice.stride(operand, loop) == 1 || choice.stride(operand, steps) == 1);
}

/// Whether the rows of a tile can be read as they lie, without packing.
static bool canReadRows(const ContractionChoice &choice, OpOperand *rows, int64_t steps) {
  auto isInPanels = [&](AffineExpr expr) {
    return expr.isFunctionOfDim(choice.row) &&
           (expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod);
  };
  const int64_t length = choice.root.getStaticLoopRanges()[steps];
  return !ShapedType::isDynamic(length) && length % tileSteps == 0 && choice.stride(rows, steps) == 1 &&
         choice.stride(rows, choice.row).value_or(0) > 0 &&
         llvm::none_of(choice.root.getMatchingIndexingMap(rows).getResults(), isInPanels);
}

bool runsOnMatrixUnit(ContractionChoice &choice) {
  FloatType low = train::lowTypeOf(choice.root);
  auto isLow = [](Value operand) { return getElementTypeOrSelf(operand.getType()).isBF16(); };
  if (!choice.target.amx || choice.target.lanes != tileSide || choice.row < 0 || !low || !low.isBF16() ||
      !llvm::all_of(choice.root.getDpsInputs(), isLow) || choice.products() < leastProducts)
    return false;
  auto [columns, rows] = choice.columnsAndRows();
  const int64_t steps = stepLoopOf(choice);
  if (!columns || steps < 0)
    return false;
  for (int64_t loop : {choice.lane, choice.row, steps})
    if (choice.bounds[loop] < leastSize)
      return false;
  if (!canCopy(choice, columns, choice.lane, steps) ||
      (!canReadRows(choice, rows, steps) && !canCopy(choice, rows, choice.row, steps)))
    return false;
  choice.pairs = steps;
  choice.amx = true;
  return true;
}

static void chooseUnitTile(ContractionChoice &choice) {
  choice.rows = choice.bounds[choice.row] > tileSide ? 2 * tileSide : tileSide;
  choice.vectors = choice.bounds[choice.lane] > tileSide ? 2 : 1;
  choice.masks = choice.target.costs.masksFirst && hasMasks(choice);
  choice.sideBySide = runsSideBySide(choice);
}

static void chooseUnitChunks(ContractionChoice &choice, bool copiesRows) {
  if (choice.products() <= parallelProducts)
    return;
  const int64_t most = mostChunks(choice.products(), manyChunks);
  int64_t outer = -1; // the longest of the loops outside of tiles
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.lane && loop != choice.row &&
        (outer < 0 || choice.bounds[loop] > choice.bounds[outer]))
      outer = loop;
  if (outer >= 0)
    choice.split = gridOf(choice.kernel, {{outer, choice.bounds[outer], 1}}, most, most);
  else if (const int64_t unit = choice.width() * (copiesRows ? columnsForRows : 1);
           choice.bounds[choice.lane] >= 4 * unit)
    choice.split = gridOf(choice.kernel, {{choice.lane, choice.bounds[choice.lane], unit}}, most, most);
  else
    choice.split = gridOf(choice.kernel, {{choice.row, choice.bounds[choice.row], choice.rows}}, enoughChunks,
                          enoughChunks);
}

/// Orders the nest: outside run the loops that move the columns, inside of which the columns are packed; then
/// the other loops, inside of which the rows are packed. In a matrix product, each column of tiles packs its
/// own columns, and rows run in blocks that fit the second-level cache.
static void chooseUnitNest(ContractionChoice &choice, bool copiesRows) {
  auto [columns, rows] = choice.columnsAndRows();
  MLIRContext *context = choice.kernel.getContext();
  AffineMap map = choice.root.getMatchingIndexingMap(columns);
  auto add = [&](int64_t loop, int64_t size) {
    choice.nest.push_back(cpu::BlockAttr::get(context, loop, size));
  };
  auto addOuter = [&](bool ofColumns) {
    for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
      if (loop != choice.lane && loop != choice.row && map.isFunctionOfDim(loop) == ofColumns)
        add(loop, 1);
  };
  const int64_t columnBytes = choice.steps() * choice.width() * elementBytes(columns->get());
  addOuter(true);
  const int64_t most = std::max<int64_t>(1, mostCopiedBytes / columnBytes) * choice.width();
  const size_t copied = choice.nest.size();
  const bool hasOthers = int64_t(copied) + 2 < choice.root.getNumParallelLoops();
  const int64_t block = std::max<int64_t>(4, choice.target.costs.l2Bytes / 2 /
                                                 (choice.steps() * elementBytes(rows->get()) * choice.rows));
  const bool hasBlocks = !hasOthers && block * choice.rows < choice.bounds[choice.row];
  if (!hasOthers && !hasBlocks) {
    choice.columns = copied + 1;
  } else {
    if (most < choice.sizeOfChunk(choice.lane))
      add(choice.lane, most);
    choice.columns = choice.nest.size();
    addOuter(false);
    if (hasBlocks)
      add(choice.row, block * choice.rows);
  }
  if (copiesRows)
    choice.rowsCopied = choice.nest.size();
}

void chooseForMatrixUnit(ContractionChoice &choice) {
  chooseUnitTile(choice);
  const bool copiesRows = !canReadRows(choice, choice.columnsAndRows().second, choice.pairs);
  chooseUnitChunks(choice, copiesRows);
  chooseUnitNest(choice, copiesRows);
}

} // namespace dlc::schedule
