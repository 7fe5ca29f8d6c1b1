//===- LoopSums.cpp - elements and sums of a kernel of loops ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/cpu/loops/LoopKernel.h"
#include "compiler/codegen/kernel/Body.h"

#include <limits>

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
  if (acrossLanes)
    start = nothing(op, lane, points);
  Values results =
      reduce(op, extents, reductions, acrossLanes ? lane : -1, points, acrossLanes ? start : initial);
  if (acrossLanes)
    for (auto [i, value] : llvm::enumerate(results)) {
      Operation *combiner = analysis::combinerOf(op, i % op.getNumResults());
      value = combine(b, combiner, initial[i], combineLanes(b, combiner, value));
    }
  write(op, points, results);
}

int64_t LoopKernel::accumulatorsOf(linalg::GenericOp op) const {
  ArrayRef<int64_t> all = schedule.columns() ? schedule.columns().getAccumulators() : ArrayRef<int64_t>();
  return all.empty() ? 1 : all[llvm::find(kernel.operations(), op) - kernel.operations().begin()];
}

/// A sum loses of each term what its accumulator has no bits for, and that grows with what was added before.
/// So an accumulator takes no more terms than these: longer sums are sums of blocks, each of which begins at
/// nothing.
static constexpr int64_t mostTerms = 1024;

/// The number of terms that each accumulator takes in these loops.
int64_t LoopKernel::termsOf(linalg::GenericOp op, ArrayRef<int64_t> loops, int64_t lane) const {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t terms = 1;
  for (int64_t loop : loops) {
    if (ShapedType::isDynamic(sizes[loop]))
      return std::numeric_limits<int64_t>::max();
    terms *= int64_t(llvm::divideCeil(sizes[loop], together(op, loop, lane)));
  }
  return terms;
}

int64_t LoopKernel::together(linalg::GenericOp op, int64_t loop, int64_t lane) const {
  return loop == lane ? lanes : accumulatorsOf(op);
}

Values LoopKernel::nothing(linalg::GenericOp op, int64_t lane, const Points &points) {
  Points inLanes = points;
  for (Point &point : inLanes)
    if (lane >= 0) {
      point.laneDim = lane;
      point.lanes = lanes;
    }
  return neutralElements(b, op, inLanes);
}

static bool addsFloats(linalg::GenericOp op) {
  bool adds = false;
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    Operation *combiner = analysis::combinerOf(op, result);
    if (!combiner)
      return false;
    adds |= isa<arith::AddFOp>(combiner);
  }
  return adds;
}

Values LoopKernel::reduce(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops,
                          int64_t lane, const Points &points, Values accumulators) {
  if (loops.empty())
    return step(op, points, accumulators);
  const Index extent = extents[loops.front()];
  const auto inOrder = [&](Index low, Index count, Values carried) {
    return reduceBlock(op, extents, loops, lane, points, low, count, std::move(carried));
  };
  if (termsOf(op, loops, lane) <= mostTerms || !addsFloats(op))
    return inOrder(Index(0), extent, std::move(accumulators));
  const auto apart = [&](Index low, Index count, const Values &carried) {
    return Values(combineAll(b, op, carried, inOrder(low, count, nothing(op, lane, points))));
  };
  // Where even one iteration has too many terms, it is made of blocks, and adds one term here.
  const int64_t inside = termsOf(op, loops.drop_front(), lane);
  const int64_t block = together(op, loops.front(), lane) *
                        (inside > mostTerms ? mostTerms : mostTerms / std::max<int64_t>(inside, 1));
  if (!extent.isConstant())
    return forLoop(b, Index(0), extent, block, std::move(accumulators),
                   [&](Index low, const Values &carried) {
                     return apart(low, min(b, Index(block), sub(b, extent, low)), carried);
                   });
  const int64_t rest = extent.offset % block;
  accumulators = forLoop(b, Index(0), Index(extent.offset - rest), block, std::move(accumulators),
                         [&](Index low, const Values &carried) { return apart(low, Index(block), carried); });
  return rest ? apart(Index(extent.offset - rest), Index(rest), accumulators) : accumulators;
}

/// Emits `count` iterations of the outermost loop, one after another.
Values LoopKernel::reduceBlock(linalg::GenericOp op, ArrayRef<Index> extents, ArrayRef<int64_t> loops,
                               int64_t lane, const Points &points, Index low, Index count,
                               Values accumulators) {
  const int64_t loop = loops.front();
  const bool startsAnew = addsFloats(op) && termsOf(op, loops.drop_front(), lane) > mostTerms;
  auto at = [&](Index position, bool vector, Value mask, Values carried) {
    Points next = placed(points, loop, add(b, low, position), vector, mask);
    Values start = startsAnew ? nothing(op, lane, next) : carried;
    Values updated = reduce(op, extents, loops.drop_front(), lane, next, start);
    if (startsAnew)
      updated = combineAll(b, op, carried, updated);
    if (mask && vector)
      for (auto [before, after] : llvm::zip(carried, updated))
        after = arith::SelectOp::create(b, mask, after, before);
    return updated;
  };
  if (int64_t sets = accumulatorsOf(op); sets > 1)
    return forTurns(
        b, Index(0), count, sets, accumulators, neutralElements(b, op, points),
        [&](Index position, Values carried) { return at(position, false, Value(), carried); },
        [&](const Values &x, const Values &y) { return Values(combineAll(b, op, x, y)); });
  if (loop != lane)
    return forLoop(b, Index(0), count, 1, accumulators,
                   [&](Index position, Values carried) { return at(position, false, Value(), carried); });

  if (count.isConstant()) {
    int64_t whole = count.offset / lanes * lanes;
    if (isUnrolled(count)) {
      for (int64_t position = 0; position < whole; position += lanes)
        accumulators = at(Index(position), true, Value(), accumulators);
    } else {
      accumulators =
          forLoop(b, Index(0), Index(whole), lanes, accumulators,
                  [&](Index position, Values carried) { return at(position, true, Value(), carried); });
    }
    if (count.offset > whole)
      accumulators = at(Index(whole), true, firstLanes(b, lanes, count.offset - whole), accumulators);
    return accumulators;
  }
  return forLoop(b, Index(0), count, lanes, accumulators, [&](Index position, Values carried) {
    Value mask = isWholeVectors ? Value() : firstLanes(b, lanes, sub(b, count, position));
    return at(position, true, mask, carried);
  });
}

/// Computes the body at each point. Returns the yielded values, results of a point together.
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
