//===- PackedOperand.cpp - a part of an operand, copied into panels --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/PackedOperand.h"
#include "compiler/codegen/cpu/Interleave.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

PackedOperand::PackedOperand(KernelFunction &kernel, linalg::GenericOp root, OpOperand &operand, int64_t loop,
                             cpu::PanelShape shape, Value place)
    : kernel(kernel), b(kernel.builder()), root(root), operand(operand), loop(loop), shape(std::move(shape)),
      place(place) {
  from = Access(b, *kernel.memoryOf(operand.get()), root.getMatchingIndexingMap(&operand));
  root.getReductionDims(reductions);
}

static Value moved(Builder &b, Value pointer, Type element, Index by) {
  if (by.isConstant() && by.offset == 0)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), element, pointer, ValueRange{by.materialize(b)});
}

Value PackedOperand::addressOf(const Index &position, bool inside) {
  Index from = sub(b, position, first);
  Index total = mul(b, divide(b, from, shape.unit), shape.stride);
  if (inside)
    total = add(b, total, remainder(b, from, shape.unit));
  return moved(b, origin, getElementTypeOrSelf(operand.get().getType()), total);
}

/// The panel's memory: the steps of the reduction, then the neighbours.
Access PackedOperand::places(Value address) {
  Memory memory{address, getElementTypeOrSelf(operand.get().getType()), {}};
  for (int64_t step : shape.steps)
    memory.strides.push_back(Index(step));
  memory.strides.push_back(Index(1));
  return Access(b, memory, AffineMap::getMultiDimIdentityMap(memory.strides.size(), b.getContext()));
}

Point PackedOperand::placeOf(const Point &point, int64_t firstNeighbour, int64_t count) {
  Point result;
  for (unsigned reduction : reductions)
    result.loops.push_back(point.loops[reduction]);
  result.loops.push_back(Index(firstNeighbour));
  if (count > 1) {
    result.laneDim = reductions.size();
    result.lanes = count;
  }
  return result;
}

Value PackedOperand::load(Value address, const Point &point, int64_t firstNeighbour, int64_t count) {
  return places(address).load(b, placeOf(point, firstNeighbour, count));
}

/// Runs `body` at each point of some reduction loops' ranges.
void PackedOperand::copySteps(ArrayRef<Range> ranges, ArrayRef<unsigned> loops, Point point,
                              llvm::function_ref<void(const Point &)> body) {
  if (loops.empty())
    return body(point);
  const Range &range = ranges[loops.front()];
  forLoop(b, range.low, range.high, 1, [&](Index position) {
    Point next = point;
    next.loops[loops.front()] = position;
    copySteps(ranges, loops.drop_front(), next, body);
  });
}

/// Panels begin at `position`, steps where the ranges do.
void PackedOperand::begin(ArrayRef<Range> ranges, const Index &position) {
  Index before(0);
  for (auto [reduction, step] : llvm::zip_equal(reductions, shape.steps))
    before = add(b, before, mul(b, ranges[reduction].low, -step));
  origin = moved(b, place, getElementTypeOrSelf(operand.get().getType()), before);
  first = position;
}

static Point pointOf(ArrayRef<Range> ranges) {
  Point point;
  for (const Range &range : ranges)
    point.loops.push_back(range.low);
  return point;
}

void PackedOperand::copy(ArrayRef<Range> ranges) {
  begin(ranges, ranges[loop].low);
  if (from.stride(loop) == 1)
    copyVectors(ranges);
  else
    copySquares(ranges);
}

void PackedOperand::copyPanel(ArrayRef<Range> ranges, const Index &position, int64_t vectors, Value mask) {
  begin(ranges, position);
  copySteps(ranges, reductions, pointOf(ranges),
            [&](const Point &at) { copyNeighbours(at, position, vectors, mask); });
}

/// The neighbours of one step of the reduction, for one panel.
void PackedOperand::copyNeighbours(const Point &at, const Index &position, int64_t vectors, Value mask) {
  int64_t lanes = std::min(shape.unit, scheduleOf(kernel).getLanes());
  bool isOpen = !kernel.loopExtents(root)[loop].isConstant();
  Value address = addressOf(position, /*inside=*/isOpen);
  for (int64_t v = 0; v < vectors; ++v) {
    Point read = at;
    read.loops[loop] = position + v * lanes;
    read.laneDim = loop;
    read.lanes = lanes;
    read.mask = v + 1 == vectors ? mask : Value();
    places(address).store(b, placeOf(at, v * lanes, lanes), from.load(b, read));
  }
}

/// Neighbours along the panels' loop lie together: they are read and written vector by vector.
void PackedOperand::copyVectors(ArrayRef<Range> ranges) {
  int64_t lanes = std::min(shape.unit, scheduleOf(kernel).getLanes());
  copySteps(ranges, reductions, pointOf(ranges), [&](const Point &at) {
    forVectors(
        b, ranges[loop].low, ranges[loop].high, kernel.loopExtents(root)[loop], lanes, shape.unit / lanes,
        [&](Index position, int64_t vectors, Value mask) { copyNeighbours(at, position, vectors, mask); });
  });
}

/// Neighbours along the last reduction loop lie together: squares of them are transposed in registers.
void PackedOperand::copySquares(ArrayRef<Range> ranges) {
  int64_t lanes = scheduleOf(kernel).getLanes(), last = reductions.back();
  Type element = getElementTypeOrSelf(operand.get().getType());
  const Range &steps = ranges[last];
  Index extent = kernel.loopExtents(root)[last];
  auto square = [&](const Point &at, Index position, Index step, int64_t neighbours, Value mask,
                    int64_t count) {
    Values rows;
    for (int64_t n = 0; n < lanes; ++n) {
      if (n >= neighbours) {
        rows.push_back(arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({lanes}, element))));
        continue;
      }
      Point read = at;
      read.loops[loop] = position + n;
      read.loops[last] = step;
      read.laneDim = last;
      read.lanes = lanes;
      read.mask = mask;
      rows.push_back(from.load(b, read));
    }
    transposeSquare(b, rows);
    Value address = addressOf(position, /*inside=*/true);
    for (int64_t s = 0; s < count; ++s) {
      Point write = at;
      write.loops[last] = step + s;
      places(address).store(b, placeOf(write, 0, lanes), rows[s]);
    }
  };
  copySteps(ranges, ArrayRef(reductions).drop_back(), pointOf(ranges), [&](const Point &at) {
    forVectors(b, ranges[loop].low, ranges[loop].high, kernel.loopExtents(root)[loop], lanes, 1,
               [&](Index position, int64_t, Value rest) {
                 int64_t neighbours = rest ? kernel.loopExtents(root)[loop].offset % lanes : lanes;
                 forVectors(b, steps.low, steps.high, extent, lanes, 1, [&](Index step, int64_t, Value mask) {
                   square(at, position, step, neighbours, mask, mask ? extent.offset % lanes : lanes);
                 });
               });
  });
}

} // namespace dlc::codegen
