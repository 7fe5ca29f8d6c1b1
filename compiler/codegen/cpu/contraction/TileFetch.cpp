//===- TileFetch.cpp - what a tile asks for before it is needed ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/RegisterTile.h"
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

void TileCode::fetchForEpilogueAt(const Point &point, bool isLastOfRow) {
  if (prefetch().getEpilogue() == 0)
    return;
  int64_t rowInEpilogue = llvm::find(parallel, row) - parallel.begin();
  Point then = point;
  then.loops[row] = then.loops[row] + (prefetch().getEpilogue() - 1) * shape().getRows();
  Point here = epiloguePoint(then);
  for (linalg::GenericOp op : kernel.operations().drop_front())
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isa<BlockArgument>(operand->get()) || kernel.scalarInput(operand->get()))
        continue;
      Access access(b, *kernel.memoryOf(operand->get()), op.getMatchingIndexingMap(operand));
      if (access.dependsOn(rowInEpilogue) && access.stride(here.laneDim) == 1)
        fetchVector(b, access, here, isLastOfRow, access.stride(rowInEpilogue), operand->get());
    }
}

void TileCode::fetchForEpilogue(const RegisterTile &tile) {
  if (prefetch().getEpilogue() == 0)
    return;
  whereLast([&] {
    for (auto [i, point] : llvm::enumerate(tile.points))
      fetchForEpilogueAt(point, /*isLastOfRow=*/int64_t(i + 1) % tile.vectors == 0);
  });
}

// Contiguous rows are prefetched line by line. In a copy packed in panels as high as a tile, `count` steps of
// k are a line; where steps are further apart, each has a line of its own.
void TileCode::fetchNextRows(const RegisterTile &tile, Index first, int64_t count) {
  OpOperand &operand = cpu::operandAlong(root, row, lane);
  int64_t loop = reductions.front();
  Point next = tile.at(0, 0);
  next.loops[row] = next.loops[row] + tile.rows;
  next.loops[loop] = positionOf(loop, first);
  if (operands.rows)
    return operands.rows->prefetch(operands.rows->addressOf(next.loops[row], /*inside=*/false), next);
  Access access(b, *kernel.memoryOf(operand.get()), root.getMatchingIndexingMap(&operand));
  if (access.stride(row) != 1) {
    next.loops[loop] = mul(b, positionOf(loop, first), tile.rows);
    return access.prefetch(b, next);
  }
  for (int64_t s = 0; s < count; ++s) {
    next.loops[loop] = positionOf(loop, first + s);
    access.prefetch(b, next);
  }
}

void TileCode::fetchColumns(const RegisterTile &tile, Index first, int64_t count) {
  if (prefetch().getColumns() == 0)
    return;
  OpOperand &operand = cpu::operandAlong(root, lane, row);
  Access access(b, *kernel.memoryOf(operand.get()), root.getMatchingIndexingMap(&operand));
  int64_t loop = reductions.front();
  Index position = positionOf(loop, first + prefetch().getColumns());
  for (int64_t i = 0; i < count * reduction().perStep(loop); ++i)
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Point at = tile.at(0, v);
      at.loops[loop] = position + i;
      fetchVector(b, access, at, v + 1 == tile.vectors, access.stride(loop), operand.get());
    }
}

// Shares are numbered along the loops inside of `next`, the tiles and `fetchLoop`. Along a loop whose tiles
// threads share, the first tile of a call has them all.
void TileCode::fetchNext(const RegisterTile &tile, Index step) {
  const Point &first = tile.at(0, 0);
  Index share(0);
  auto along = [&](Index at, int64_t size, int64_t unit) {
    Index before = mul(b, share, llvm::divideCeil(size, unit));
    share = add(b, before, divide(b, at, unit));
  };
  for (cpu::BlockAttr inner : form().getNest().drop_front(form().depthOf(prefetch().getNext()) + 1))
    along(first.loops[inner.getLoop()], extents[inner.getLoop()].offset, 1);
  Value isFetching;
  for (auto [loop, unit] : {std::pair(lane, shape().width(first.lanes)), {row, shape().getRows()}}) {
    if (!scheduleOf(kernel).splitOf(loop)) {
      along(first.loops[loop], extents[loop].offset, unit);
      continue;
    }
    Value at = first.loops[loop].materialize(b), low = block[loop].low.materialize(b);
    Value isFirstTile = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at, low);
    isFetching = isFetching ? arith::AndIOp::create(b, isFetching, isFirstTile).getResult() : isFirstTile;
  }
  along(step, extents[fetchLoop].offset / reduction().perStep(fetchLoop), 1);

  Point next = first;
  for (int64_t loop = 0; loop < int64_t(next.loops.size()); ++loop)
    if (int64_t place = form().depthOf(loop); place < 0 || place > form().depthOf(prefetch().getNext()))
      next.loops[loop] = Index(0);
  next.loops[prefetch().getNext()] = next.loops[prefetch().getNext()] + 1;
  auto fetch = [&] {
    for (auto [operand, lines] : llvm::zip_equal(root.getDpsInputOperands(), prefetch().getLines()))
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
