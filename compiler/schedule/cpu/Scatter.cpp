//===- Scatter.cpp - sums at computed positions ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work is shared by parts of the result: each chunk looks at all positions and adds where they are its
// own.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/Stages.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

linalg::GenericOp scatterIn(train::KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  return ops.size() == 1 && analysis::scatterOf(ops[0]) ? ops[0] : nullptr;
}

/// The loop of the result's last dim in memory, if all its elements go to the same position; else -1.
static int64_t laneOf(train::KernelOp kernel, linalg::GenericOp op, const analysis::Scatter &scatter) {
  int64_t lane = laneLoopOf(kernel);
  bool isApart = lane >= 0 && lane != scatter.loop && !analysis::dependsOnLoop(op, scatter.index, lane);
  return isApart ? lane : -1;
}

cpu::ScheduleAttr scatterSchedule(train::KernelOp kernel, const CpuTarget &target) {
  linalg::GenericOp op = scatterIn(kernel);
  analysis::Scatter scatter = *analysis::scatterOf(op);
  int64_t lane = laneOf(kernel, op, scatter), parallel = op.getNumParallelLoops();
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
  int64_t filled = 1, steps = 1, added = 1, largest = -1;
  for (auto [loop, bound] : llvm::enumerate(bounds)) {
    bool isParallel = int64_t(loop) < parallel;
    (isParallel ? filled : steps) *= bound;
    added *= loop == scatter.loop ? 1 : bound;
    if (isParallel && int64_t(loop) != lane && (largest < 0 || bound > bounds[largest]))
      largest = loop;
  }
  // Each chunk looks at all positions: together no more often than there are elements to fill and to add.
  int64_t most = std::clamp<int64_t>((filled + added) / std::max<int64_t>(steps, 1), 1,
                                     mostChunksOfElements(filled + added));
  SmallVector<cpu::SplitAttr> split;
  if (filled + added > parallelElements)
    split = gridOf(kernel, {{largest, bounds[largest], 1}}, most, most);
  auto form = cpu::ScatterAttr::get(kernel.getContext(), scatter.loop, lane);
  return cpu::ScheduleAttr::get(kernel.getContext(), form, lane < 0 ? 1 : target.lanes, split, /*scratch=*/0,
                                inplacePairs(kernel));
}

} // namespace dlc::schedule
