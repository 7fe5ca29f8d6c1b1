//===- Scatter.cpp - sums at computed positions, and transposes, on GPUs ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/gpu/Stages.h"
#include "dialects/train/KernelSizes.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

gpu::ScheduleAttr scatterOnGpu(train::KernelOp kernel) {
  linalg::GenericOp op = scatterIn(kernel);
  int64_t loop = train::scatterOf(op)->loop, others = 1;
  SmallVector<int64_t> bounds = train::loopBounds(kernel, op);
  for (int64_t other = 0; other < int64_t(op.getNumParallelLoops()); ++other)
    if (other != loop)
      others *= bounds[other];
  // Each thread looks at all positions: there are no more threads than keep a GPU busy.
  constexpr int64_t enoughThreads = 1 << 14, mostParts = 64;
  int64_t parts = std::clamp<int64_t>(enoughThreads / std::max<int64_t>(others, 1), 1, mostParts);
  int64_t rows = std::max<int64_t>(llvm::divideCeil(bounds[loop], parts), 1);
  int64_t threads = others * llvm::divideCeil(bounds[loop], rows);
  return gpu::ScheduleAttr::get(kernel.getContext(), gpu::ScatterAttr::get(kernel.getContext(), loop, rows),
                                GpuTarget::blockThreads,
                                std::max<int64_t>(llvm::divideCeil(threads, GpuTarget::blockThreads), 1),
                                /*scratch=*/0, inplacePairs(kernel));
}

gpu::ScheduleAttr transposeSchedule(train::KernelOp kernel) {
  constexpr int64_t size = GpuTarget::warp;
  linalg::GenericOp op = rootOf(kernel);
  SmallVector<int64_t> bounds = train::loopBounds(kernel, op);
  int64_t rows = bounds[bounds.size() - 2], columns = bounds.back();
  int64_t squares = llvm::divideCeil(rows, size) * llvm::divideCeil(columns, size);
  int64_t matrices = productOf(ArrayRef(bounds).drop_back(2));
  return gpu::ScheduleAttr::get(kernel.getContext(), gpu::TransposeAttr::get(kernel.getContext(), size),
                                GpuTarget::blockThreads, std::max<int64_t>(squares * matrices, 1),
                                /*scratch=*/0, inplacePairs(kernel));
}

} // namespace dlc::schedule
