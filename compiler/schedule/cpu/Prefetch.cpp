//===- Prefetch.cpp - what tiles ask for before they read it ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tiles of a convolution work on one image before the next, or on one line of a large image. The first
// ones would wait for memory, which the others then leave idle. So each tile prefetches its share of what
// comes next. In a matrix product it prefetches rows, columns, or what its epilogue reads.
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

// The rows of a matrix are prefetched if the matrix has at least this many bytes.
constexpr int64_t fetchedBytes = 128 << 10;
constexpr int64_t lineBytes = 64;
// A tile prefetches at most one line every `stepsOfLine` steps; the steps of tiles with fewer sums than
// `leastSums` are too short for that.
constexpr int64_t stepsOfLine = 2, leastSums = 8;

/// The region of an operand that a part of the loops reads.
struct Extent {
  int64_t span = 1, elements = 1; ///< from the first to the last, and how many
};

/// The region for loops of these sizes; nullopt where the dims are not in order in memory, or a stride is not
/// known.
std::optional<Extent> extentOf(const Product &product, OpOperand &operand, ArrayRef<int64_t> sizes) {
  Extent extent;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> stride = product.stride(&operand, loop);
    if (!stride || *stride < 0)
      return std::nullopt;
    extent.span += *stride * (size - 1);
  }
  for (AffineExpr expr : product.root.getMatchingIndexingMap(&operand).getResults()) {
    if (expr.getKind() == AffineExprKind::Mod || expr.getKind() == AffineExprKind::FloorDiv)
      return std::nullopt;
    int64_t positions = 1;
    for (auto [size, factor] : llvm::zip_first(sizes, cpu::coefficientsOf(expr, sizes.size())))
      positions += factor * (size - 1);
    extent.elements *= positions;
  }
  return extent;
}

/// The loop whose next iteration tiles prefetch, and the lines of each operand.
struct Next {
  int64_t loop = -1;
  SmallVector<int64_t> lines;
};

class NextChoice {
public:
  NextChoice(const Product &product, cpu::TileAttr tile, SplitRef split, const Blocking &blocking)
      : product(product), tile(tile), split(split), blocking(blocking), nest(blocking.nest) {}
  Next choose(cpu::ReductionAttr reduction) const;

private:
  /// The lines for the loop at this depth of the nest; none where the next iteration is not prefetched.
  SmallVector<int64_t> linesAt(size_t depth) const;
  int64_t sharesAt(size_t depth, ArrayRef<int64_t> sizes, int64_t &steps) const;
  /// Whether the loop runs inside the first loops of the nest.
  bool isInside(int64_t loop, size_t depth) const {
    return llvm::none_of(nest.take_front(depth),
                         [&](cpu::BlockAttr block) { return block.getLoop() == loop; });
  }
  bool isSplit(int64_t loop) const {
    return llvm::any_of(split, [&](cpu::SplitAttr cut) { return cut.getLoop() == loop; });
  }
  /// Whether tiles read a packed copy of the operand.
  bool isPacked(OpOperand &operand) const {
    return &operand == product.columns ? blocking.packing.packsColumns() : blocking.packing.packsRows();
  }

  const Product &product;
  cpu::TileAttr tile;
  SplitRef split;
  const Blocking &blocking;
  ArrayRef<cpu::BlockAttr> nest;
};

/// How often one iteration prefetches: the number of its tiles times the iterations of the reduction's first
/// loop in each, of which each has `steps` steps.
int64_t NextChoice::sharesAt(size_t depth, ArrayRef<int64_t> sizes, int64_t &steps) const {
  const int64_t width = product.widthOf(tile);
  int64_t shares = llvm::divideCeil(isSplit(product.lane) ? width : product.bounds[product.lane], width);
  shares *= isSplit(product.row) ? 1 : llvm::divideCeil(product.bounds[product.row], tile.getRows());
  int64_t first = -1;
  for (int64_t inner = 0; inner < int64_t(sizes.size()); ++inner) {
    bool isReduction = inner >= product.parallelLoops();
    if (isReduction && isInside(inner, nest.size())) {
      (first < 0 ? shares : steps) *= sizes[inner] / product.perStep(inner);
      first = first < 0 ? inner : first;
    } else if (inner != product.lane && inner != product.row && isInside(inner, depth + 1)) {
      shares *= sizes[inner];
    }
  }
  return shares;
}

/// Tiles prefetch the next iteration if the operands of both iterations fit the second-level cache, and the
/// steps of the reduction hide the loads.
SmallVector<int64_t> NextChoice::linesAt(size_t depth) const {
  int64_t loop = nest[depth].getLoop();
  // Threads would share the tiles of one iteration, and none of them would know which lines are left to it.
  bool areShared = llvm::any_of(nest.drop_front(depth + 1),
                                [&](cpu::BlockAttr inner) { return isSplit(inner.getLoop()); });
  if (areShared || product.bounds[loop] == 1)
    return {};
  SmallVector<int64_t> sizes = product.bounds, given = product.root.getStaticLoopRanges();
  for (size_t outer = 0; outer <= depth; ++outer)
    given[nest[outer].getLoop()] = sizes[nest[outer].getLoop()] = 1;
  if (llvm::any_of(given, ShapedType::isDynamic))
    return {};
  int64_t steps = 1, bytes = 0, all = 0;
  const int64_t shares = sharesAt(depth, sizes, steps);
  SmallVector<int64_t> lines;
  for (OpOperand *operand : product.root.getDpsInputOperands()) {
    std::optional<Extent> extent = extentOf(product, *operand, sizes);
    if (!extent || isPacked(*operand))
      return {};
    int64_t read = extent->span * elementBytes(operand->get());
    bool moves = product.stride(operand, loop) != 0;
    // A region with gaps, or of a tensor that is in the cache, is not prefetched.
    bool isFar = moves && 4 * extent->span <= 5 * extent->elements &&
                 read * product.bounds[loop] > product.target.costs.l2Bytes;
    lines.push_back(isFar ? llvm::divideCeil(llvm::divideCeil(read, lineBytes), shares) : 0);
    bytes += moves ? 2 * read : read;
    all += lines.back();
  }
  bool pays = all > 0 && all * stepsOfLine <= steps && bytes <= product.target.costs.l2Bytes;
  return pays ? lines : SmallVector<int64_t>();
}

Next NextChoice::choose(cpu::ReductionAttr reduction) const {
  if (!product.target.costs.fetchRows || product.target.lanes == 1 || !product.columns ||
      tile.getRows() * tile.getVectors() < leastSums)
    return {};
  // Only loops in blocks of one are taken, so that it is simple which tile prefetches what.
  for (cpu::BlockAttr block : nest)
    if (block.getSize() != 1 || reduction.descends(block.getLoop()))
      return {};
  for (size_t depth = 0; depth < nest.size(); ++depth)
    if (SmallVector<int64_t> lines = linesAt(depth); !lines.empty())
      return {nest[depth].getLoop(), lines};
  return {};
}

/// Whether each tile reads new rows from memory. The rows of a small matrix are in the cache from before.
bool readsNewRows(const Product &product) {
  return product.target.costs.fetchRows && product.root.getNumReductionLoops() == 1 &&
         product.stride(product.rows, product.parallelLoops()) == 1 &&
         product.stride(product.rows, product.row) == product.steps() && rowsBytes(product) >= fetchedBytes;
}

/// Whether rows in panels leave the second-level cache before the next column of tiles reads them again.
bool readsPanelsAgain(const Product &product) {
  return product.target.costs.fetchRows && product.root.getNumReductionLoops() == 1 &&
         product.parallelLoops() == 2 && rowsBytes(product) > product.target.costs.l2Bytes / 2;
}

bool prefetchesRows(const Product &product, cpu::TileAttr tile, ArrayRef<cpu::BlockAttr> nest) {
  if (isFedWhole(product, tile, nest))
    return readsNewRows(product);
  if (!nest.empty() || !isLarge(product, tile))
    return false;
  if (packsRows(product, tile))
    return packsRowsOnce(product, tile) && readsPanelsAgain(product);
  return product.stride(product.rows, product.row) == 1 ? readsPanelsAgain(product) : readsNewRows(product);
}

/// How many steps of k ahead columns are prefetched that lie far apart in a large matrix: the hardware
/// prefetches what is contiguous, but not these.
int64_t columnsAhead(const Product &product, cpu::TileAttr tile, const Blocking &blocking) {
  constexpr int64_t stepsOfMemory = 32;
  if (!product.target.costs.fetchRows || blocking.packing.packsColumns() ||
      !isFedWhole(product, tile, blocking.nest))
    return 0;
  auto type = cast<RankedTensorType>(product.columns->get().getType());
  return type.hasStaticShape() && type.getNumElements() * elementBytes(type) >= fetchedBytes &&
                 isFar(product, product.columns)
             ? stepsOfMemory
             : 0;
}

/// Whether the epilogue updates a tensor in place of which a tile's rows do not lie one behind the other.
/// Caches fetch ahead what lies in one piece, but not these.
bool updatesRowsApart(const Product &product, cpu::TileAttr tile) {
  constexpr int64_t part = 16; // of the second-level cache: less stays there from step to step
  linalg::GenericOp epilogue = epilogueOf(product.kernel);
  return epilogue && updates(product.kernel) && product.row >= 0 && product.target.lanes > 1 &&
         llvm::any_of(epilogue.getDpsInputOperands(), [&](OpOperand *operand) {
           auto type = cast<RankedTensorType>(operand->get().getType());
           // Parallel loops come first: the epilogue's loops are these.
           AffineMap map = epilogue.getMatchingIndexingMap(operand);
           return isa<BlockArgument>(operand->get()) && type.hasStaticShape() &&
                  type.getNumElements() * elementBytes(type) >= product.target.costs.l2Bytes / part &&
                  strideAlong(product.kernel, map, operand->get(), product.row) > product.widthOf(tile);
         });
}

/// How many tiles ahead the epilogue's operands are prefetched; 0: they are not. The latency of memory is
/// some 64 steps of a tile.
int64_t epilogueAhead(const Product &product, cpu::TileAttr tile) {
  constexpr int64_t stepsOfMemory = 64;
  if (updatesRowsApart(product, tile))
    return std::max<int64_t>(1, llvm::divideCeil(stepsOfMemory, product.steps()));
  return readsFar(product);
}

} // namespace

cpu::PrefetchAttr choosePrefetch(const Product &product, cpu::TileAttr tile, cpu::ReductionAttr reduction,
                                 SplitRef split, const Blocking &blocking) {
  MLIRContext *context = product.kernel.getContext();
  if (product.amx) // reads what has just been packed
    return cpu::PrefetchAttr::none(context);
  const Next next = NextChoice(product, tile, split, blocking).choose(reduction);
  return cpu::PrefetchAttr::get(context, prefetchesRows(product, tile, blocking.nest),
                                columnsAhead(product, tile, blocking), epilogueAhead(product, tile),
                                next.loop, next.lines);
}

} // namespace dlc::schedule
