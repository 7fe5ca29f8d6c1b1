//===- Transient.cpp - matrices of which only tiles exist -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/attention/Transient.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/kernel/Body.h"

using namespace mlir;

namespace dlc::codegen::gpu {

TransientCode::TransientCode(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), operands(kernel),
      transient(*analysis::transientOf(kernel.getKernel())),
      schedule(cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), form(schedule.transient()),
      warp(b, analysis::lowTypeOf(transient.producers.front())) {
  Op first = transient.producers.front();
  SmallVector<Index, 4> extents = kernel.loopExtents(first);
  for (int64_t loop = 0; loop < int64_t(first.getNumParallelLoops()); ++loop) {
    Loops &kind = loop == keptLoop()                            ? rows
                  : loop == otherLoop()                         ? along
                  : llvm::is_contained(transient.reduced, loop) ? before
                                                                : matrices;
    kind.add(b, loop, extents[loop]);
  }
}

Point TransientCode::pointOf(Op op, Index row, Index position) {
  Point at;
  for (int64_t is : transient.loops[op])
    at.loops.push_back(is < 0              ? Index(0)
                       : is == keptLoop()  ? row
                       : is == otherLoop() ? position
                                           : point.loops[is]);
  return at;
}

/// With what fills up fragments.
int64_t TransientCode::columnsOf(Op end) const {
  return transient.operands[transient.operandNumber(end, transient.otherOperand(end))].numbers;
}

void TransientCode::emit() {
  for (const Loops *loops : {&matrices, &rows})
    if (loops->size.isConstant() && loops->size.offset == 0)
      return; // no results
  warp.findThread();
  Index down = divide(b, rows.size + (form.getRows() - 1), form.getRows());
  SmallVector<Index, 4> block = positionsOf(b, blockIndex(b), {matrices.size, down});
  firstRow = mul(b, block[1], form.getRows());
  point.loops.assign(transient.producers.front().getNumLoops(), Index(0));
  placeMemory();
  findLoaded();
  // With open sizes, there may be fewer matrices and rows than the blocks are for.
  Value isMatrix;
  if (!matrices.size.isConstant() || !rows.size.isConstant())
    isMatrix = isLess(b, block[0], matrices.size);
  where(b, isMatrix, [&] {
    kernel.readScalars();
    matrices.place(b, block[0], point);
    bring(/*isKept=*/true, firstRow);
    load(/*isOfRows=*/true, Index(0));
    auto flat = [](const Sums &sums) {
      Values all;
      for (const Values &of : sums)
        llvm::append_range(all, of);
      return all;
    };
    auto apart = [&](ArrayRef<Value> all) {
      Sums sums = start();
      for (Values &of : sums) {
        of.assign(all.begin(), all.begin() + of.size());
        all = all.drop_front(of.size());
      }
      return sums;
    };
    Range tiles = tilesOf();
    Values all = forLoop(b, Index(0), before.size, 1, flat(start()), [&](Index number, Values carried) {
      before.place(b, number, point);
      return forLoop(b, tiles.low, tiles.high, form.getAlong(), std::move(carried),
                     [&](Index first, const Values &inner) { return flat(step(first, apart(inner))); });
    });
    for (int64_t loop : before.loops)
      point.loops[loop] = Index(0);
    finish(apart(all));
  });
  warp.useMachineExponentials(kernel);
}

/// The positions of the other side that elements of these rows need: a mask may hide those at one end.
Range TransientCode::tilesOf() {
  Range all{Index(0), along.size};
  auto seen = [&](Op op) {
    std::optional<train::Triangle> triangle = train::triangleOf(op);
    if (triangle)
      for (int64_t *loop : {&triangle->upTo, &triangle->beyond})
        *loop = transient.loops[op][*loop];
    return triangle;
  };
  std::optional<train::Triangle> triangle = seen(transient.consumers.front());
  if (!triangle || !llvm::all_of(transient.consumers, [&](Op end) { return seen(end) == triangle; }))
    return all;
  if (triangle->upTo == keptLoop() && triangle->beyond == otherLoop())
    all.high = min(b, firstRow + (form.getRows() + triangle->offset), along.size);
  if (triangle->upTo == otherLoop() && triangle->beyond == keptLoop()) {
    Index from = onWhole<arith::MaxSIOp>(b, firstRow + -triangle->offset, Index(0));
    all.low = mul(b, divide(b, from, form.getAlong()), form.getAlong());
  }
  return all;
}

TransientCode::Sums TransientCode::start() {
  Sums sums;
  for (Op end : transient.consumers)
    sums.emplace_back(analysis::isContraction(end) ? columnsOf(end) / 8 * sumsOfTile : rowsOfLane,
                      warp.zero());
  return sums;
}

/// Takes up the elements of one tile.
TransientCode::Sums TransientCode::step(Index first, Sums sums) {
  bring(/*isKept=*/false, first);
  barrier(b);
  load(/*isOfRows=*/false, first);
  Sums elements = elementsFor(first);
  for (auto [number, end] : llvm::enumerate(transient.consumers)) {
    const Values &of = elements[number];
    if (analysis::isContraction(end)) {
      sums[number] = addProduct(end, of, std::move(sums[number]));
      continue;
    }
    for (size_t i = 0; i < of.size(); ++i) {
      Value &sum = sums[number][WarpTile::halfOf(i)];
      sum = arith::AddFOp::create(b, sum, of[i]);
    }
  }
  bool isLast = before.size.isConstant() && before.size.offset <= 1 && along.size.isConstant() &&
                along.size.offset <= form.getAlong();
  if (!isLast)
    barrier(b); // the next tile overwrites what was read
  return sums;
}

void TransientCode::finish(const Sums &sums) {
  for (size_t number = 0; number < sums.size(); ++number) {
    Op end = transient.consumers[number];
    const Values &of = sums[number];
    if (!analysis::isContraction(end)) {
      for (int64_t half = 0; half < rowsOfLane; ++half) {
        Value sum = warp.acrossRow(of[half], analysis::combinerOf(end, 0));
        Value isThere = isRow(half);
        where(b, both(b, isThere, isLess(b, warp.inGroup, Index(1))),
              [&] { finishAt(end, pointOf(end, row(half), Index(0)), sum); });
      }
      continue;
    }
    Loops columns;
    for (auto [loop, extent] : llvm::enumerate(kernel.loopExtents(end)))
      if (transient.loops[end][loop] < 0)
        columns.add(b, loop, extent);
    const Span all{&columns, Index(0), columnsOf(end)};
    for (size_t i = 0; i < of.size(); ++i) {
      Index column = warp.column(i), row = this->row(WarpTile::halfOf(i));
      where(b, all.isInside(b, column, isRow(WarpTile::halfOf(i))), [&] {
        Point at = pointOf(end, row, Index(0));
        columns.place(b, column, at);
        finishAt(end, at, of[i]);
      });
    }
  }
}

/// The loops of what follows are the end's parallel loops, in order.
void TransientCode::finishAt(Op end, const Point &at, Value value) {
  operands.forget();
  auto keep = [&](Op op, const Point &at, const Values &results) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
      operands.keep(result, value);
      operands.write(result, at, value);
    }
  };
  keep(end, at, {value});
  Point after;
  after.loops.assign(at.loops.begin(), at.loops.begin() + end.getNumParallelLoops());
  for (Op op : transient.after[end])
    keep(op, after, Values(emitBody(kernel, op, operands.arguments(op, after), after)));
}

void emitTransient(KernelFunction &kernel) { TransientCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
