//===- TileCode.cpp - what is emitted for a register tile ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/TileCode.h"

using namespace mlir;

namespace dlc::codegen {

TileCode::TileCode(KernelFunction &kernel)
    : loops(kernel), prefetcher(kernel, loops, operands), epilogue(kernel, loops), kernel(kernel),
      b(kernel.builder()), root(kernel.operations().front()), core(tileCoreOf(kernel, operands)),
      lane(loops.shape().getLane()), row(loops.shape().getRow()) {
  for (int64_t loop = 0; loop < int64_t(root.getNumLoops()); ++loop)
    block.push_back({Index(0), loops.extent(loop)});
}

RegisterTile TileCode::tileAt(const Point &point, Index firstRow, int64_t rows, Index firstLane,
                              int64_t vectors, Value mask, bool rowsAligned) {
  int64_t lanes = scheduleOf(kernel).getLanes();
  RegisterTile tile{{}, rows, vectors, rowsAligned};
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      Point p = point;
      if (row >= 0)
        p.loops[row] = firstRow + r;
      p.loops[lane] = firstLane + v * lanes;
      p.laneDim = lane;
      p.lanes = lanes;
      p.mask = v + 1 == vectors ? mask : Value();
      tile.points.push_back(p);
    }
  // Along an open size, the rest may begin inside of a panel.
  auto isRest = [&](int64_t loop, bool isWhole) { return !isWhole && !loops.extent(loop).isConstant(); };
  if (operands.columns)
    tile.columnsAt =
        operands.columns->addressOf(firstLane, isRest(lane, vectors == loops.shape().getVectors()));
  if (operands.rows)
    tile.rowsAt = operands.rows->addressOf(firstRow, isRest(row, rows == loops.shape().getRows()));
  return tile;
}

void TileCode::whereLast(llvm::function_ref<void()> body) {
  if (!isLast)
    return body();
  auto then = [&] {
    body();
    return Values();
  };
  ifElse(b, isLast, then, [] { return Values(); });
}

Values TileCode::initialize(const RegisterTile &tile) {
  if (!isFirst)
    return start(tile);
  return ifElse(
      b, isFirst, [&] { return start(tile); },
      [&] {
        return core->begin(tile, /*areZero=*/false, [&](const Point &point) { return partial->load(point); });
      });
}

void TileCode::finish(const RegisterTile &tile, const Values &accumulators) {
  if (!isLast)
    return epilogue.emit(tile, accumulators, *core);
  ifElse(
      b, isLast,
      [&] {
        epilogue.emit(tile, accumulators, *core);
        return Values();
      },
      [&] {
        core->drain(tile, accumulators,
                    [&](const Point &point, int64_t, Value sum) { partial->store(point, sum); });
        return Values();
      });
}

Values TileCode::start(const RegisterTile &tile) {
  OpOperand &init = *root.getDpsInitOperand(0);
  TypedAttr constant = kernel.initialValue(init.get());
  auto number = dyn_cast_or_null<FloatAttr>(constant);
  return core->begin(tile, number && number.getValue().isPosZero(), [&](const Point &point) {
    Value value;
    if (constant)
      value = arith::ConstantOp::create(b, constant);
    else
      value = Access(b, *kernel.memoryOf(init.get()), root.getMatchingIndexingMap(&init)).load(b, point);
    return asVector(b, point, value);
  });
}

Values TileCode::steps(const RegisterTile &tile, Index first, int64_t count, Values accumulators) {
  prefetcher.nextRows(tile, first, count);
  prefetcher.columns(tile, first, count);
  for (int64_t s = 0; s < count; ++s)
    accumulators = step(tile, first + s, accumulators);
  return accumulators;
}

Values TileCode::reduceAndFetch(const RegisterTile &tile, int64_t first, Values accumulators) {
  int64_t count = prefetcher.stepsOfLine();
  int64_t loop = loops.k(), length = loops.extent(loop).offset / loops.reduction().perStep(loop);
  int64_t whole = first + (length - first) / count * count;
  Values sums = forLoop(b, Index(first), Index(whole), count, accumulators,
                        [&](Index at, Values carried) { return steps(tile, at, count, carried); });
  for (int64_t at = whole; at < length; ++at)
    sums = step(tile, Index(at), sums);
  return sums;
}

Values TileCode::reduce(const RegisterTile &tile, ArrayRef<int64_t> order, Values accumulators) {
  if (order.empty())
    return core->multiply(tile, accumulators);
  if (prefetcher.hasRows())
    return reduceAndFetch(tile, 0, accumulators);
  const int64_t loop = order.front();
  const Range range = loops.stepsOf(loop, block[loop]);
  if (loops.reduction().getAccumulators() > 1)
    return reduceInTurns(tile, range, accumulators);
  int64_t count = order.size() == 1 ? loops.reduction().getUnroll() : 1;
  return forUnrolled(b, range.low, range.high, count, accumulators, [&](Index step, Values carried) {
    if (loops.reduction().descends(loop))
      step = sub(b, add(b, range.low, range.high) + -1, step);
    RegisterTile inner = tile;
    for (Point &point : inner.points)
      point.loops[loop] = loops.positionOf(loop, step);
    prefetcher.nextIteration(tile, loop, step, block);
    prefetcher.columns(tile, step, 1);
    return reduce(inner, order.drop_front(), carried);
  });
}

Values TileCode::reduceInTurns(const RegisterTile &tile, const Range &range, Values accumulators) {
  return forTurns(
      b, range.low, range.high, loops.reduction().getAccumulators(), accumulators,
      neutralElements(b, root, tile.points),
      [&](Index at, Values carried) { return step(tile, at, carried); },
      [&](const Values &x, const Values &y) { return Values(combineAll(b, root, x, y)); });
}

Values TileCode::reduceFrom(const RegisterTile &tile, int64_t first, Values accumulators) {
  if (prefetcher.hasRows())
    return reduceAndFetch(tile, first, accumulators);
  Index end = divide(b, loops.extent(loops.k()), loops.reduction().perStep(loops.k()));
  auto one = [&](Index at, Values carried) { return step(tile, at, carried); };
  const int64_t unroll = loops.reduction().getUnroll();
  return unroll > 1 ? forUnrolled(b, Index(first), end, unroll, accumulators, one)
                    : forRolled(b, Index(first), end, 1, accumulators, one);
}

Values TileCode::step(RegisterTile tile, Index step, Values accumulators) {
  for (Point &point : tile.points)
    point.loops[loops.k()] = loops.positionOf(loops.k(), step);
  return core->multiply(tile, accumulators);
}

} // namespace dlc::codegen
