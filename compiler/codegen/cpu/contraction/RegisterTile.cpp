//===- RegisterTile.cpp - one register tile of a contraction ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/RegisterTile.h"
#include "compiler/codegen/cpu/contraction/Pairs.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

TileCode::TileCode(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()),
      extents(kernel.loopExtents(root)), lane(laneLoop()), row(rowLoop()) {
  for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray())) {
    bool isReduction = type == utils::IteratorType::reduction;
    (isReduction ? reductions : parallel).push_back(loop);
    block.push_back({Index(0), extents[loop]});
  }
  if (form().getNext() >= 0)
    fetchLoop = *llvm::find_if(reductions, [&](int64_t loop) { return placeInNest(loop) < 0; });
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
  // Of open sizes, the rest may begin inside a panel.
  auto isRest = [&](int64_t loop, bool isWhole) { return !isWhole && !extents[loop].isConstant(); };
  if (columns)
    tile.columnsAt = columns->addressOf(firstLane, isRest(lane, vectors == form().getVectors()));
  if (this->rows)
    tile.rowsAt = this->rows->addressOf(firstRow, isRest(row, rows == form().getRows()));
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
        Values sums;
        for (const Point &point : tile.points)
          sums.push_back(partial->load(point));
        return sums;
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
        for (auto [point, sum] : llvm::zip(tile.points, accumulators))
          partial->store(point, sum);
        return Values();
      });
}

Values TileCode::start(const RegisterTile &tile) {
  Values accumulators;
  OpOperand &init = *root.getDpsInitOperand(0);
  TypedAttr constant = kernel.initialValue(init.get());
  for (const Point &point : tile.points) {
    Value value;
    if (constant)
      value = arith::ConstantOp::create(b, constant);
    else
      value = Access(b, *kernel.memoryOf(init.get()), root.getMatchingIndexingMap(&init)).load(b, point);
    accumulators.push_back(asVector(b, point, value));
  }
  return accumulators;
}

Range TileCode::stepsOf(int64_t loop, const Range &range) {
  const int64_t perStep = form().perStep(loop);
  return {divide(b, range.low, perStep), divide(b, range.high, perStep)};
}

int64_t TileCode::stepsOfLine() const {
  constexpr int64_t lineBytes = 64;
  const int64_t stepBytes = elementBytes(cpu::operandAlong(root, row, lane).get()) * form().getRows() *
                            form().perStep(reductions.front());
  return std::max<int64_t>(1, lineBytes / stepBytes);
}

Values TileCode::steps(const RegisterTile &tile, Index first, int64_t count, Values accumulators) {
  if (form().getAhead())
    fetchNextRows(tile, first, count);
  fetchColumns(tile, first, count);
  for (int64_t s = 0; s < count; ++s)
    accumulators = step(tile, first + s, accumulators);
  return accumulators;
}

Values TileCode::reduceAndFetch(const RegisterTile &tile, int64_t first, Values accumulators) {
  int64_t count = stepsOfLine();
  int64_t loop = reductions.front(), length = extents[loop].offset / form().perStep(loop);
  int64_t whole = first + (length - first) / count * count;
  Values sums = forLoop(b, Index(first), Index(whole), count, accumulators,
                        [&](Index at, Values carried) { return steps(tile, at, count, carried); });
  for (int64_t at = whole; at < length; ++at)
    sums = step(tile, Index(at), sums);
  return sums;
}

Values TileCode::reduce(const RegisterTile &tile, ArrayRef<int64_t> loops, Values accumulators) {
  if (loops.empty())
    return multiplyAdd(tile, accumulators);
  if (form().getAhead())
    return reduceAndFetch(tile, 0, accumulators);
  const Range range = stepsOf(loops.front(), block[loops.front()]);
  if (form().getAccumulators() > 1)
    return reduceInTurns(tile, range, accumulators);
  int64_t count = loops.size() == 1 ? form().getUnroll() : 1;
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
      b, range.low, range.high, form().getAccumulators(), accumulators, neutralElements(b, root, tile.points),
      [&](Index at, Values carried) { return step(tile, at, carried); },
      [&](const Values &x, const Values &y) { return Values(combineAll(b, root, x, y)); });
}

Values TileCode::reduceFrom(const RegisterTile &tile, int64_t first, Values accumulators) {
  if (form().getAhead())
    return reduceAndFetch(tile, first, accumulators);
  Index end = divide(b, extents[reductions.front()], form().perStep(reductions.front()));
  auto one = [&](Index at, Values carried) { return step(tile, at, carried); };
  return form().getUnroll() > 1 ? forUnrolled(b, Index(first), end, form().getUnroll(), accumulators, one)
                                : forRolled(b, Index(first), end, 1, accumulators, one);
}

Values TileCode::step(RegisterTile tile, Index step, Values accumulators) {
  for (Point &point : tile.points)
    point.loops[reductions.front()] = positionOf(reductions.front(), step);
  return multiplyAdd(tile, accumulators);
}

Value TileCode::factorAt(OpOperand &operand, const Access &access, const RegisterTile &tile, int64_t row,
                         int64_t vector) {
  const Point &point = tile.at(row, vector);
  const bool inColumns = columns && columns->isOf(operand), inRows = rows && rows->isOf(operand);
  const int64_t first = vector * point.lanes;
  if (form().getPairs() >= 0)
    return inColumns ? columns->loadPairs(tile.columnsAt, point, first, point.lanes)
           : inRows  ? rows->loadPairs(tile.rowsAt, point, row, 1)
                     : pairsAt(b, access, point, form().getPairs());
  return inColumns ? columns->load(tile.columnsAt, point, first, point.lanes)
         : inRows  ? rows->load(tile.rowsAt, point, row, 1)
                   : access.load(b, point);
}

/// One step of the reduction: each element of an operand is loaded once for all points that see it.
Values TileCode::multiplyAdd(const RegisterTile &tile, Values accumulators) {
  Values operands[2];
  const bool isPaired = form().getPairs() >= 0;
  for (auto [which, operand] : llvm::enumerate(root.getDpsInputOperands())) {
    Memory memory = *kernel.memoryOf(operand->get());
    Access access(b, isPaired ? asBits(b, memory) : memory, root.getMatchingIndexingMap(operand));
    bool perRow = row >= 0 && access.dependsOn(row), perVector = access.dependsOn(lane);
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v) {
        int64_t same = (perRow ? r : 0) * tile.vectors + (perVector ? v : 0);
        if (same < int64_t(operands[which].size())) {
          operands[which].push_back(operands[which][same]);
          continue;
        }
        operands[which].push_back(asVector(b, tile.at(r, v), factorAt(*operand, access, tile, r, v)));
      }
  }
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(accumulators[0].getType()));
  for (size_t i = 0; i < accumulators.size(); ++i) {
    Value x = operands[0][i], y = operands[1][i];
    if (isPaired)
      accumulators[i] = addProducts(b, x, y, accumulators[i]);
    else if (!isFloat)
      accumulators[i] = arith::AddIOp::create(b, accumulators[i], arith::MulIOp::create(b, x, y));
    else if (isa<VectorType>(x.getType()))
      accumulators[i] = vector::FMAOp::create(b, x, y, accumulators[i]);
    else
      accumulators[i] = math::FmaOp::create(b, x, y, accumulators[i]);
  }
  return accumulators;
}

} // namespace dlc::codegen
