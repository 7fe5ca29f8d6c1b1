//===- Scatter.cpp - sums at computed positions, on GPUs -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block owns some positions along the loop that the operation goes to, at some neighbouring positions of
// the other loops, its columns. It fills them. Then its threads look at the positions that the reduction
// computes, some steps each, and list those that are the block's, in the order of the steps; and each thread
// adds what is on the list to its own column. So all sums are in the order of the reduction, and nothing is
// written elsewhere, whatever the positions are.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/machine/gpu/Schedule.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

class ScatterCode {
public:
  explicit ScatterCode(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), operands(kernel), op(kernel.operations().front()),
        scatter(*analysis::scatterOf(op)), extents(kernel.loopExtents(op)),
        form(cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).scatter()),
        threads(cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).getThreads()),
        counts(sharedMemory(kernel, "counts", b.getI64Type(), {threads})),
        list(sharedMemory(kernel, "list", b.getI64Type(), {form.stepsOfRound(threads)})) {}

  void emit();

private:
  Value valueAt(const Point &point, Value wanted);
  Index positionAt(Index step);
  void placeBlock();
  Point pointOf(Index row, Index column);
  void fill();
  Index makeList(Index begin);
  void addListed(Index begin, Index listed);

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  linalg::GenericOp op;
  analysis::Scatter scatter;
  SmallVector<Index, 4> extents;
  dlc::gpu::ScatterAttr form;
  int64_t threads;
  Memory counts, list;

  // What the block works on.
  Point first; ///< its position along loops on which positions depend
  SmallVector<int64_t, 4> columnLoops;
  SmallVector<Index, 4> columnExtents;
  Range rows, columns;
  Index steps;
};

Value ScatterCode::valueAt(const Point &point, Value wanted) {
  llvm::SetVector<Value> needed = analysis::neededFor(op, wanted);
  Values arguments;
  for (OpOperand *input : op.getDpsInputOperands())
    arguments.push_back(needed.contains(op.getMatchingBlockArgument(input)) ? operands.read(op, *input, point)
                                                                            : Value());
  arguments.push_back(Value()); // the sum so far
  return emitPart(kernel, op, wanted, arguments, point);
}

/// The position that a step goes to.
Index ScatterCode::positionAt(Index step) {
  Point at = first;
  const unsigned parallel = op.getNumParallelLoops();
  for (auto [loop, position] : llvm::enumerate(positionsOf(b, step, ArrayRef(extents).drop_front(parallel))))
    at.loops[parallel + loop] = position;
  Value position = valueAt(at, scatter.index);
  if (isa<IndexType>(position.getType()))
    return arith::IndexCastOp::create(b, b.getI64Type(), position).getResult();
  if (!position.getType().isInteger(64))
    return arith::ExtSIOp::create(b, b.getI64Type(), position).getResult();
  return position;
}

/// Blocks are numbered by their columns, then their rows. There are enough for the largest sizes; those that
/// are too many have no rows, and no steps.
void ScatterCode::placeBlock() {
  const int64_t parallel = op.getNumParallelLoops();
  Index all = extents[scatter.loop];
  SmallVector<Index, 4> sizes, before;
  SmallVector<int64_t, 4> outer;
  for (int64_t loop = 0; loop < parallel; ++loop)
    if (loop != int64_t(scatter.loop)) {
      bool isOuter = analysis::dependsOnLoop(op, scatter.index, loop);
      (isOuter ? outer : columnLoops).push_back(loop);
      (isOuter ? before : columnExtents).push_back(extents[loop]);
    }
  Index allColumns = productOf(b, columnExtents);
  sizes = before;
  sizes.push_back(divide(b, all + (form.getRows() - 1), form.getRows()));
  sizes.push_back(divide(b, allColumns + (form.getColumns() - 1), form.getColumns()));
  const Index block = blockIndex(b);
  Value isThere = isLess(b, block, productOf(b, sizes));
  SmallVector<Index, 4> positions = positionsOf(b, block, sizes);
  auto orNone = [&](Index size) {
    Value whole = size.materialize(b), none = constantI64(b, 0);
    return Index(arith::SelectOp::create(b, isThere, whole, none).getResult());
  };
  first.loops.assign(op.getNumLoops(), Index(0));
  for (auto [loop, position] : llvm::zip(outer, positions))
    first.loops[loop] = position;
  rows.low = mul(b, positions[outer.size()], form.getRows());
  rows.high = orNone(min(b, add(b, rows.low, form.getRows()), all));
  columns.low = mul(b, positions[outer.size() + 1], form.getColumns());
  columns.high = min(b, add(b, columns.low, form.getColumns()), allColumns);
  steps = orNone(productOf(b, ArrayRef(extents).drop_front(parallel)));
}

Point ScatterCode::pointOf(Index row, Index column) {
  Point point = first;
  point.loops[scatter.loop] = row;
  for (auto [loop, position] : llvm::zip(columnLoops, positionsOf(b, column, columnExtents)))
    point.loops[loop] = position;
  return point;
}

/// Neighbouring threads fill neighbours in memory.
void ScatterCode::fill() {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  bool alongRows =
      map.getNumResults() > 0 && map.getResults().back() == getAffineDimExpr(scatter.loop, b.getContext());
  Index high = rows.high, rowCount = sub(b, high, min(b, rows.low, high)),
        columnCount = sub(b, columns.high, columns.low);
  SmallVector<Index, 4> sizes{rowCount, columnCount};
  if (alongRows)
    std::swap(sizes[0], sizes[1]);
  const Index first = threadIndex(b);
  forLoop(b, first, productOf(b, sizes), threads, [&](Index element) {
    SmallVector<Index, 4> at = positionsOf(b, element, sizes);
    const Index row = add(b, rows.low, at[alongRows]);
    Point point = pointOf(row, add(b, columns.low, at[!alongRows]));
    operands.write(cast<OpResult>(op.getResult(0)), point, operands.initial(op, 0, point));
  });
}

/// Looks at the steps of one round, from `begin` on, and lists those that go to a row of the block, in order,
/// each as its row's number times the steps of a round plus its own number. Returns how many there are.
Index ScatterCode::makeList(Index begin) {
  const int64_t each = dlc::gpu::ScatterAttr::stepsOfThread, round = form.stepsOfRound(threads);
  Index thread = threadIndex(b);
  SmallVector<Value> isOurs, entries;
  Value mine = constantI64(b, 0);
  for (int64_t i = 0; i < each; ++i) {
    Index number = mul(b, thread, each) + i, step = add(b, begin, number);
    Value isStep = isLess(b, step, steps);
    Index row =
        where(b, isStep, {b.getI64Type()}, [&] { return Values{positionAt(step).materialize(b)}; }).front();
    Value isBelow = isLess(b, row, rows.high), isRow = both(b, isBelow, isLess(b, rows.low, row + 1));
    isOurs.push_back(both(b, isStep, isRow));
    entries.push_back(add(b, mul(b, sub(b, row, rows.low), round), number).materialize(b));
    Value one = arith::ExtUIOp::create(b, b.getI64Type(), isOurs.back());
    mine = arith::AddIOp::create(b, mine, one);
  }
  // How many the threads up to this one have, and then where its own begin.
  Value sum = mine;
  storeAt(b, counts, {thread}, sum);
  for (int64_t distance = 1; distance < threads; distance *= 2) {
    barrier(b);
    Value before = where(b, isLess(b, Index(distance - 1), thread), {b.getI64Type()}, [&] {
                     return Values{loadAt(b, counts, {thread + -distance})};
                   }).front();
    sum = arith::AddIOp::create(b, sum, before);
    barrier(b);
    storeAt(b, counts, {thread}, sum);
  }
  Value place = arith::SubIOp::create(b, sum, mine);
  for (size_t i = 0; i < entries.size(); ++i) {
    where(b, isOurs[i], [&] { storeAt(b, list, {place}, entries[i]); });
    Value one = arith::ExtUIOp::create(b, b.getI64Type(), isOurs[i]);
    place = arith::AddIOp::create(b, place, one);
  }
  barrier(b);
  return loadAt(b, counts, {Index(threads - 1)});
}

/// Threads that a column does not need for itself share the block's rows.
void ScatterCode::addListed(Index begin, Index listed) {
  constexpr int64_t atOnce = 4; // of which all is read before one is added
  const int64_t round = form.stepsOfRound(threads), sharers = threads / form.getColumns(),
                rowsOfThread = llvm::divideCeil(form.getRows(), sharers), parallel = op.getNumParallelLoops();
  Index thread = threadIndex(b);
  Index column = add(b, columns.low, remainder(b, thread, form.getColumns()));
  Index low = mul(b, divide(b, thread, form.getColumns()), rowsOfThread);
  Value isColumn = isLess(b, column, columns.high);
  Type type = getElementTypeOrSelf(op.getResult(0).getType());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  forLoop(b, Index(0), listed, atOnce, [&](Index number) {
    SmallVector<Point> points;
    SmallVector<Value> isOurs, added;
    for (int64_t i = 0; i < atOnce; ++i) {
      Value isListed = isLess(b, number + i, listed);
      Index entry =
          where(b, isListed, {b.getI64Type()}, [&] { return Values{loadAt(b, list, {number + i})}; }).front();
      Index row = divide(b, entry, round), step = add(b, begin, remainder(b, entry, round));
      Value isBelow = isLess(b, row, add(b, low, rowsOfThread));
      Value isRow = both(b, isBelow, isLess(b, low, row + 1));
      isOurs.push_back(both(b, both(b, isListed, isColumn), isRow));
      points.push_back(pointOf(add(b, rows.low, row), column));
      for (auto [loop, position] :
           llvm::enumerate(positionsOf(b, step, ArrayRef(extents).drop_front(parallel))))
        points.back().loops[parallel + loop] = position;
      added.push_back(where(b, isOurs.back(), {type}, [&] {
                        return Values{valueAt(points.back(), scatter.added)};
                      }).front());
    }
    for (int64_t i = 0; i < atOnce; ++i)
      where(b, isOurs[i], [&] {
        Value sum = Access(b, kernel.outputsOf(op.getResult(0)).front(), map).load(b, points[i]);
        operands.write(cast<OpResult>(op.getResult(0)), points[i],
                       combine(b, analysis::combinerOf(op, 0), sum, added[i]));
      });
  });
}

void ScatterCode::emit() {
  kernel.readScalars();
  placeBlock();
  fill(); // making a list has barriers, so that a thread adds to what others have filled
  const int64_t round = form.stepsOfRound(threads);
  int64_t mostSteps = 1;
  for (int64_t size :
       llvm::drop_begin(analysis::loopBounds(kernel.getKernel(), op), op.getNumParallelLoops()))
    mostSteps *= size;
  const bool isOneRound = mostSteps <= round;
  forLoop(b, Index(0), isOneRound ? Index(1) : steps, round, [&](Index begin) {
    addListed(begin, makeList(begin));
    if (!isOneRound)
      barrier(b); // the next list takes this one's place
  });
}

} // namespace

void emitScatter(KernelFunction &kernel) { ScatterCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
