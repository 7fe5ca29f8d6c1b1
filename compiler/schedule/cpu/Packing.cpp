//===- Packing.cpp - blocks of loops, and operands packed between them -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a small contraction, the columns that a column of tiles reads stay in the first-level cache. In a large
// one they come from the second level, vector by vector, and rows from the first. Operands whose neighbouring
// steps lie far apart in memory are packed into panels before they are multiplied
// (docs/rationale/cpu-kernels.md).
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::schedule {

// Packed columns take at most this many bytes.
static constexpr int64_t mostColumnsBytes = 16 << 20;
// Steps of k that are this many bytes apart are neither prefetched by the hardware nor spread over the sets
// of a cache.
static constexpr int64_t farBytes = 1 << 10;

/// The longest block of the reduction whose packed columns fill 1/8 of L2 (1/2 if the other operand is not
/// packed).
static int64_t longestPackedBlock(const Product &product, cpu::TileAttr tile) {
  int64_t part = product.stride(product.rows, product.row) == 1 ? 8 : 2;
  return product.target.costs.l2Bytes / part / (product.widthOf(tile) * elementBytes(product.columns->get()));
}

/// The stride in bytes between neighbouring steps of k in an operand's memory; 0 if the stride varies.
static int64_t bytesApart(const Product &product, OpOperand *operand) {
  SmallVector<unsigned> reductions;
  product.root.getReductionDims(reductions);
  return product.stride(operand, reductions.back()).value_or(0) * elementBytes(operand->get());
}

bool isFar(const Product &product, OpOperand *operand) { return bytesApart(product, operand) >= farBytes; }

int64_t tilesOfColumns(const Product &product, cpu::TileAttr tile) {
  AffineMap map = product.root.getMatchingIndexingMap(product.columns);
  int64_t rows = 1;
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
    if (!map.isFunctionOfDim(loop))
      rows *= product.bounds[loop];
  return rows / tile.getRows();
}

bool isLarge(const Product &product, cpu::TileAttr tile) {
  OpOperand *columns = product.columns, *rows = product.rows;
  if (!columns || product.row < 0 || product.target.lanes == 1)
    return false;
  SmallVector<unsigned> reductions;
  product.root.getReductionDims(reductions);
  bool isWindow = llvm::any_of(product.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
    return llvm::count_if(llvm::seq(product.bounds.size()),
                          [&](size_t loop) { return expr.isFunctionOfDim(loop); }) > 1;
  });
  bool across = product.stride(columns, product.lane) != 1;
  AffineMap ofColumns = product.root.getMatchingIndexingMap(columns),
            ofRows = product.root.getMatchingIndexingMap(rows);
  bool areMany = llvm::any_of(llvm::seq(product.parallelLoops()), [&](unsigned loop) {
    return ofColumns.isFunctionOfDim(loop) && ofRows.isFunctionOfDim(loop);
  });
  int64_t wide = across ? product.bounds[product.lane] : 0;
  int64_t tiles = product.pairs >= 0 ? CpuCosts::pairedForTiles : CpuCosts::tilesToTranspose(isWindow, wide);
  int64_t small = CpuCosts::stepsToTranspose(isWindow, across && areMany, wide);
  if (!across)
    small =
        std::min(small, product.target.costs.stepsNear(product.widthOf(tile) * elementBytes(columns->get())));
  if (product.steps() <= small || tilesOfColumns(product, tile) < tiles)
    return false;
  for (OpOperand *operand : {columns, rows})
    if (!cast<ShapedType>(operand->get().getType()).hasStaticShape())
      return false;
  int64_t last = reductions.back();
  // Squares are transposed along the last reduction loop.
  auto isLoop = [&](AffineExpr expr) {
    return !expr.isFunctionOfDim(last) || isa<AffineDimExpr>(expr) || expr.getKind() == AffineExprKind::Mod ||
           expr.getKind() == AffineExprKind::FloorDiv;
  };
  if (across && (product.stride(columns, last) != 1 ||
                 !llvm::all_of(product.root.getMatchingIndexingMap(columns).getResults(), isLoop)))
    return false;
  return across || product.wantsPairsPacked(columns, product.lane) || isFar(product, columns) ||
         product.stride(rows, product.row) == 1;
}

/// Whether the rows of each tile lie together in an operand, so that copies may take them as one vector:
/// those of a dim that lies in panels do where tiles divide the panels.
static bool areTogether(const Product &product, cpu::TileAttr tile, OpOperand *rows) {
  return llvm::none_of(product.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
    auto inside = dyn_cast<AffineBinaryOpExpr>(expr);
    auto panel = inside ? dyn_cast<AffineConstantExpr>(inside.getRHS()) : nullptr;
    return panel && inside.getKind() == AffineExprKind::Mod && expr.isFunctionOfDim(product.row) &&
           panel.getValue() % tile.getRows() != 0;
  });
}

bool packsRows(const Product &product, cpu::TileAttr tile) {
  OpOperand *rows = product.rows;
  return isLarge(product, tile) && product.stride(rows, product.row) == 1 &&
         areTogether(product, tile, rows) &&
         (product.wantsPairsPacked(rows, product.row) ||
          bytesApart(product, rows) >= product.target.costs.farRowBytes);
}

bool packsColumns(const Product &product, cpu::TileAttr tile) {
  OpOperand *columns = product.columns;
  return isLarge(product, tile) && (product.wantsPairsPacked(columns, product.lane) ||
                                    product.stride(columns, product.lane) != 1 || isFar(product, columns));
}

int64_t rowsBytes(const Product &product) {
  return elementBytes(product.rows->get()) * product.bounds[product.row] * product.steps();
}

// In a matrix product both of whose operands have far strides along k, the smaller operand is packed as a
// whole, and the larger one panel by panel, so that a packed panel never leaves the second-level cache.
bool packsRowsOnce(const Product &product, cpu::TileAttr tile) {
  if (!packsRows(product, tile) || !packsColumns(product, tile) || product.parallelLoops() != 2 ||
      product.root.getNumReductionLoops() != 1)
    return false;
  return product.stride(product.columns, product.lane) == 1 &&
         product.bounds[product.row] < product.bounds[product.lane] &&
         product.steps() <= longestPackedBlock(product, tile) && rowsBytes(product) <= mostColumnsBytes;
}

bool isFedWhole(const Product &product, cpu::TileAttr tile, ArrayRef<cpu::BlockAttr> nest) {
  return nest.empty() && product.columns && product.row >= 0 && product.target.lanes > 1 &&
         product.root.getNumReductionLoops() == 1 && product.parallelLoops() == 2 &&
         product.stride(product.columns, product.lane) == 1 && !isLarge(product, tile);
}

namespace {

// The columns of a small contraction are packed, one column of tiles after the other, if they have at most
// this many bytes.
constexpr int64_t smallCopyBytes = 16 << 10;
constexpr int64_t pageBytes = 4 << 10;

/// Builds the nest from the outside in, and notes at which depth operands are packed.
class BlockingChoice {
public:
  BlockingChoice(const Product &product, cpu::TileAttr tile, SplitRef split)
      : product(product), tile(tile), split(split), context(product.kernel.getContext()),
        columns(product.columns), rows(product.rows) {
    product.root.getReductionDims(reductions);
  }
  Blocking choose();

private:
  void blockSmall();
  void packSmall();
  void blockLarge();
  void blockReduction(int64_t steps);
  bool leavesSecondLevel() const;
  int64_t stepsOfChannels() const;
  int64_t sumsBytes() const;
  int64_t packAhead() const;
  void finishTileOfRows(size_t place);
  void add(int64_t loop, int64_t size) { nest.push_back(cpu::BlockAttr::get(context, loop, size)); }

  /// Bytes of an operand, inside of these loops of the nest, for each position along `loop`.
  int64_t bytesBeside(OpOperand *operand, int64_t loop, ArrayRef<cpu::BlockAttr> nest) const {
    SmallVector<int64_t> sizes = product.bounds;
    for (cpu::BlockAttr block : nest)
      sizes[block.getLoop()] = std::min(sizes[block.getLoop()], block.getSize());
    int64_t bytes = elementBytes(operand->get());
    for (int64_t size :
         cpu::PanelCoordinates(product.root.getMatchingIndexingMap(operand), loop).sizes(sizes))
      bytes *= size;
    return bytes;
  }

  const Product &product;
  cpu::TileAttr tile;
  SplitRef split;
  MLIRContext *context;
  OpOperand *columns, *rows;
  SmallVector<unsigned> reductions;
  SmallVector<cpu::BlockAttr> nest;
  int64_t columnsDepth = -1, rowsDepth = -1; // of the nest, where operands are packed
};

Blocking BlockingChoice::choose() {
  if (isLarge(product, tile))
    blockLarge();
  else
    blockSmall();
  return {nest, cpu::PackingAttr::get(context, columnsDepth, rowsDepth, packAhead())};
}

/// How many steps of k ahead packing prefetches what it reads; 0: not at all.
int64_t BlockingChoice::packAhead() const {
  constexpr int64_t stepsOfMemory = 8; // memory takes as long as a copy of so many
  bool areFar = (columnsDepth >= 0 && isFar(product, columns)) || (rowsDepth >= 0 && isFar(product, rows));
  return product.target.costs.fetchCopied && areFar ? stepsOfMemory : 0;
}

/// Bytes of all sums of one chunk.
int64_t BlockingChoice::sumsBytes() const {
  int64_t sums = 1;
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
    sums *= sizeOfChunk(product, split, loop);
  return sums * elementBytes(product.root.getResult(0));
}

void BlockingChoice::blockSmall() {
  if (columns && sumsBytes() <= product.target.costs.l2Bytes / 2 &&
      (reductions.size() > 1 || leavesSecondLevel()))
    blockReduction(longestPackedBlock(product, tile));
  if (analysis::isDepthwise(product.root) && sumsBytes() <= product.target.costs.l2Bytes / 2)
    blockReduction(stepsOfChannels());
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
    if (loop != product.lane && loop != product.row)
      add(loop, 1);
  if (isFedWhole(product, tile, nest))
    packSmall();
}

/// Whether the columns of a column of tiles, which all rows read in turn, exceed the second-level cache.
bool BlockingChoice::leavesSecondLevel() const {
  return product.row >= 0 && product.target.lanes > 1 && product.bounds[product.row] > tile.getRows() &&
         product.steps() * product.widthOf(tile) * elementBytes(columns->get()) >
             product.target.costs.l2Bytes;
}

/// Blocks the reduction of a depthwise convolution's weight gradient, so that the operands of a block, all
/// channels together, take half of the second-level cache: each column of tiles and each element of the
/// window reads them again from there.
int64_t BlockingChoice::stepsOfChannels() const {
  int64_t bytes = 0; // of a channel
  for (Value operand : product.root.getDpsInputs())
    bytes += elementBytes(operand);
  return product.target.costs.l2Bytes / 2 / (bytes * product.bounds[product.lane]);
}

/// Packs the operands of a matrix product that has no blocks, where tiles read them often enough.
void BlockingChoice::packSmall() {
  // Columns of a row-major matrix share few sets of the first-level cache. Where many tiles read them and
  // they fit it, packing them pays.
  int64_t reduction = reductions.front(), length = product.bounds[reduction];
  bool isStatic = cast<ShapedType>(columns->get().getType()).hasStaticShape();
  // Columns whose steps of k are whole pages apart share one set.
  bool sharesSet =
      product.stride(columns, reduction).value_or(0) * elementBytes(columns->get()) % pageBytes == 0;
  int64_t tiles = product.pairs >= 0 ? CpuCosts::pairedForTiles
                  : sharesSet        ? CpuCosts::copiedForTiles / 2
                                     : CpuCosts::copiedForTiles;
  if (isStatic && (product.pairs >= 0 || product.stride(columns, reduction) != product.widthOf(tile)) &&
      sizeOfChunk(product, split, product.row) / tile.getRows() >= tiles &&
      length * product.widthOf(tile) * elementBytes(columns->get()) <= smallCopyBytes)
    columnsDepth = 1; // each column of tiles
  // Unpacked, the pairs of a row would be put together from two elements each, for every column of tiles.
  bool areApart = product.pairs >= 0 && product.stride(rows, reduction) != 1;
  if (isStatic && areApart && product.stride(rows, product.row) == 1 && areTogether(product, tile, rows) &&
      product.bounds[product.lane] / product.widthOf(tile) >= CpuCosts::pairedForTiles &&
      rowsBytes(product) <= product.target.costs.l2Bytes / 8)
    rowsDepth = 0;
}

/// Cuts the reduction into blocks of at most `steps`: outer loops one by one, then one loop in blocks.
void BlockingChoice::blockReduction(int64_t steps) {
  int64_t inner = product.steps();
  for (unsigned loop : reductions) {
    if (inner <= steps)
      return;
    int64_t bound = product.bounds[loop];
    inner /= bound;
    int64_t most = std::max<int64_t>(1, steps / inner), blocks = llvm::divideCeil(bound, most);
    int64_t size = llvm::divideCeil(bound, blocks);
    if (size > 1 && loop == reductions.back()) // whole vectors, for copies that transpose
      size = std::min(bound, int64_t(llvm::alignTo(size, product.target.lanes)));
    size = llvm::alignTo(size, product.perStep(loop));
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
void BlockingChoice::finishTileOfRows(size_t place) {
  if (reductions.size() == 1 || place == nest.size())
    return;
  auto outermost = ArrayRef(nest).take_front(place + 1);
  int64_t image = bytesBeside(rows, product.row, outermost), l2Bytes = product.target.costs.l2Bytes;
  int64_t allColumns = bytesBeside(columns, product.lane, outermost) * product.bounds[product.lane];
  if (image * product.bounds[product.row] > l2Bytes && image * tile.getRows() + allColumns <= l2Bytes / 2)
    nest.insert(nest.begin() + place, cpu::BlockAttr::get(context, product.row, tile.getRows()));
}

void BlockingChoice::blockLarge() {
  if (packsRowsOnce(product, tile)) {
    rowsDepth = 0;
    columnsDepth = 1;
    return;
  }
  bool copyColumns = packsColumns(product, tile);
  bool rowsTogether = product.stride(rows, product.row) == 1;
  bool copyRows = packsRows(product, tile);
  // Whether a loop only moves the window within the packed rows, so that its iterations share the packed
  // copy.
  auto sharesRows = [&](int64_t loop) {
    return copyRows &&
           llvm::any_of(product.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
             return expr.isFunctionOfDim(loop) && llvm::any_of(reductions, [&](unsigned reduction) {
                      return expr.isFunctionOfDim(reduction);
                    });
           });
  };
  auto outerLoops = [&](llvm::function_ref<bool(int64_t)> isHere) {
    for (int64_t loop = 0; loop < product.parallelLoops(); ++loop)
      if (loop != product.lane && loop != product.row && isHere(loop))
        add(loop, 1);
  };
  AffineMap columnsMap = product.root.getMatchingIndexingMap(columns);
  outerLoops([&](int64_t loop) { return columnsMap.isFunctionOfDim(loop); });
  size_t beforeReduction = nest.size();
  if (rowsTogether || copyColumns)
    blockReduction(longestPackedBlock(product, tile));
  if (copyColumns) {
    const int64_t width = product.widthOf(tile);
    int64_t most = mostColumnsBytes / bytesBeside(columns, product.lane, nest) / width * width;
    if (most > 0 && most < product.bounds[product.lane])
      nest.insert(nest.begin() + beforeReduction, cpu::BlockAttr::get(context, product.lane, most));
    // Packs the columns that all rows of a matrix product read in turn just before they are read, one column
    // of tiles after the other: they are then still in a near cache, and take the memory of one column of
    // tiles.
    bool readInTurn = nest.empty() && !copyRows && product.parallelLoops() == 2;
    columnsDepth = nest.size() + (readInTurn ? 1 : 0);
  }
  size_t afterReduction = nest.size();
  outerLoops([&](int64_t loop) { return !columnsMap.isFunctionOfDim(loop) && !sharesRows(loop); });
  if (!copyRows)
    return finishTileOfRows(afterReduction);
  // Packed rows take half of the second-level cache; less where the operands of an update must stay there as
  // well.
  int64_t part = updates(product.kernel) ? 4 : 2;
  int64_t block = product.target.costs.l2Bytes / part / bytesBeside(rows, product.row, nest) /
                  tile.getRows() * tile.getRows();
  block = std::max<int64_t>(block, 4 * tile.getRows());
  if (block < product.bounds[product.row])
    add(product.row, block);
  rowsDepth = nest.size();
  outerLoops([&](int64_t loop) { return !columnsMap.isFunctionOfDim(loop) && sharesRows(loop); });
}

} // namespace

Blocking chooseBlocking(const Product &product, cpu::TileAttr tile, SplitRef split) {
  return BlockingChoice(product, tile, split).choose();
}

} // namespace dlc::schedule
