//===- Scatter.cpp - sums at computed positions, on GPUs -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread owns some positions along the loop that the operation goes to, at one position of all other
// parallel loops. It fills them, then runs the reduction in order, and adds where the position is its own.
// Nothing is written elsewhere, whatever the positions are.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/target/gpu/Schedule.h"
#include "dialects/train/Reductions.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

class ScatterCode {
public:
  explicit ScatterCode(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), operands(kernel), op(kernel.operations().front()),
        scatter(*train::scatterOf(op)), extents(kernel.loopExtents(op)) {}

  void emit();

private:
  Value valueAt(const Point &point, Value wanted);
  void add(const Point &step, const Range &rows);

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  linalg::GenericOp op;
  train::Scatter scatter;
  SmallVector<Index, 4> extents;
};

Value ScatterCode::valueAt(const Point &point, Value wanted) {
  llvm::SetVector<Value> needed = train::neededFor(op, wanted);
  Values arguments;
  for (OpOperand *input : op.getDpsInputOperands())
    arguments.push_back(needed.contains(op.getMatchingBlockArgument(input)) ? operands.read(op, *input, point)
                                                                            : Value());
  arguments.push_back(Value()); // the sum so far
  return emitPart(kernel, op, wanted, arguments, point);
}

void ScatterCode::add(const Point &step, const Range &rows) {
  Value position = valueAt(step, scatter.index);
  if (isa<IndexType>(position.getType()))
    position = arith::IndexCastOp::create(b, b.getI64Type(), position);
  else if (!position.getType().isInteger(64))
    position = arith::ExtSIOp::create(b, b.getI64Type(), position);
  Index row(position);
  where(b, both(b, isLess(b, row, rows.high), isLess(b, rows.low, row + 1)), [&] {
    Point there = step;
    there.loops[scatter.loop] = row;
    Value added = valueAt(there, scatter.added);
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    Value sum = Access(b, kernel.outputsOf(op.getResult(0)).front(), map).load(b, there);
    operands.write(cast<OpResult>(op.getResult(0)), there, combine(b, train::combinerOf(op, 0), sum, added));
  });
}

void ScatterCode::emit() {
  auto schedule = cast<dlc::gpu::ScheduleAttr>(kernel.schedule());
  int64_t rows = schedule.scatter().getRows(), parallel = op.getNumParallelLoops();
  Index all = extents[scatter.loop];
  Index parts =
      all.isConstant() ? Index(llvm::divideCeil(all.offset, rows)) : divide(b, all + (rows - 1), rows);
  // Parts take the place of the loop and come first: neighbouring threads are neighbours along the others.
  SmallVector<Index, 4> sizes{parts};
  for (int64_t loop = 0; loop < parallel; ++loop)
    if (loop != int64_t(scatter.loop))
      sizes.push_back(extents[loop]);
  Index number = dlc::codegen::add(b, mul(b, blockIndex(b), schedule.getThreads()), threadIndex(b));
  where(b, isLess(b, number, productOf(b, sizes)), [&] {
    kernel.readScalars();
    SmallVector<Index, 4> positions = positionsOf(b, number, sizes);
    Point point;
    point.loops.assign(op.getNumLoops(), Index(0));
    for (int64_t loop = 0, next = 1; loop < parallel; ++loop)
      if (loop != int64_t(scatter.loop))
        point.loops[loop] = positions[next++];
    Index first = mul(b, positions[0], rows);
    Range range{first, min(b, first + rows, all)};
    forLoop(b, range.low, range.high, 1, [&](Index row) {
      Point there = point;
      there.loops[scatter.loop] = row;
      operands.write(cast<OpResult>(op.getResult(0)), there, operands.initial(op, 0, there));
    });
    ArrayRef<Index> steps = ArrayRef(extents).drop_front(parallel);
    forLoop(b, Index(0), productOf(b, steps), 1, [&](Index step) {
      Point at = point;
      for (auto [loop, position] : llvm::enumerate(positionsOf(b, step, steps)))
        at.loops[parallel + loop] = position;
      add(at, range);
    });
  });
}

} // namespace

void emitScatter(KernelFunction &kernel) { ScatterCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
