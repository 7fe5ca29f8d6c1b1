//===- LoopKernel.cpp - kernels of rows and of columns ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/loops/LoopKernel.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/cpu/loops/ShortRows.h"
#include "compiler/codegen/cpu/loops/Temporaries.h"
#include "compiler/codegen/kernel/Body.h"
#include "dialects/train/KernelSizes.h"
#include "dialects/train/Reductions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

using Points = SmallVector<Point, 4>;

class LoopKernel {
public:
  explicit LoopKernel(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), schedule(scheduleOf(kernel)), lanes(schedule.getLanes()),
        shared(kernel.shared()), vectors(schedule.columns() ? schedule.columns().getVectors() : 1),
        lanesShared(schedule.columns() && lanes > 1), shortRows(kernel), temporaries(kernel) {}

  void emit();

private:
  void emitShared(int64_t loop, Point point, ArrayRef<Range> ranges, ArrayRef<Index> extents);
  void emitOperations(const Points &points);
  void emitOperation(linalg::GenericOp op, const Points &points);
  void emitParallel(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops, int64_t lane,
                    Points points);
  void compute(linalg::GenericOp op, ArrayRef<Index> extents, int64_t lane, const Points &points);
  Values reduce(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops, int64_t lane,
                Points points, Values accumulators);
  Values step(linalg::GenericOp op, const Points &points, Values accumulators);
  Value read(linalg::GenericOp op, OpOperand &operand, const Point &point, unsigned which);
  void write(linalg::GenericOp op, const Points &points, const Values &results);

  /// The loop of an operation's own that is vectorised, or -1.
  int64_t ownLane(linalg::GenericOp op) const;
  /// In how many accumulators the terms of an operation's reduction are taken in turn.
  int64_t accumulatorsOf(linalg::GenericOp op) const;
  /// Whether so many elements in vectors are straight code.
  bool isUnrolled(Index extent) const;

  KernelFunction &kernel;
  Builder &b;
  cpu::ScheduleAttr schedule;
  int64_t lanes, shared, vectors; ///< vectors of the last shared loop that run together
  bool lanesShared;
  bool isWholeVectors = false; ///< are what counts of a row, though their number depends on the row
  ShortRows shortRows;
  Temporaries temporaries;
  DenseMap<Value, Values> registers; ///< one value per point of the shared loops
};

void LoopKernel::emit() {
  SmallVector<Index, 4> extents;
  for (linalg::GenericOp op : kernel.operations()) {
    extents = kernel.loopExtents(op);
    if (static_cast<int64_t>(extents.size()) >= shared)
      break;
  }
  extents.resize(shared);
  forChunks(kernel, extents, [&](const Chunks &chunks) {
    // Chunks of one call come one after the other, in the place of the first.
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

int64_t LoopKernel::accumulatorsOf(linalg::GenericOp op) const {
  ArrayRef<int64_t> all = schedule.columns() ? schedule.columns().getAccumulators() : ArrayRef<int64_t>();
  return all.empty() ? 1 : all[llvm::find(kernel.operations(), op) - kernel.operations().begin()];
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
  if (std::optional<Triangle> triangle = kernel.triangle(op)) {
    Index &extent = extents[triangle->beyond];
    isWholeVectors = extent.isConstant() && extent.offset % lanes == 0;
    extent = kernel.endBeyond(*triangle, points.front().loops[triangle->upTo], extent);
  }
  emitParallel(op, extents, parallel, lane, whole);
  isWholeVectors = false;
}

void LoopKernel::emitParallel(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops,
                              int64_t lane, Points points) {
  if (loops.empty())
    return compute(op, extents, lane, points);
  int64_t loop = loops.front();
  auto at = [&](Index position, bool vector, Value mask) {
    Points next = points;
    for (Point &point : next) {
      point.loops[loop] = position;
      if (vector) {
        point.laneDim = loop;
        point.lanes = lanes;
        point.mask = mask;
      }
    }
    emitParallel(op, extents, loops.drop_front(), lane, next);
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

/// For each point: one element, or one vector of elements, of each result.
void LoopKernel::compute(linalg::GenericOp op, ArrayRef<Index> extents, int64_t lane, const Points &points) {
  SmallVector<int64_t> reductions;
  for (int64_t loop = 0; loop < int64_t(op.getNumLoops()); ++loop)
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
      reductions.push_back(loop);
  if (reductions.empty())
    return write(op, points, step(op, points, {}));

  // A reduction over lanes collects partial results per lane from the neutral element on.
  bool acrossLanes = lane >= 0 && reductions.back() == lane;
  Values initial, start;
  for (auto [which, point] : llvm::enumerate(points)) {
    for (unsigned result = 0; result < op.getNumResults(); ++result) {
      OpOperand &init = *op.getDpsInitOperand(result);
      TypedAttr constant = kernel.initialValue(init.get());
      Value value =
          constant ? arith::ConstantOp::create(b, constant).getResult() : read(op, init, point, which);
      initial.push_back(asVector(b, point, value));
    }
  }
  if (acrossLanes) {
    Points inLanes = points;
    for (Point &point : inLanes) {
      point.laneDim = lane;
      point.lanes = lanes;
    }
    start = neutralElements(b, op, inLanes);
  }
  Values results =
      reduce(op, extents, reductions, acrossLanes ? lane : -1, points, acrossLanes ? start : initial);
  if (acrossLanes)
    for (auto [i, value] : llvm::enumerate(results)) {
      Operation *combiner = train::combinerOf(op, i % op.getNumResults());
      value = combine(b, combiner, initial[i], combineLanes(b, combiner, value));
    }
  write(op, points, results);
}

Values LoopKernel::reduce(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops,
                          int64_t lane, Points points, Values accumulators) {
  if (loops.empty())
    return step(op, points, accumulators);
  int64_t loop = loops.front();
  auto at = [&](Index position, bool vector, Value mask, Values carried) {
    Points next = points;
    for (Point &point : next) {
      point.loops[loop] = position;
      if (vector) {
        point.laneDim = loop;
        point.lanes = lanes;
        point.mask = mask;
      }
    }
    Values updated = reduce(op, extents, loops.drop_front(), lane, next, carried);
    if (mask && vector)
      for (auto [before, after] : llvm::zip(carried, updated))
        after = arith::SelectOp::create(b, mask, after, before);
    return updated;
  };
  Index extent = extents[loop];
  if (int64_t sets = accumulatorsOf(op); sets > 1)
    return forTurns(
        b, Index(0), extent, sets, accumulators, neutralElements(b, op, points),
        [&](Index position, Values carried) { return at(position, false, Value(), carried); },
        [&](const Values &x, const Values &y) { return Values(combineAll(b, op, x, y)); });
  if (loop != lane)
    return forLoop(b, Index(0), extent, 1, accumulators,
                   [&](Index position, Values carried) { return at(position, false, Value(), carried); });

  if (extent.isConstant()) {
    int64_t whole = extent.offset / lanes * lanes;
    if (isUnrolled(extent)) {
      for (int64_t position = 0; position < whole; position += lanes)
        accumulators = at(Index(position), true, Value(), accumulators);
    } else {
      accumulators =
          forLoop(b, Index(0), Index(whole), lanes, accumulators,
                  [&](Index position, Values carried) { return at(position, true, Value(), carried); });
    }
    if (extent.offset > whole)
      accumulators = at(Index(whole), true, firstLanes(b, lanes, extent.offset - whole), accumulators);
    return accumulators;
  }
  return forLoop(b, Index(0), extent, lanes, accumulators, [&](Index position, Values carried) {
    Value mask = isWholeVectors ? Value() : firstLanes(b, lanes, sub(b, extent, position));
    return at(position, true, mask, carried);
  });
}

/// The body at each point: the yielded values, results of a point together.
Values LoopKernel::step(linalg::GenericOp op, const Points &points, Values accumulators) {
  Values results;
  for (auto [which, point] : llvm::enumerate(points)) {
    Values arguments;
    for (OpOperand *input : op.getDpsInputOperands())
      arguments.push_back(op.getMatchingBlockArgument(input).use_empty() ? Value()
                                                                         : read(op, *input, point, which));
    for (unsigned result = 0; result < op.getNumResults(); ++result) {
      OpOperand &init = *op.getDpsInitOperand(result);
      if (!accumulators.empty())
        arguments.push_back(accumulators[which * op.getNumResults() + result]);
      else
        arguments.push_back(op.getMatchingBlockArgument(&init).use_empty() ? Value()
                                                                           : read(op, init, point, which));
    }
    auto yielded = emitBody(kernel, op, arguments, point);
    for (Value value : yielded)
      results.push_back(accumulators.empty() ? value : asVector(b, point, value));
  }
  return results;
}

Value LoopKernel::read(linalg::GenericOp op, OpOperand &operand, const Point &point, unsigned which) {
  Value tensor = operand.get();
  if (cast<ShapedType>(operand.get().getType()).getRank() == 0 && tensor.getDefiningOp<linalg::FillOp>())
    return arith::ConstantOp::create(b, kernel.initialValue(tensor));
  if (auto it = registers.find(tensor); it != registers.end())
    return it->second[which];
  if (Value scalar = kernel.scalarInput(tensor))
    return scalar;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (const Memory *exchanged = shortRows.find(tensor))
    return Access(b, *exchanged, map).load(b, shortRows.at(point, which));
  if (const Memory *temporary = temporaries.find(tensor))
    return Access(b, *temporary, map).load(b, temporaries.at(point, which));
  auto memory = kernel.memoryOf(tensor);
  assert(memory && "an operand is an argument or an earlier result of the kernel");
  return Access(b, *memory, map).load(b, point);
}

void LoopKernel::write(linalg::GenericOp op, const Points &points, const Values &results) {
  unsigned count = op.getNumResults();
  for (unsigned r = 0; r < count; ++r) {
    OpResult result = op->getResult(r);
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(r));
    const Memory *exchanged = shortRows.find(result);
    for (auto [which, point] : llvm::enumerate(points)) {
      if (exchanged)
        Access(b, *exchanged, map).store(b, shortRows.at(point, which), results[which * count + r]);
      else
        for (const Memory &memory : kernel.outputsOf(result))
          Access(b, memory, map).store(b, point, results[which * count + r]);
    }

    if (const Memory *temporary = temporaries.find(result)) {
      for (auto [which, point] : llvm::enumerate(points))
        Access(b, *temporary, map).store(b, temporaries.at(point, which), results[which * count + r]);
      continue;
    }
    // One element for each point: it stays in a register.
    bool isElement = llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim && int64_t(dim.getPosition()) < shared;
    });
    if (isElement) {
      Values &values = registers[result];
      for (size_t which = 0; which < points.size(); ++which)
        values.push_back(results[which * count + r]);
    }
  }
}

} // namespace

void emitLoopKernel(KernelFunction &kernel) { LoopKernel(kernel).emit(); }

} // namespace dlc::codegen
