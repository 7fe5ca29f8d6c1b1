//===- LoopKernel.cpp - kernels of rows and of columns ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/loops/LoopKernel.h"

using namespace mlir;

namespace dlc::codegen {

void LoopKernel::emit() {
  SmallVector<Index, 4> extents;
  for (linalg::GenericOp op : kernel.operations()) {
    extents = kernel.loopExtents(op);
    if (static_cast<int64_t>(extents.size()) >= shared)
      break;
  }
  extents.resize(shared);
  forChunks(kernel, extents, [&](const Chunks &chunks) {
    // The chunks of one call run one after the other, in the scratch memory of the first.
    Value scratch = kernel.scratch();
    if (scratch && !schedule.getSplit().empty())
      scratch = pointerAt(b, scratch, mul(b, chunks.first, schedule.getScratch()));
    temporaries.place(scratch);
    Point point;
    point.loops.append(kernel.outer().begin(), kernel.outer().end());
    emitShared(point.loops.size(), point, chunks.ranges, extents);
  });
}

void LoopKernel::emitShared(int64_t loop, Point point, ArrayRef<Range> ranges, ArrayRef<Index> extents) {
  if (loop == shared)
    return emitOperations({point});
  const Range &range = ranges[loop];
  if (!lanesShared || loop != shared - 1)
    return forLoop(b, range.low, range.high, 1, [&](Index position) {
      Point next = point;
      next.loops.push_back(position);
      emitShared(loop + 1, next, ranges, extents);
    });
  forVectors(b, range.low, range.high, extents[loop], lanes, vectors,
             [&](Index position, int64_t count, Value mask) {
               Points points(count, point);
               for (auto [v, p] : llvm::enumerate(points)) {
                 p.loops.push_back(position + int64_t(v) * lanes);
                 p.laneDim = loop;
                 p.lanes = lanes;
               }
               points.back().mask = mask;
               // Rows that are fewer than the lanes cannot be read whole; those before them can.
               if (mask && count > 1 && !schedule.columns().getExchanged().empty()) {
                 emitOperations(Points(ArrayRef(points).drop_back()));
                 points = {points.back()};
               }
               emitOperations(points);
             });
}

void LoopKernel::emitOperations(const Points &points) {
  registers.clear();
  shortRows.begin(points);
  for (linalg::GenericOp op : kernel.operations())
    emitOperation(op, points);
  shortRows.end(points);
}

int64_t LoopKernel::ownLane(linalg::GenericOp op) const {
  cpu::RowsAttr form = schedule.rows();
  return form ? form.getAlong()[llvm::find(kernel.operations(), op) - kernel.operations().begin()] : -1;
}

bool LoopKernel::isUnrolled(Index extent) const {
  return extent.isConstant() && extent.offset <= schedule.rows().getUnroll() * lanes;
}

void LoopKernel::emitOperation(linalg::GenericOp op, const Points &points) {
  SmallVector<Index, 4> extents = kernel.loopExtents(op);
  int64_t lane = ownLane(op);
  SmallVector<int64_t> parallel;
  for (int64_t loop = shared; loop < int64_t(op.getNumLoops()); ++loop)
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel)
      parallel.push_back(loop);
  Points whole = points;
  for (Point &point : whole)
    point.loops.resize(op.getNumLoops());
  if (std::optional<train::Triangle> triangle = kernel.triangle(op)) {
    Index &extent = extents[triangle->beyond];
    isWholeVectors = extent.isConstant() && extent.offset % lanes == 0;
    extent = kernel.endBeyond(*triangle, points.front().loops[triangle->upTo], extent);
  }
  emitParallel(op, extents, parallel, lane, whole);
  isWholeVectors = false;
}

LoopKernel::Points LoopKernel::placed(Points points, int64_t loop, Index position, bool vector,
                                      Value mask) const {
  for (Point &point : points) {
    point.loops[loop] = position;
    if (vector) {
      point.laneDim = loop;
      point.lanes = lanes;
      point.mask = mask;
    }
  }
  return points;
}

void LoopKernel::emitParallel(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops,
                              int64_t lane, const Points &points) {
  if (loops.empty())
    return compute(op, extents, lane, points);
  int64_t loop = loops.front();
  auto at = [&](Index position, bool vector, Value mask) {
    emitParallel(op, extents, loops.drop_front(), lane, placed(points, loop, position, vector, mask));
  };
  Index extent = extents[loop];
  if (loop != lane)
    return forLoop(b, Index(0), extent, 1, [&](Index position) { at(position, false, Value()); });
  if (isUnrolled(extent)) {
    for (int64_t position = 0; position < extent.offset; position += lanes)
      at(Index(position), true,
         position + lanes <= extent.offset ? Value() : firstLanes(b, lanes, extent.offset - position));
    return;
  }
  forVectors(b, Index(0), extent, extent, lanes, 1,
             [&](Index position, int64_t, Value mask) { at(position, true, mask); });
}

void emitLoopKernel(KernelFunction &kernel) { LoopKernel(kernel).emit(); }

} // namespace dlc::codegen
