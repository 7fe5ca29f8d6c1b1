//===- Scatter.cpp - sums at computed positions ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the chunk's part of the result is filled. Then the reduction runs in order, one step after the other:
// each computes its position, and where that lies in the chunk's part, adds there. Nothing is written
// elsewhere, whatever the positions are.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Scatter.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/Body.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

// At most so many vectors of the lane loop are unrolled.
constexpr int64_t group = 4;

class ScatterCode {
public:
  explicit ScatterCode(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), op(kernel.operations().front()),
        scatter(*analysis::scatterOf(op)), schedule(scheduleOf(kernel)), lane(schedule.scatter().getLane()),
        extents(kernel.loopExtents(op)), map(op.getMatchingIndexingMap(op.getDpsInitOperand(0))) {}

  void emit();

private:
  using EmitPoint = llvm::function_ref<void(const Point &)>;
  /// Emits loops over all positions of `loops`, each in its range.
  void forAll(ArrayRef<int64_t> loops, Point point, EmitPoint emit);
  /// Emits the elements along the lane loop in vectors; without such a loop, the point itself.
  void forLane(const Point &point, EmitPoint emit);
  /// Computes a value of the body at a point.
  Value valueAt(const Point &point, Value wanted);
  void fill(const Point &point);
  void add(const Point &point);
  void store(const Point &point, Value value);

  KernelFunction &kernel;
  Builder &b;
  linalg::GenericOp op;
  analysis::Scatter scatter;
  cpu::ScheduleAttr schedule;
  int64_t lane;
  SmallVector<Index, 4> extents;
  SmallVector<Range> ranges; ///< of the chunks that are computed
  AffineMap map;             ///< of the result
};

void ScatterCode::forAll(ArrayRef<int64_t> loops, Point point, EmitPoint emit) {
  if (loops.empty())
    return emit(point);
  Range range = ranges[loops.front()];
  forLoop(b, range.low, range.high, 1, [&](Index position) {
    point.loops[loops.front()] = position;
    forAll(loops.drop_front(), point, emit);
  });
}

void ScatterCode::forLane(const Point &point, EmitPoint emit) {
  if (lane < 0)
    return emit(point);
  int64_t lanes = schedule.getLanes();
  forVectors(b, Index(0), extents[lane], extents[lane], lanes, group,
             [&](Index position, int64_t count, Value mask) {
               for (int64_t v = 0; v < count; ++v) {
                 Point vector = point;
                 vector.loops[lane] = position + v * lanes;
                 vector.laneDim = lane;
                 vector.lanes = lanes;
                 vector.mask = v + 1 == count ? mask : Value();
                 emit(vector);
               }
             });
}

Value ScatterCode::valueAt(const Point &point, Value wanted) {
  llvm::SetVector<Value> needed = analysis::neededFor(op, wanted);
  Values arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value;
    if (needed.contains(op.getMatchingBlockArgument(input))) {
      value = kernel.scalarInput(input->get());
      if (!value)
        value = Access(b, *kernel.memoryOf(input->get()), op.getMatchingIndexingMap(input)).load(b, point);
    }
    arguments.push_back(value);
  }
  arguments.push_back(Value()); // the sum so far
  return emitPart(kernel, op, wanted, arguments, point);
}

void ScatterCode::store(const Point &point, Value value) {
  for (const Memory &memory : kernel.outputsOf(op.getResult(0)))
    Access(b, memory, map).store(b, point, value);
}

void ScatterCode::fill(const Point &point) {
  Value initial = arith::ConstantOp::create(b, kernel.initialValue(op.getDpsInits()[0]));
  forLane(point, [&](const Point &at) { store(at, asVector(b, at, initial)); });
}

void ScatterCode::add(const Point &point) {
  Value index = valueAt(point, scatter.index);
  if (isa<IndexType>(index.getType()))
    index = arith::IndexCastOp::create(b, b.getI64Type(), index);
  else if (!index.getType().isInteger(64))
    index = arith::ExtSIOp::create(b, b.getI64Type(), index);
  auto addThere = [&] {
    Point there = point;
    there.loops[scatter.loop] = Index(index);
    forLane(there, [&](const Point &at) {
      Value added = asVector(b, at, valueAt(at, scatter.added));
      Value sum = Access(b, kernel.outputsOf(op.getResult(0)).front(), map).load(b, at);
      store(at, combine(b, analysis::combinerOf(op, 0), sum, added));
    });
  };
  Range range = ranges[scatter.loop];
  ifLess(b, Index(index), range.high, [&] { ifLess(b, range.low, Index(index) + 1, addThere); });
}

void ScatterCode::emit() {
  SmallVector<int64_t> filled, outer, steps;
  for (int64_t loop = 0; loop < int64_t(op.getNumLoops()); ++loop) {
    bool isParallel = loop < int64_t(op.getNumParallelLoops());
    if (!isParallel)
      steps.push_back(loop);
    else if (loop != lane)
      filled.push_back(loop);
    if (isParallel && loop != lane && loop != scatter.loop)
      outer.push_back(loop);
  }
  Point start;
  start.loops.assign(op.getNumLoops(), Index(0));
  forChunks(kernel, extents, [&](const Chunks &chunks) {
    ranges = chunks.ranges;
    forAll(filled, start, [&](const Point &point) { fill(point); });
    forAll(outer, start,
           [&](const Point &point) { forAll(steps, point, [&](const Point &step) { add(step); }); });
  });
}

} // namespace

void emitScatter(KernelFunction &kernel) { ScatterCode(kernel).emit(); }

} // namespace dlc::codegen
