//===- Accumulators.cpp - sums that would wait for themselves --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each addition to a sum waits for the one before, some two to four cycles. Where results are many, others
// are computed meanwhile. Where they are few, an element gets several accumulators, which take its terms in
// turn. That changes the order of additions. So the rule is one for all targets, and looks at the operation
// alone: not at its kernel, as a gradient has the same bits with an update behind it and without.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"
#include "dialects/train/Nonzero.h"

using namespace mlir;

namespace dlc::schedule {

// With fewer terms than this, a reduction ends before a second accumulator would pay.
static constexpr int64_t leastTerms = 64;
// At least so many elements are summed up at the same time: a vector of the widest registers.
static constexpr int64_t together = 16;
// So many independent sums keep two units busy.
static constexpr int64_t enoughSums = 8, mostAccumulators = 4;

int64_t accumulatorsOf(linalg::GenericOp op, int64_t lane) {
  // Terms that are known to be zero are left out: their number then changes from element to element.
  if (op.getNumReductionLoops() != 1 || op.hasDynamicShape() || train::nonzeroTerms(op))
    return 1;
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    if (!analysis::combinerOf(op, result))
      return 1;
  int64_t sums = 1;
  for (auto [loop, size, iterator] : llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::reduction && size < leastTerms)
      return 1;
    if (iterator == utils::IteratorType::parallel)
      sums *= int64_t(loop) == lane ? llvm::divideCeil(size, together) : size;
  }
  return std::clamp<int64_t>(enoughSums / std::max<int64_t>(sums, 1), 1, mostAccumulators);
}

} // namespace dlc::schedule
