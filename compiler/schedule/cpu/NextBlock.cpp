//===- NextBlock.cpp - what tiles fetch while they compute -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tiles of a convolution work on one image before the next, or on one line of a large image. The first
// ones would wait for memory, which the others then leave idle. So each tile fetches its share of what comes
// next.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"
#include "compiler/target/cpu/Scratch.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

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
std::optional<Extent> extentOf(const ContractionChoice &choice, OpOperand &operand, ArrayRef<int64_t> sizes) {
  Extent extent;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> stride = choice.stride(&operand, loop);
    if (!stride || *stride < 0)
      return std::nullopt;
    extent.span += *stride * (size - 1);
  }
  for (AffineExpr expr : choice.root.getMatchingIndexingMap(&operand).getResults()) {
    if (expr.getKind() == AffineExprKind::Mod || expr.getKind() == AffineExprKind::FloorDiv)
      return std::nullopt;
    int64_t positions = 1;
    for (auto [size, factor] : llvm::zip_first(sizes, cpu::coefficientsOf(expr, sizes.size())))
      positions += factor * (size - 1);
    extent.elements *= positions;
  }
  return extent;
}

class NextBlock {
public:
  explicit NextBlock(ContractionChoice &choice) : choice(choice) {}
  bool choose(size_t depth);

private:
  bool isInside(int64_t loop, size_t depth) const;
  bool isSplit(int64_t loop) const {
    return llvm::any_of(choice.split, [&](cpu::SplitAttr split) { return split.getLoop() == loop; });
  }
  /// Whether tiles read a packed copy of the operand.
  bool isCopied(OpOperand &operand) const {
    return (&operand == choice.columnsAndRows().first ? choice.columns : choice.rowsCopied) >= 0;
  }

  ContractionChoice &choice;
};

/// Whether the loop runs inside the first loops of the nest.
bool NextBlock::isInside(int64_t loop, size_t depth) const {
  return llvm::none_of(ArrayRef(choice.nest).take_front(depth),
                       [&](cpu::BlockAttr block) { return block.getLoop() == loop; });
}

/// Lets tiles prefetch what the next iteration of the loop at this depth of the nest reads, if the operands
/// of both iterations fit the second-level cache, and the steps of the reduction hide the loads.
bool NextBlock::choose(size_t depth) {
  int64_t loop = choice.nest[depth].getLoop();
  // Threads would share the tiles of one iteration, and none of them would know which lines are left to it.
  bool areShared = llvm::any_of(ArrayRef(choice.nest).drop_front(depth + 1),
                                [&](cpu::BlockAttr inner) { return isSplit(inner.getLoop()); });
  if (areShared || choice.bounds[loop] == 1)
    return false;
  SmallVector<int64_t> sizes = choice.bounds, given = choice.root.getStaticLoopRanges();
  for (size_t outer = 0; outer <= depth; ++outer)
    given[choice.nest[outer].getLoop()] = sizes[choice.nest[outer].getLoop()] = 1;
  if (llvm::any_of(given, ShapedType::isDynamic))
    return false;
  // How often one iteration prefetches: the number of its tiles times the iterations of the reduction's first
  // loop in each.
  int64_t shares =
      llvm::divideCeil(isSplit(choice.lane) ? choice.width() : choice.bounds[choice.lane], choice.width());
  shares *= isSplit(choice.row) ? 1 : llvm::divideCeil(choice.bounds[choice.row], choice.rows);
  int64_t steps = 1, first = -1;
  for (int64_t inner = 0; inner < int64_t(sizes.size()); ++inner) {
    bool isReduction = inner >= int64_t(choice.root.getNumParallelLoops());
    if (isReduction && isInside(inner, choice.nest.size())) {
      (first < 0 ? shares : steps) *= sizes[inner] / choice.perStep(inner);
      first = first < 0 ? inner : first;
    } else if (inner != choice.lane && inner != choice.row && isInside(inner, depth + 1)) {
      shares *= sizes[inner];
    }
  }
  int64_t bytes = 0, lines = 0;
  SmallVector<int64_t> linesOf;
  for (OpOperand *operand : choice.root.getDpsInputOperands()) {
    std::optional<Extent> extent = extentOf(choice, *operand, sizes);
    if (!extent || isCopied(*operand))
      return false;
    int64_t read = extent->span * elementBytes(operand->get());
    bool moves = choice.stride(operand, loop) != 0;
    // A region with gaps, or of a tensor that is in the cache, is not prefetched.
    bool isFar = moves && 4 * extent->span <= 5 * extent->elements &&
                 read * choice.bounds[loop] > choice.target.costs.l2Bytes;
    linesOf.push_back(isFar ? llvm::divideCeil(llvm::divideCeil(read, lineBytes), shares) : 0);
    bytes += moves ? 2 * read : read;
    lines += linesOf.back();
  }
  if (lines == 0 || lines * stepsOfLine > steps || bytes > choice.target.costs.l2Bytes)
    return false;
  choice.next = loop;
  choice.nextLines = linesOf;
  return true;
}

} // namespace

void chooseNext(ContractionChoice &choice) {
  if (!choice.target.costs.fetchRows || choice.target.lanes == 1 || !choice.columnsAndRows().first ||
      choice.rows * choice.vectors < leastSums)
    return;
  // Only loops in blocks of one are taken, so that it is simple which tile prefetches what.
  for (cpu::BlockAttr block : choice.nest)
    if (block.getSize() != 1 || llvm::is_contained(choice.descending, block.getLoop()))
      return;
  size_t depth = 0;
  while (depth < choice.nest.size() && !NextBlock(choice).choose(depth))
    ++depth;
}

} // namespace dlc::schedule
