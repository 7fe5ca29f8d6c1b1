//===- Blocks.cpp - what of a contraction's operands lies in which cache ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a small contraction, the columns that a column of tiles reads stay in the first-level cache. In a large
// one they come from the second level, vector by vector, and rows from the first.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"
#include "compiler/target/cpu/Scratch.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

// The columns of a small contraction are packed, one column of tiles after the other, if they have at most
// this many bytes.
constexpr int64_t smallCopyBytes = 16 << 10;
constexpr int64_t pageBytes = 4 << 10;
// The rows of a matrix are prefetched if the matrix has at least this many bytes.
constexpr int64_t fetchedBytes = 128 << 10;

class Blocks {
public:
  explicit Blocks(ContractionChoice &choice) : choice(choice), context(choice.kernel.getContext()) {
    choice.root.getReductionDims(reductions);
    std::tie(columns, rows) = choice.columnsAndRows();
  }
  void choose();

private:
  void feedSmall();
  void blockLarge();
  void blockReduction(int64_t steps);
  bool fetchesRows() const;
  bool fetchesPanels() const;
  bool leavesSecondLevel() const;
  int64_t stepsOfChannels() const;
  int64_t columnsAhead() const;
  void finishTileOfRows(size_t place);
  void add(int64_t loop, int64_t size) { choice.nest.push_back(cpu::BlockAttr::get(context, loop, size)); }

  /// Bytes of an operand, inside of these loops of the nest, for each position along `loop`.
  int64_t bytesBeside(OpOperand *operand, int64_t loop, ArrayRef<cpu::BlockAttr> nest) const {
    SmallVector<int64_t> sizes = choice.bounds;
    for (cpu::BlockAttr block : nest)
      sizes[block.getLoop()] = std::min(sizes[block.getLoop()], block.getSize());
    int64_t bytes = elementBytes(operand->get());
    for (int64_t size : cpu::PanelCoordinates(choice.root.getMatchingIndexingMap(operand), loop).sizes(sizes))
      bytes *= size;
    return bytes;
  }

  ContractionChoice &choice;
  MLIRContext *context;
  SmallVector<unsigned> reductions;
  OpOperand *columns, *rows;
};

void Blocks::choose() {
  if (isLarge(choice))
    return blockLarge();
  if (columns && choice.sumsBytes() <= choice.target.costs.l2Bytes / 2 &&
      (reductions.size() > 1 || leavesSecondLevel()))
    blockReduction(longestPackedBlock(choice));
  if (train::isDepthwise(choice.root) && choice.sumsBytes() <= choice.target.costs.l2Bytes / 2)
    blockReduction(stepsOfChannels());
  bool isCut = !choice.nest.empty();
  if (isCut) // sums are not complete when a tile ends
    choice.pipeline = 0;
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.lane && loop != choice.row)
      add(loop, 1);
  if (!isCut)
    feedSmall();
}

/// Whether the columns of a column of tiles, which all rows read in turn, exceed the second-level cache.
bool Blocks::leavesSecondLevel() const {
  return choice.row >= 0 && choice.target.lanes > 1 && choice.bounds[choice.row] > choice.rows &&
         choice.steps() * choice.width() * elementBytes(columns->get()) > choice.target.costs.l2Bytes;
}

/// Blocks the reduction of a depthwise convolution's weight gradient, so that the operands of a block, all
/// channels together, take half of the second-level cache: each column of tiles and each element of the
/// window reads them again from there.
int64_t Blocks::stepsOfChannels() const {
  int64_t bytes = 0; // of a channel
  for (Value operand : choice.root.getDpsInputs())
    bytes += elementBytes(operand);
  return choice.target.costs.l2Bytes / 2 / (bytes * choice.bounds[choice.lane]);
}

/// Chooses how the two operands of a matrix product come into the first-level cache: packed, prefetched, or
/// as they lie.
void Blocks::feedSmall() {
  if (!columns || choice.row < 0 || choice.target.lanes == 1 || reductions.size() != 1 ||
      choice.root.getNumParallelLoops() != 2 || choice.stride(columns, choice.lane) != 1)
    return;
  // Columns of a row-major matrix share few sets of the first-level cache. Where many tiles read them and
  // they fit it, packing them pays.
  int64_t reduction = reductions.front(), length = choice.bounds[reduction];
  bool isStatic = cast<ShapedType>(columns->get().getType()).hasStaticShape();
  // Columns whose steps of k are whole pages apart share one set.
  bool sharesSet =
      choice.stride(columns, reduction).value_or(0) * elementBytes(columns->get()) % pageBytes == 0;
  int64_t tiles = choice.pairs >= 0 ? CpuCosts::pairedForTiles
                  : sharesSet       ? CpuCosts::copiedForTiles / 2
                                    : CpuCosts::copiedForTiles;
  if (isStatic && (choice.pairs >= 0 || choice.stride(columns, reduction) != choice.width()) &&
      choice.rowsOfChunk() / choice.rows >= tiles &&
      length * choice.width() * elementBytes(columns->get()) <= smallCopyBytes)
    choice.columns = choice.nest.size() + 1;
  choice.ahead = fetchesRows();
  choice.columnsAhead = columnsAhead();
  // Unpacked, the pairs of a row would be put together from two elements each, for every column of tiles.
  bool areApart = choice.pairs >= 0 && choice.stride(rows, reduction) != 1;
  if (isStatic && areApart && choice.stride(rows, choice.row) == 1 && areTogether(choice, rows) &&
      choice.bounds[choice.lane] / choice.width() >= CpuCosts::pairedForTiles &&
      rowsBytes(choice) <= choice.target.costs.l2Bytes / 8)
    choice.rowsCopied = choice.nest.size();
}

/// Whether each tile reads new rows from memory. The rows of a small matrix are in the cache from before.
bool Blocks::fetchesRows() const {
  return choice.target.costs.fetchRows && reductions.size() == 1 &&
         choice.stride(rows, reductions.front()) == 1 && choice.stride(rows, choice.row) == choice.steps() &&
         rowsBytes(choice) >= fetchedBytes;
}

/// How many steps of k ahead columns are prefetched that lie far apart in a large matrix: the hardware
/// prefetches what is contiguous, but not these.
int64_t Blocks::columnsAhead() const {
  constexpr int64_t stepsOfMemory = 32;
  auto type = cast<RankedTensorType>(columns->get().getType());
  return choice.target.costs.fetchRows && type.hasStaticShape() && choice.columns < 0 &&
                 type.getNumElements() * elementBytes(type) >= fetchedBytes && isFar(choice, columns)
             ? stepsOfMemory
             : 0;
}

/// Whether rows in panels leave the second-level cache before the next column of tiles reads them again.
bool Blocks::fetchesPanels() const {
  return choice.target.costs.fetchRows && reductions.size() == 1 && choice.root.getNumParallelLoops() == 2 &&
         rowsBytes(choice) > choice.target.costs.l2Bytes / 2;
}

/// Cuts the reduction into blocks of at most `steps`: outer loops one by one, then one loop in blocks.
void Blocks::blockReduction(int64_t steps) {
  int64_t inner = choice.steps();
  for (unsigned loop : reductions) {
    if (inner <= steps)
      return;
    int64_t bound = choice.bounds[loop];
    inner /= bound;
    int64_t most = std::max<int64_t>(1, steps / inner), blocks = llvm::divideCeil(bound, most);
    int64_t size = llvm::divideCeil(bound, blocks);
    if (size > 1 && loop == reductions.back()) // whole vectors, for copies that transpose
      size = std::min(bound, int64_t(llvm::alignTo(size, choice.target.lanes)));
    size = llvm::alignTo(size, choice.perStep(loop));
    if (size < bound)
      add(loop, size);
    if (size > 1)
      return;
  }
}

/// Lets the loops from `place` on, which move the windows of images, run for one tile of rows (images) before
/// the next. Neighbouring windows of an image have most elements in common, but these have left the
/// second-level cache when the windows of all other images have been read in between. This needs room in the
/// cache for the windows of one tile and all columns.
void Blocks::finishTileOfRows(size_t place) {
  if (reductions.size() == 1 || place == choice.nest.size())
    return;
  auto outermost = ArrayRef(choice.nest).take_front(place + 1);
  int64_t image = bytesBeside(rows, choice.row, outermost), l2Bytes = choice.target.costs.l2Bytes;
  int64_t allColumns = bytesBeside(columns, choice.lane, outermost) * choice.bounds[choice.lane];
  if (image * choice.bounds[choice.row] > l2Bytes && image * choice.rows + allColumns <= l2Bytes / 2)
    choice.nest.insert(choice.nest.begin() + place, cpu::BlockAttr::get(context, choice.row, choice.rows));
}

void Blocks::blockLarge() {
  if (copiesRowsOnce(choice)) {
    choice.rowsCopied = 0;
    choice.columns = 1;
    choice.ahead = fetchesPanels();
    return;
  }
  bool copyColumns = copiesColumns(choice);
  bool rowsTogether = choice.stride(rows, choice.row) == 1;
  bool copyRows = copiesRows(choice);
  // Whether a loop only moves the window within the packed rows, so that its iterations share the packed
  // copy.
  auto sharesRows = [&](int64_t loop) {
    return copyRows &&
           llvm::any_of(choice.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
             return expr.isFunctionOfDim(loop) && llvm::any_of(reductions, [&](unsigned reduction) {
                      return expr.isFunctionOfDim(reduction);
                    });
           });
  };
  auto outerLoops = [&](llvm::function_ref<bool(int64_t)> isHere) {
    for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
      if (loop != choice.lane && loop != choice.row && isHere(loop))
        add(loop, 1);
  };
  AffineMap columnsMap = choice.root.getMatchingIndexingMap(columns);
  outerLoops([&](int64_t loop) { return columnsMap.isFunctionOfDim(loop); });
  size_t beforeReduction = choice.nest.size();
  if (rowsTogether || copyColumns)
    blockReduction(longestPackedBlock(choice));
  if (choice.nest.size() > beforeReduction) // sums are not complete when a tile ends
    choice.pipeline = 0;
  if (copyColumns) {
    int64_t most =
        mostColumnsBytes / bytesBeside(columns, choice.lane, choice.nest) / choice.width() * choice.width();
    if (most > 0 && most < choice.bounds[choice.lane])
      choice.nest.insert(choice.nest.begin() + beforeReduction,
                         cpu::BlockAttr::get(context, choice.lane, most));
    // Packs the columns that all rows of a matrix product read in turn just before they are read, one column
    // of tiles after the other: they are then still in a near cache, and take the memory of one column of
    // tiles.
    bool readInTurn = choice.nest.empty() && !copyRows && choice.root.getNumParallelLoops() == 2;
    choice.columns = choice.nest.size() + (readInTurn ? 1 : 0);
  }
  size_t afterReduction = choice.nest.size();
  outerLoops([&](int64_t loop) { return !columnsMap.isFunctionOfDim(loop) && !sharesRows(loop); });
  if (!copyRows) {
    finishTileOfRows(afterReduction);
    choice.ahead = choice.nest.empty() && (rowsTogether ? fetchesPanels() : fetchesRows());
    return;
  }
  // Packed rows take half of the second-level cache; less where the operands of an update must stay there as
  // well.
  int64_t part = updates(choice.kernel) ? 4 : 2;
  int64_t block = choice.target.costs.l2Bytes / part / bytesBeside(rows, choice.row, choice.nest) /
                  choice.rows * choice.rows;
  block = std::max<int64_t>(block, 4 * choice.rows);
  if (block < choice.bounds[choice.row])
    add(choice.row, block);
  choice.rowsCopied = choice.nest.size();
  outerLoops([&](int64_t loop) { return !columnsMap.isFunctionOfDim(loop) && sharesRows(loop); });
}

} // namespace

void chooseBlocks(ContractionChoice &choice) { Blocks(choice).choose(); }

} // namespace dlc::schedule
