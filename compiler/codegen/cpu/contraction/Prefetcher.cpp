//===- Prefetcher.cpp - what a tile asks for before it is needed -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/Prefetcher.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen {

/// Prefetches the cache line in which a vector begins. `isLast`: the vector is the last of a row of
/// neighbouring vectors. If the next row, `toNext` elements further, begins elsewhere in a line, so may this
/// one, and then it ends in a line of its own.
static void fetchVector(Builder &b, const Access &access, Point at, bool isLast,
                        std::optional<int64_t> toNext, Value tensor) {
  constexpr int64_t lineBytes = 64;
  access.prefetch(b, at);
  if (!isLast || at.laneDim < 0 || (toNext && *toNext * elementBytes(tensor) % lineBytes == 0))
    return;
  at.loops[at.laneDim] = at.loops[at.laneDim] + (at.lanes - 1);
  access.prefetch(b, at);
}

Prefetcher::Prefetcher(KernelFunction &kernel, const TileLoops &loops, TileOperands &operands)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()), loops(loops),
      operands(operands), form(loops.form().getPrefetch()), lane(loops.shape().getLane()),
      row(loops.shape().getRow()) {
  if (form.getNext() >= 0)
    shareLoop =
        *llvm::find_if(loops.reductions(), [&](int64_t loop) { return loops.form().depthOf(loop) < 0; });
}

int64_t Prefetcher::stepsOfLine() const {
  constexpr int64_t lineBytes = 64;
  const int64_t stepBytes = elementBytes(cpu::operandAlong(root, row, lane).get()) * loops.shape().getRows() *
                            loops.reduction().perStep(loops.k());
  return std::max<int64_t>(1, lineBytes / stepBytes);
}

void Prefetcher::epilogueAt(const Point &point, bool isLastOfRow) {
  if (!hasEpilogue())
    return;
  int64_t rowInEpilogue = llvm::find(loops.parallel(), row) - loops.parallel().begin();
  Point then = point;
  then.loops[row] = then.loops[row] + (form.getEpilogue() - 1) * loops.shape().getRows();
  Point here = loops.epiloguePoint(then);
  for (linalg::GenericOp op : kernel.operations().drop_front())
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isa<BlockArgument>(operand->get()) || kernel.scalarInput(operand->get()))
        continue;
      Access access(b, *kernel.memoryOf(operand->get()), op.getMatchingIndexingMap(operand));
      if (access.dependsOn(rowInEpilogue) && access.stride(here.laneDim) == 1)
        fetchVector(b, access, here, isLastOfRow, access.stride(rowInEpilogue), operand->get());
    }
}

void Prefetcher::epilogueOf(const RegisterTile &tile) {
  for (auto [i, point] : llvm::enumerate(tile.points))
    epilogueAt(point, /*isLastOfRow=*/int64_t(i + 1) % tile.vectors == 0);
}

// Contiguous rows are prefetched line by line. In a copy packed in panels as high as a tile, `count` steps of
// k are a line; where steps are further apart, each has a line of its own.
void Prefetcher::nextRows(const RegisterTile &tile, Index first, int64_t count) {
  if (!hasRows())
    return;
  OpOperand &operand = cpu::operandAlong(root, row, lane);
  int64_t loop = loops.k();
  Point next = tile.at(0, 0);
  next.loops[row] = next.loops[row] + tile.rows;
  next.loops[loop] = loops.positionOf(loop, first);
  if (operands.rows)
    return operands.rows->prefetch(operands.rows->addressOf(next.loops[row], /*inside=*/false), next);
  Access access(b, *kernel.memoryOf(operand.get()), root.getMatchingIndexingMap(&operand));
  if (access.stride(row) != 1) {
    next.loops[loop] = mul(b, loops.positionOf(loop, first), tile.rows);
    return access.prefetch(b, next);
  }
  for (int64_t s = 0; s < count; ++s) {
    next.loops[loop] = loops.positionOf(loop, first + s);
    access.prefetch(b, next);
  }
}

void Prefetcher::columns(const RegisterTile &tile, Index first, int64_t count) {
  if (form.getColumns() == 0)
    return;
  OpOperand &operand = cpu::operandAlong(root, lane, row);
  Access access(b, *kernel.memoryOf(operand.get()), root.getMatchingIndexingMap(&operand));
  int64_t loop = loops.k();
  Index position = loops.positionOf(loop, first + form.getColumns());
  for (int64_t i = 0; i < count * loops.reduction().perStep(loop); ++i)
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Point at = tile.at(0, v);
      at.loops[loop] = position + i;
      fetchVector(b, access, at, v + 1 == tile.vectors, access.stride(loop), operand.get());
    }
}

// Shares are numbered along the loops inside of `next`, the tiles and `shareLoop`. Along a loop whose tiles
// threads share, the first tile of a call has them all.
void Prefetcher::nextIteration(const RegisterTile &tile, int64_t stepLoop, Index step,
                               ArrayRef<Range> block) {
  if (stepLoop != shareLoop)
    return;
  const Point &first = tile.at(0, 0);
  Index share(0);
  auto along = [&](Index at, int64_t size, int64_t unit) {
    Index before = mul(b, share, llvm::divideCeil(size, unit));
    share = add(b, before, divide(b, at, unit));
  };
  for (cpu::BlockAttr inner : loops.form().getNest().drop_front(loops.form().depthOf(form.getNext()) + 1))
    along(first.loops[inner.getLoop()], loops.extent(inner.getLoop()).offset, 1);
  Value isFetching;
  for (auto [loop, unit] :
       {std::pair(lane, loops.shape().width(first.lanes)), {row, loops.shape().getRows()}}) {
    if (!scheduleOf(kernel).splitOf(loop)) {
      along(first.loops[loop], loops.extent(loop).offset, unit);
      continue;
    }
    Value at = first.loops[loop].materialize(b), low = block[loop].low.materialize(b);
    Value isFirstTile = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at, low);
    isFetching = isFetching ? arith::AndIOp::create(b, isFetching, isFirstTile).getResult() : isFirstTile;
  }
  along(step, loops.extent(shareLoop).offset / loops.reduction().perStep(shareLoop), 1);

  Point next = first;
  for (int64_t loop = 0; loop < int64_t(next.loops.size()); ++loop)
    if (int64_t place = loops.form().depthOf(loop); place < 0 || place > loops.form().depthOf(form.getNext()))
      next.loops[loop] = Index(0);
  next.loops[form.getNext()] = next.loops[form.getNext()] + 1;
  auto fetch = [&] {
    for (auto [operand, lines] : llvm::zip_equal(root.getDpsInputOperands(), form.getLines()))
      if (lines > 0)
        Access(b, *kernel.memoryOf(operand->get()), root.getMatchingIndexingMap(operand))
            .prefetchLines(b, next, mul(b, share, lines), lines);
    return Values();
  };
  if (!isFetching)
    fetch();
  else
    ifElse(b, isFetching, fetch, [] { return Values(); });
}

} // namespace dlc::codegen
