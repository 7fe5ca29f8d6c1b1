//===- PointSums.cpp - sums that several threads of a point make -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/points/Points.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/support/Elements.h"
#include "dialects/train/Reductions.h"

using namespace mlir;

namespace dlc::codegen::gpu {

/// Threads of a point are cut into groups of `partials`, each of which has one element at a time.
void PointsCode::emitPartials(linalg::GenericOp op, int64_t partials) {
  int64_t groups = members / partials;
  Index group = divide(b, member, partials), number = remainder(b, member, partials);
  const bool hasOwn = !own(op).empty();
  Index count = hasOwn ? productOf(b, own(op)) : Index(1);
  const bool isSurelyOnce = count.isConstant() && count.offset > 0 && count.offset <= groups;
  const Meetings::State earlier = meetings.state();
  forLoop(b, Index(0), count, groups, [&](Index base) {
    // In a loop, what the last iteration had in the same memory must have been read.
    if (!isSurelyOnce)
      meetings.meet();
    // Of one element, the terms are spread over all threads as elements of others are.
    SmallVector<Touch> touches =
        reads(op, !hasOwn && groups == 1 ? spread(/*members=*/1, reductions(op)) : Spread());
    touches.push_back({partialMemory, /*isWrite=*/true});
    meetings.before(touches);
    Index element = add(b, base, group);
    Point at = pointOf(op, positionsOf(b, element, own(op)));
    Value isElement = groups > 1 || hasOwn ? both(b, isPoint, isLess(b, element, count)) : isPoint;
    Values partial =
        where(b, isElement, elementTypes(op), [&] { return reducePart(op, at, number, partials); });
    combinePartials(op, partials, number, partial);
    auto totals = [&](Index leader) {
      Values totals;
      for (unsigned result = 0; result < op.getNumResults(); ++result) {
        Value initial = operands.initial(op, result, at);
        totals.push_back(codegen::combine(b, train::combinerOf(op, result), initial,
                                          loadAt(b, partialSums[result], {leader})));
      }
      return totals;
    };
    if (hasOwn) { // the first thread of a group has its sum
      const Spread elements = spread(partials, own(op));
      meetings.before(llvm::to_vector(llvm::concat<Touch>(starts(op, elements), writes(op, elements))));
      where(b, both(b, isElement, isLess(b, number, Index(1))), [&] { write(op, at, totals(thread)); });
    } else { // all threads of the point take it
      touches = starts(op);
      touches.push_back({partialMemory, /*isWrite=*/false});
      meetings.before(touches);
      Index leader = form.getAcross() ? remainder(b, thread, perBlock) : sub(b, thread, member);
      keepElement(op, where(b, isPoint, elementTypes(op), [&] { return totals(leader); }));
    }
  });
  if (!count.isConstant() || count.offset == 0)
    meetings.mayBeSkipped(earlier);
}

/// Adds up the partial results of each group, in a tree: number 0 has the sum afterwards.
void PointsCode::combinePartials(linalg::GenericOp op, int64_t partials, Index number,
                                 const Values &partial) {
  partialSums.clear();
  int64_t before = 0; // bytes of a thread
  for (Value value : partial) {
    Value start = pointerAt(b, partialMemory, Index(before * schedule.getThreads()));
    partialSums.push_back({start, value.getType(), {Index(1)}});
    before += elementBytes(value);
    storeAt(b, partialSums.back(), {thread}, value);
  }
  for (int64_t half = partials / 2; half >= 1; half /= 2) {
    meetings.meet();
    meetings.before({{partialMemory, /*isWrite=*/true}});
    Index other = thread + half * (form.getAcross() ? perBlock : 1);
    where(b, isLess(b, number, Index(half)), [&] {
      for (auto [result, memory] : llvm::enumerate(partialSums)) {
        Value mine = loadAt(b, memory, {thread}), theirs = loadAt(b, memory, {other});
        storeAt(b, memory, {thread}, codegen::combine(b, train::combinerOf(op, result), mine, theirs));
      }
    });
  }
}

/// The terms `first`, `first + partials` ...
Values PointsCode::reducePart(linalg::GenericOp op, Point at, Index first, int64_t partials) {
  Values neutral = neutralElements(b, op, {at});
  return forLoop(b, first, productOf(b, reductions(op)), partials, neutral, [&](Index term, Values sums) {
    Point here = at;
    for (auto [loop, position] : llvm::enumerate(positionsOf(b, term, reductions(op))))
      here.loops[op.getNumParallelLoops() + loop] = position;
    return Values(emitBody(kernel, op, operands.arguments(op, here, sums), here));
  });
}

} // namespace dlc::codegen::gpu
