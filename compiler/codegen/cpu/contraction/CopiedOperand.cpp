//===- CopiedOperand.cpp - a part of an operand, copied into panels --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/CopiedOperand.h"
#include "compiler/codegen/cpu/Interleave.h"
#include "compiler/codegen/cpu/contraction/Pairs.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

CopiedOperand::CopiedOperand(KernelFunction &kernel, linalg::GenericOp root, OpOperand &operand, int64_t loop,
                             cpu::PanelShape shape, Value place)
    : kernel(kernel), b(kernel.builder()), root(root), operand(operand),
      coordinates(root.getMatchingIndexingMap(&operand), loop), loop(loop), shape(std::move(shape)),
      place(place) {
  Memory memory = *kernel.memoryOf(operand.get());
  from = Access(b, isPaired() ? asBits(b, memory) : memory, coordinates.source);
  for (AffineExpr position : coordinates.positions)
    factors.push_back(cpu::coefficientsOf(position, root.getNumLoops()));
}

static Value moved(Builder &b, Value pointer, Type element, Index by) {
  if (by.isConstant() && by.offset == 0)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), element, pointer, ValueRange{by.materialize(b)});
}

Value CopiedOperand::addressOf(const Index &position, bool inside) {
  Index from = sub(b, position, first);
  Index total = mul(b, divide(b, from, shape.unit), shape.stride);
  if (inside)
    total = add(b, total, mul(b, remainder(b, from, shape.unit), shape.between));
  return moved(b, origin, getElementTypeOrSelf(operand.get().getType()), total);
}

/// The panel's memory as something with these dims sees it, of which the last is the neighbour in a panel.
Access CopiedOperand::places(Value address, ArrayRef<AffineExpr> dims, unsigned count) {
  Memory memory{address, getElementTypeOrSelf(operand.get().getType()), {}};
  for (int64_t step : shape.steps)
    memory.strides.push_back(Index(step));
  memory.strides.push_back(Index(shape.between));
  SmallVector<AffineExpr> results(dims);
  results.push_back(b.getAffineDimExpr(count));
  return Access(b, memory, AffineMap::get(count + 1, 0, results, b.getContext()));
}

/// Emits `count` neighbours of the panel's loop, after the other dims of a point.
static Point withNeighbours(ArrayRef<Index> dims, int64_t first, int64_t count) {
  Point result{{dims.begin(), dims.end()}, -1, 1, Value()};
  result.loops.push_back(Index(first));
  if (count > 1) {
    result.laneDim = dims.size();
    result.lanes = count;
  }
  return result;
}

Value CopiedOperand::load(Value address, const Point &point, int64_t firstNeighbour, int64_t count) {
  return places(address, coordinates.positions, point.loops.size())
      .load(b, withNeighbours(point.loops, firstNeighbour, count));
}

Value CopiedOperand::loadPairs(Value address, const Point &point, int64_t firstNeighbour, int64_t count) {
  return places(address, coordinates.positions, point.loops.size())
      .loadWords(b, withNeighbours(point.loops, firstNeighbour, count));
}

Value CopiedOperand::addressAt(Value address, const Point &point, int64_t neighbour) {
  return places(address, coordinates.positions, point.loops.size())
      .address(b, withNeighbours(point.loops, neighbour, 1));
}

void CopiedOperand::prefetch(Value address, const Point &point) {
  places(address, coordinates.positions, point.loops.size()).prefetch(b, withNeighbours(point.loops, 0, 1));
}

void CopiedOperand::store(Value address, const Point &at, int64_t firstNeighbour, Value values) {
  int64_t count = cast<VectorType>(values.getType()).getNumElements();
  ArrayRef<Index> dims = ArrayRef(at.loops).drop_back();
  SmallVector<AffineExpr> own;
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    own.push_back(b.getAffineDimExpr(dim));
  Access to = places(address, own, dims.size());
  Point point = withNeighbours(dims, firstNeighbour, count);
  if (isPaired())
    to.storeWords(b, point, values);
  else
    to.store(b, point, values);
}

/// Runs `body` at each point of the coordinates, at the first position along the panels' loop, but for the
/// coordinate `without`, which stays at its first.
void CopiedOperand::forCoordinates(Point point, int64_t without,
                                   llvm::function_ref<void(const Point &)> body) {
  size_t coordinate = point.loops.size();
  if (coordinate == box.size()) {
    point.loops.push_back(first);
    return body(point);
  }
  const Range &range = box[coordinate];
  Index high = int64_t(coordinate) == without ? range.low + 1 : range.high;
  forLoop(b, range.low, high, perStep(coordinate), [&](Index position) {
    Point next = point;
    next.loops.push_back(position);
    forCoordinates(next, without, body);
  });
}

/// Panels begin at `position`, coordinates at the first that the ranges of the root's loops read.
void CopiedOperand::begin(ArrayRef<Range> ranges, const Index &position) {
  Index before(0);
  box.clear();
  for (auto [factor, step] : llvm::zip_equal(factors, shape.steps)) {
    Index low(factor.back()), high(factor.back() + 1);
    for (auto [loop, range] : llvm::enumerate(ranges)) {
      if (factor[loop] == 0)
        continue;
      Index last = range.high + (-1);
      low = add(b, low, mul(b, factor[loop] > 0 ? range.low : last, factor[loop]));
      high = add(b, high, mul(b, factor[loop] > 0 ? last : range.low, factor[loop]));
    }
    box.push_back({low, high});
    before = add(b, before, mul(b, low, -step));
  }
  origin = moved(b, place, getElementTypeOrSelf(operand.get().getType()), before);
  first = position;
}

void CopiedOperand::copy(ArrayRef<Range> ranges, Value when) {
  begin(ranges, ranges[loop].low);
  auto copyAll = [&] {
    if (shape.isTiled)
      copyTiles(ranges[loop]);
    else if (from.stride(box.size()) == 1)
      copyVectors(ranges[loop]);
    else
      copySquares(ranges[loop]);
    return Values();
  };
  if (when)
    ifElse(b, when, copyAll, [] { return Values(); });
  else
    copyAll();
}

void CopiedOperand::copyPanel(ArrayRef<Range> ranges, const Index &position, int64_t vectors, Value mask) {
  begin(ranges, position);
  auto here = [&] {
    return Range{position, min(b, position + vectors * scheduleOf(kernel).getLanes(), ranges[loop].high)};
  };
  if (shape.isTiled)
    return copyTiles(here());
  if (from.stride(box.size()) != 1)
    return copySquares(here());
  forCoordinates({}, -1, [&](const Point &at) { copyNeighbours(at, position, vectors, mask); });
}

/// Packs the neighbours of one point of the coordinates, for one panel.
void CopiedOperand::copyNeighbours(const Point &at, const Index &position, int64_t vectors, Value mask) {
  int64_t lanes = std::min(shape.unit, scheduleOf(kernel).getLanes());
  bool isOpen = !kernel.loopExtents(root)[loop].isConstant();
  Value address = addressOf(position, /*inside=*/isOpen);
  for (int64_t v = 0; v < vectors; ++v) {
    Point read = at;
    read.loops.back() = position + v * lanes;
    read.laneDim = box.size();
    read.lanes = lanes;
    read.mask = v + 1 == vectors ? mask : Value();
    store(address, at, v * lanes, elementsOf(read));
    fetchAhead(read);
  }
}

/// Prefetches what is packed some steps after a point, where the schedule says so.
void CopiedOperand::fetchAhead(Point point) {
  int64_t steps = scheduleOf(kernel).contraction().getPacking().getAhead();
  if (steps == 0 || box.empty())
    return;
  Index &step = point.loops[box.size() - 1];
  step = step + steps;
  from.prefetch(b, point);
}

Value CopiedOperand::elementsOf(const Point &point) {
  if (!isPaired())
    return asVector(b, point, from.load(b, point));
  return pairsAt(b, from, point, shape.pairs);
}

/// Packs an operand that is contiguous along the panels' loop: it is read and written vector by vector.
void CopiedOperand::copyVectors(const Range &range) {
  int64_t lanes = std::min(shape.unit, scheduleOf(kernel).getLanes());
  forCoordinates({}, -1, [&](const Point &at) {
    forVectors(
        b, range.low, range.high, kernel.loopExtents(root)[loop], lanes, shape.unit / lanes,
        [&](Index position, int64_t vectors, Value mask) { copyNeighbours(at, position, vectors, mask); });
  });
}

/// Packs an operand that is contiguous along one coordinate, a reduction loop: squares are transposed in
/// registers.
void CopiedOperand::copySquares(const Range &range) {
  int64_t lanes = scheduleOf(kernel).getLanes(), along = 0;
  while (from.stride(along) != 1)
    ++along;
  assert((!isPaired() || along == shape.pairs) && "squares are transposed along the loop that has pairs");
  // A square of pairs consists of words of two elements each.
  const int64_t perStep = this->perStep(along);
  Type element = isPaired() ? b.getI32Type() : registerType(getElementTypeOrSelf(operand.get().getType()));
  SmallVector<unsigned> reductions;
  root.getReductionDims(reductions);
  Index extent = kernel.loopExtents(root)[reductions.back()];
  auto square = [&](const Point &at, Index position, Index step, int64_t neighbours, Value mask,
                    int64_t count) {
    Values rows;
    for (int64_t n = 0; n < lanes; ++n) {
      if (n >= neighbours) {
        rows.push_back(arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({lanes}, element))));
        continue;
      }
      Point read = at;
      read.loops.back() = position + n;
      read.loops[along] = mul(b, step, perStep);
      read.laneDim = along;
      read.lanes = lanes;
      read.mask = mask;
      rows.push_back(isPaired() ? from.loadWords(b, read) : from.load(b, read));
    }
    transposeSquare(b, rows);
    Value address = addressOf(position, /*inside=*/true);
    for (int64_t s = 0; s < count; ++s) {
      Point write = at;
      write.loops[along] = mul(b, step + s, perStep);
      store(address, write, 0, rows[s]);
    }
  };
  forCoordinates({}, along, [&](const Point &at) {
    forVectors(b, range.low, range.high, kernel.loopExtents(root)[loop], lanes, 1,
               [&](Index position, int64_t, Value rest) {
                 int64_t neighbours = rest ? kernel.loopExtents(root)[loop].offset % lanes : lanes;
                 Index low = divide(b, box[along].low, perStep), high = divide(b, box[along].high, perStep);
                 Index steps = divide(b, extent, perStep);
                 forVectors(b, low, high, steps, lanes, 1, [&](Index step, int64_t, Value mask) {
                   square(at, position, step, neighbours, mask, mask ? steps.offset % lanes : lanes);
                 });
               });
  });
}

// Panels for a matrix unit. A tile register takes 16 rows of 32 elements of bf16 each. Of the operand that
// rows move, its rows are 16 neighbours, each with 32 steps of the reduction; of the other one, 16 pairs of
// steps, each with 16 neighbours. Both are squares of words, which are pairs. So whichever way the operand
// lies, a square is loaded row by row and, where its rows are the wrong ones, transposed in registers.

using cpu::tileSide, cpu::tileSteps;

int64_t CopiedOperand::bytesBetweenTileRows() const {
  constexpr int64_t elementBytes = 2;
  const bool areRows = shape.steps[shape.pairs] == 1;
  return elementBytes * (areRows ? shape.between : 2 * shape.steps[shape.pairs]);
}

/// Words of 32 bits.
static VectorType wordsOfTile(Builder &b) { return VectorType::get({tileSide}, b.getI32Type()); }

/// The pairs that begin at a point, of which only steps before `end` exist; others are zero.
Value CopiedOperand::pairsBefore(const Point &point, const Index &end) {
  const Index &step = point.loops[shape.pairs];
  auto both = [&]() -> Values { return {pairsAt(b, from, point, shape.pairs)}; };
  auto earlier = [&]() -> Values { return {arith::ExtUIOp::create(b, wordsOfTile(b), from.load(b, point))}; };
  auto none = [&]() -> Values { return {arith::ConstantOp::create(b, b.getZeroAttr(wordsOfTile(b)))}; };
  if (step.isConstant() && end.isConstant())
    return (step.offset + 1 < end.offset ? both() : step.offset < end.offset ? earlier() : none())[0];
  auto isBefore = [&](Index x) -> Value {
    Value left = x.materialize(b), right = end.materialize(b);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, right);
  };
  return ifElse(b, isBefore(step + 1), both, [&] { return ifElse(b, isBefore(step), earlier, none); })[0];
}

/// A square whose rows are pairs, of an operand whose neighbours lie together.
Values CopiedOperand::pairsOfTile(const Point &at, const Index &position, Value mask, const Index &step,
                                  bool isWhole) {
  Values rows;
  for (int64_t pair = 0; pair < tileSide; ++pair) {
    Point read = at;
    read.loops.back() = position;
    read.loops[shape.pairs] = step + 2 * pair;
    read.laneDim = box.size();
    read.lanes = tileSide;
    read.mask = mask;
    rows.push_back(isWhole ? pairsAt(b, from, read, shape.pairs) : pairsBefore(read, box[shape.pairs].high));
  }
  return rows;
}

/// A square whose rows are neighbours, of an operand whose steps lie together. In place of neighbours behind
/// the last one, that one is read.
Values CopiedOperand::neighboursOfTile(const Point &at, const Index &position, Value mask, const Index &step,
                                       bool isWhole) {
  Index last = kernel.loopExtents(root)[loop] + (-1);
  Values rows;
  for (int64_t neighbour = 0; neighbour < tileSide; ++neighbour) {
    Point read = at;
    read.loops.back() = mask ? min(b, position + neighbour, last) : position + neighbour;
    read.loops[shape.pairs] = step;
    read.laneDim = shape.pairs;
    read.lanes = tileSteps;
    if (!isWhole) {
      const Index &end = box[shape.pairs].high;
      read.mask = firstLanes(b, tileSteps,
                             step.isConstant() && end.isConstant() ? Index(end.offset - step.offset)
                                                                   : sub(b, end, step));
    }
    rows.push_back(LLVM::BitcastOp::create(b, wordsOfTile(b), from.load(b, read)));
  }
  return rows;
}

/// The square of 16 neighbours from `position` on and 32 steps; not all of them exist where a mask, or that
/// it is not whole, says so.
void CopiedOperand::copyTile(const Point &at, const Index &position, Value mask, const Index &step,
                             bool isWhole) {
  const bool liesAlongSteps = from.stride(box.size()) != 1, isForRows = shape.steps[shape.pairs] == 1;
  Values square = liesAlongSteps ? neighboursOfTile(at, position, mask, step, isWhole)
                                 : pairsOfTile(at, position, mask, step, isWhole);
  if (liesAlongSteps != isForRows)
    transposeSquare(b, square);
  Value address = addressOf(position, /*inside=*/true);
  for (auto [number, words] : llvm::enumerate(square)) {
    Point write = at;
    write.loops[shape.pairs] = isForRows ? step : step + 2 * int64_t(number);
    store(address, write, isForRows ? int64_t(number) : 0, words);
  }
}

void CopiedOperand::copyTiles(const Range &range) {
  forCoordinates({}, shape.pairs, [&](const Point &at) {
    const Range &steps = box[shape.pairs];
    const bool isConstant = steps.low.isConstant() && steps.high.isConstant();
    Index length = isConstant ? Index(steps.high.offset - steps.low.offset) : sub(b, steps.high, steps.low);
    Index whole = add(b, steps.low, mul(b, divide(b, length, tileSteps), tileSteps));
    forVectors(b, range.low, range.high, kernel.loopExtents(root)[loop], tileSide, 1,
               [&](Index position, int64_t, Value mask) {
                 forLoop(b, steps.low, whole, tileSteps,
                         [&](Index step) { copyTile(at, position, mask, step, true); });
                 if (!isConstant)
                   ifLess(b, whole, steps.high, [&] { copyTile(at, position, mask, whole, false); });
                 else if (whole.offset < steps.high.offset)
                   copyTile(at, position, mask, whole, false);
               });
  });
}

} // namespace dlc::codegen
