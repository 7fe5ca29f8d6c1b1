//===- RowLoop.cpp - the loop that the rows of a tile lie along ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a tile share the steps of its reduction. Where a window slides along them, steps with padding
// are left out only if all rows meet padding; positions of other images meet it together.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/target/cpu/Scratch.h"
#include "dialects/train/Nonzero.h"

using namespace mlir;

namespace dlc::schedule {

// A loop other than the innermost must fill at least so many rows of a tile to be worth it.
static constexpr int64_t fills = 8;
// Rows along the innermost loop are near each other in memory, which is worth this factor of multiply-adds.
static constexpr double worthNearness = 1.06;
// Reductions of fewer steps are bound by memory, where contiguous rows matter more.
static constexpr int64_t fewSteps = 64;
// In longer loops, padding is a small fraction.
static constexpr int64_t mostCounted = 1 << 14;

/// The factor of multiply-adds that are computed, over those that are needed, if rows lie along `loop`,
/// because of padding along the window's loop `reduction`.
static double paddingAlong(const ContractionChoice &choice, int64_t loop, int64_t reduction) {
  SmallVector<SmallVector<int64_t>> constraints;
  IntegerSet terms = train::nonzeroTerms(choice.root);
  for (AffineExpr atLeastZero : terms ? terms.getConstraints() : ArrayRef<AffineExpr>()) {
    SmallVector<int64_t> factors = cpu::coefficientsOf(atLeastZero, choice.bounds.size());
    int64_t others =
        llvm::count_if(ArrayRef(factors).drop_back(), [](int64_t factor) { return factor != 0; });
    if (others == 2 && factors[loop] != 0 && factors[reduction] != 0)
      constraints.push_back({factors[loop], factors[reduction], factors.back()});
  }
  int64_t all = choice.bounds[loop] * choice.bounds[reduction], needed = 0;
  if (constraints.empty() || all > mostCounted)
    return 1;
  for (int64_t position = 0; position < choice.bounds[loop]; ++position)
    for (int64_t element = 0; element < choice.bounds[reduction]; ++element)
      needed += llvm::all_of(constraints, [&](ArrayRef<int64_t> factors) {
        return factors[0] * position + factors[1] * element + factors[2] >= 0;
      });
  return needed > 0 ? double(all) / double(needed) : 1;
}

/// What tiles with rows along `loop` compute, as a multiple of what is needed. A last tile of few rows takes
/// as long as one of half the rows.
static double costAlong(const ContractionChoice &choice, int64_t loop) {
  int64_t bound = choice.bounds[loop], rest = bound % fills;
  int64_t rows = bound - rest + (rest > 0 && bound > fills ? std::max(rest, fills / 2) : rest);
  double cost = double(rows) / double(bound);
  for (int64_t reduction = choice.root.getNumParallelLoops(); reduction < int64_t(choice.bounds.size());
       ++reduction)
    cost *= paddingAlong(choice, loop, reduction);
  return cost;
}

/// Chooses, among the loops that move only the operand of the rows, the innermost that fills a tile, or one
/// further out if tiles then compute much less; if none fills a tile, the longest. Without such loops, takes
/// the innermost of all.
int64_t rowLoopOf(const ContractionChoice &choice) {
  int64_t best = -1, innermost = -1;
  SmallVector<int64_t> sizes = choice.root.getStaticLoopRanges();
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop) {
    if (loop == choice.lane)
      continue;
    innermost = loop;
    ContractionChoice with = choice;
    with.row = loop;
    if (!with.columnsAndRows().first)
      continue;
    auto filled = [&](int64_t loop) { return std::min(fills, choice.bounds[loop]); };
    // A loop of an open size may be short at run time.
    bool isWorse = best >= 0 && choice.steps() >= fewSteps && filled(loop) == filled(best) &&
                   !ShapedType::isDynamic(sizes[best]) &&
                   costAlong(choice, loop) > worthNearness * costAlong(choice, best);
    if (best < 0 || (filled(loop) >= filled(best) && !isWorse))
      best = loop;
  }
  return best >= 0 ? best : innermost;
}

} // namespace dlc::schedule
