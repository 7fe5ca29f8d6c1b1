//===- RegisterTile.cpp - one register tile of a contraction ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/RegisterTile.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen {

TileCode::TileCode(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()),
      core(tileCoreOf(kernel, operands)), extents(kernel.loopExtents(root)), lane(shape().getLane()),
      row(shape().getRow()) {
  for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray())) {
    bool isReduction = type == utils::IteratorType::reduction;
    (isReduction ? reductions : parallel).push_back(loop);
    block.push_back({Index(0), extents[loop]});
  }
  if (prefetch().getNext() >= 0)
    fetchLoop = *llvm::find_if(reductions, [&](int64_t loop) { return form().depthOf(loop) < 0; });
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
  auto isRest = [&](int64_t loop, bool isWhole) { return !isWhole && !extents[loop].isConstant(); };
  if (operands.columns)
    tile.columnsAt = operands.columns->addressOf(firstLane, isRest(lane, vectors == shape().getVectors()));
  if (operands.rows)
    tile.rowsAt = operands.rows->addressOf(firstRow, isRest(row, rows == shape().getRows()));
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
    return epilogue(tile, accumulators);
  ifElse(
      b, isLast,
      [&] {
        epilogue(tile, accumulators);
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

Range TileCode::stepsOf(int64_t loop, const Range &range) {
  const int64_t perStep = reduction().perStep(loop);
  return {divide(b, range.low, perStep),
          divide(b, reduction().getAmx() ? range.high + (perStep - 1) : range.high, perStep)};
}

int64_t TileCode::stepsOfLine() const {
  constexpr int64_t lineBytes = 64;
  const int64_t stepBytes = elementBytes(cpu::operandAlong(root, row, lane).get()) * shape().getRows() *
                            reduction().perStep(reductions.front());
  return std::max<int64_t>(1, lineBytes / stepBytes);
}

Values TileCode::steps(const RegisterTile &tile, Index first, int64_t count, Values accumulators) {
  if (prefetch().getRows())
    fetchNextRows(tile, first, count);
  fetchColumns(tile, first, count);
  for (int64_t s = 0; s < count; ++s)
    accumulators = step(tile, first + s, accumulators);
  return accumulators;
}

Values TileCode::reduceAndFetch(const RegisterTile &tile, int64_t first, Values accumulators) {
  int64_t count = stepsOfLine();
  int64_t loop = reductions.front(), length = extents[loop].offset / reduction().perStep(loop);
  int64_t whole = first + (length - first) / count * count;
  Values sums = forLoop(b, Index(first), Index(whole), count, accumulators,
                        [&](Index at, Values carried) { return steps(tile, at, count, carried); });
  for (int64_t at = whole; at < length; ++at)
    sums = step(tile, Index(at), sums);
  return sums;
}

Values TileCode::reduce(const RegisterTile &tile, ArrayRef<int64_t> loops, Values accumulators) {
  if (loops.empty())
    return core->multiply(tile, accumulators);
  if (prefetch().getRows())
    return reduceAndFetch(tile, 0, accumulators);
  const Range range = stepsOf(loops.front(), block[loops.front()]);
  if (reduction().getAccumulators() > 1)
    return reduceInTurns(tile, range, accumulators);
  int64_t count = loops.size() == 1 ? reduction().getUnroll() : 1;
  return forUnrolled(b, range.low, range.high, count, accumulators, [&](Index step, Values carried) {
    if (descends(loops.front()))
      step = sub(b, add(b, range.low, range.high) + -1, step);
    RegisterTile inner = tile;
    for (Point &point : inner.points)
      point.loops[loops.front()] = positionOf(loops.front(), step);
    if (loops.front() == fetchLoop)
      fetchNext(tile, step);
    fetchColumns(tile, step, 1);
    return reduce(inner, loops.drop_front(), carried);
  });
}

Values TileCode::reduceInTurns(const RegisterTile &tile, const Range &range, Values accumulators) {
  return forTurns(
      b, range.low, range.high, reduction().getAccumulators(), accumulators,
      neutralElements(b, root, tile.points),
      [&](Index at, Values carried) { return step(tile, at, carried); },
      [&](const Values &x, const Values &y) { return Values(combineAll(b, root, x, y)); });
}

Values TileCode::reduceFrom(const RegisterTile &tile, int64_t first, Values accumulators) {
  if (prefetch().getRows())
    return reduceAndFetch(tile, first, accumulators);
  Index end = divide(b, extents[reductions.front()], reduction().perStep(reductions.front()));
  auto one = [&](Index at, Values carried) { return step(tile, at, carried); };
  const int64_t unroll = reduction().getUnroll();
  return unroll > 1 ? forUnrolled(b, Index(first), end, unroll, accumulators, one)
                    : forRolled(b, Index(first), end, 1, accumulators, one);
}

Values TileCode::step(RegisterTile tile, Index step, Values accumulators) {
  for (Point &point : tile.points)
    point.loops[reductions.front()] = positionOf(reductions.front(), step);
  return core->multiply(tile, accumulators);
}

} // namespace dlc::codegen
