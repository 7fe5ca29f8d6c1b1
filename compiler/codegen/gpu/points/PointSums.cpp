//===- PointSums.cpp - sums that several threads of a point make -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/points/Points.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen::gpu {

bool PointsCode::needsMemory(linalg::GenericOp op, int64_t partials) {
  return lanesOf(op, partials) < partials || (own(op).empty() && partials < members);
}

/// Threads of a point are cut into groups of `partials`, each of which has one element at a time. What is
/// combined within warps needs no memory, but where others want the sum.
void PointsCode::emitPartials(linalg::GenericOp op, int64_t partials) {
  int64_t groups = members / partials;
  Index group = divide(b, member, partials), number = remainder(b, member, partials);
  const bool hasOwn = !own(op).empty();
  Index count = hasOwn ? productOf(b, own(op)) : Index(1);
  const bool isSurelyOnce = count.isConstant() && count.offset > 0 && count.offset <= groups;
  const BarrierPlacement::State earlier = barriers.state();
  forLoop(b, Index(0), count, groups, [&](Index base) {
    // In a loop, what the last iteration had in the same memory must have been read.
    if (!isSurelyOnce && (needsMemory(op, partials) || !schedule.getInplace().empty()))
      barriers.emitBarrier();
    barriers.before(reads(op, groups == 1 ? ofTerms(op) : Ownership()));
    Index element = add(b, base, group);
    Point at = pointOf(op, positionsOf(b, element, own(op)));
    Value isElement = groups > 1 || hasOwn ? both(b, isPoint, isLess(b, element, count)) : isPoint;
    Values partial =
        where(b, isElement, elementTypes(op), [&] { return reducePart(op, at, number, partials); });
    finishPartials(op, partials, at, isElement, partial);
  });
  if (!count.isConstant() || count.offset == 0)
    barriers.mayBeSkipped(earlier);
}

/// The result, of what threads have of it.
void PointsCode::finishPartials(linalg::GenericOp op, int64_t partials, const Point &at, Value isElement,
                                const Values &partial) {
  Index number = remainder(b, member, partials);
  const bool isInMemory = needsMemory(op, partials);
  if (isInMemory)
    barriers.before({{partialMemory, /*isWrite=*/true}});
  placePartials(op);
  const Values sums = combinePartials(op, partials, number, partial);
  Value isFirst = isLess(b, number, Index(1));
  auto totals = [&](const Values &sums) {
    Values totals;
    for (unsigned result = 0; result < op.getNumResults(); ++result) {
      Value initial = operands.initial(op, result, at);
      totals.push_back(codegen::combine(b, analysis::combinerOf(op, result), initial, sums[result]));
    }
    return totals;
  };
  if (!own(op).empty()) { // the first thread of a group has its sum
    const Ownership elements = ownership(partials, own(op));
    barriers.before(llvm::to_vector(llvm::concat<MemoryAccess>(starts(op, elements), writes(op, elements))));
    where(b, both(b, isElement, isFirst), [&] { write(op, at, totals(sums)); });
    return;
  }
  // All threads of the point take it.
  SmallVector<MemoryAccess> accesses = starts(op);
  if (isInMemory) {
    if (lanesOf(op, partials) > 1)
      where(b, isFirst, [&] { storePartials(sums); });
    accesses.push_back({partialMemory, /*isWrite=*/false});
  }
  barriers.before(accesses);
  Index leader = form.getAcross() ? remainder(b, thread, perBlock) : sub(b, thread, member);
  keepElement(op, where(b, isPoint, elementTypes(op),
                        [&] { return totals(isInMemory ? loadPartials(leader) : sums); }));
}

int64_t PointsCode::lanesOf(linalg::GenericOp op, int64_t partials) {
  bool areWords = llvm::all_of(elementTypes(op), [](Type type) { return type.isF32(); });
  return areWords && !form.getAcross() ? std::min(partials, GpuTarget::warp) : 1;
}

void PointsCode::placePartials(linalg::GenericOp op) {
  partialSums.clear();
  int64_t before = 0; // bytes of a thread
  for (Type type : elementTypes(op)) {
    Value start = pointerAt(b, partialMemory, Index(before * schedule.getThreads()));
    partialSums.push_back({start, type, {Index(1)}});
    before += elementBytes(type);
  }
}

void PointsCode::storePartials(const Values &sums) {
  for (auto [memory, sum] : llvm::zip_equal(partialSums, sums))
    storeAt(b, memory, {thread}, sum);
}

Values PointsCode::loadPartials(Index of) {
  Values sums;
  for (const Memory &memory : partialSums)
    sums.push_back(loadAt(b, memory, {of}));
  return sums;
}

/// Adds up the partial results of each group, in a tree: number 0 has the sum afterwards, or, of those that
/// lanes of one warp have, each. Between warps they are in shared memory.
Values PointsCode::combinePartials(linalg::GenericOp op, int64_t partials, Index number, Values sums) {
  const int64_t lanes = lanesOf(op, partials);
  auto combined = [&](const Values &theirs) {
    Values all;
    for (auto [result, mine] : llvm::enumerate(sums))
      all.push_back(codegen::combine(b, analysis::combinerOf(op, result), mine, theirs[result]));
    return all;
  };
  int64_t half = partials / 2;
  if (half >= lanes)
    storePartials(sums);
  for (; half >= lanes; half /= 2) {
    barriers.emitBarrier();
    barriers.before({{partialMemory, /*isWrite=*/true}});
    Index other = thread + half * (form.getAcross() ? perBlock : 1);
    sums = where(b, isLess(b, number, Index(half)), elementTypes(op), [&] {
      Values both = combined(loadPartials(other));
      if (half > lanes || lanes == 1)
        storePartials(both);
      return both;
    });
  }
  for (; half >= 1; half /= 2)
    sums = combined(llvm::map_to_vector(sums, [&](Value sum) { return ofOtherLane(b, sum, half); }));
  return sums;
}

/// The terms `first`, `first + partials` ...
Values PointsCode::reducePart(linalg::GenericOp op, Point at, Index first, int64_t partials) {
  Values neutral = neutralElements(b, op, {at});
  return forShare(first, productOf(b, reductions(op)), partials, neutral, [&](Index term, Values sums) {
    Point here = at;
    for (auto [loop, position] : llvm::enumerate(positionsOf(b, term, reductions(op))))
      here.loops[op.getNumParallelLoops() + loop] = position;
    return Values(emitBody(kernel, op, operands.arguments(op, here, sums), here));
  });
}

} // namespace dlc::codegen::gpu
