//===- LoopSums.cpp - elements and sums of a kernel of loops ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/loops/LoopKernel.h"
#include "compiler/codegen/kernel/Body.h"
#include "dialects/train/Reductions.h"

using namespace mlir;

namespace dlc::codegen {

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

int64_t LoopKernel::accumulatorsOf(linalg::GenericOp op) const {
  ArrayRef<int64_t> all = schedule.columns() ? schedule.columns().getAccumulators() : ArrayRef<int64_t>();
  return all.empty() ? 1 : all[llvm::find(kernel.operations(), op) - kernel.operations().begin()];
}

Values LoopKernel::reduce(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops,
                          int64_t lane, const Points &points, Values accumulators) {
  if (loops.empty())
    return step(op, points, accumulators);
  int64_t loop = loops.front();
  auto at = [&](Index position, bool vector, Value mask, Values carried) {
    Values updated =
        reduce(op, extents, loops.drop_front(), lane, placed(points, loop, position, vector, mask), carried);
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
Values LoopKernel::step(linalg::GenericOp op, const Points &points, const Values &accumulators) {
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

} // namespace dlc::codegen
