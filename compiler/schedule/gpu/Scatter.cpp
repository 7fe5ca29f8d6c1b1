//===- Scatter.cpp - sums at computed positions, and transposes, on GPUs ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

static gpu::ScheduleAttr scatterOnGpu(train::KernelOp kernel, bool) {
  linalg::GenericOp op = scatterIn(kernel);
  analysis::Scatter scatter = *analysis::scatterOf(op);
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
  int64_t rows = std::max<int64_t>(bounds[scatter.loop], 1), columns = 1, others = 1;
  for (int64_t loop = 0; loop < int64_t(op.getNumParallelLoops()); ++loop)
    if (loop != int64_t(scatter.loop))
      (analysis::dependsOnLoop(op, scatter.index, loop) ? others : columns) *=
          std::max<int64_t>(bounds[loop], 1);
  int64_t steps = productOf(ArrayRef(bounds).drop_front(op.getNumParallelLoops()));
  // Each block looks at all steps, so that there are no more blocks than keep a GPU busy.
  constexpr int64_t enoughBlocks = 1 << 10;
  int64_t work = std::max({columns, rows, steps / gpu::ScatterAttr::stepsOfThread});
  int64_t threads = std::max<int64_t>(GpuTarget::warp, powerOfTwo(work, GpuTarget::blockThreads));
  int64_t columnsOfBlock = std::min(columns, threads);
  int64_t pieces = others * llvm::divideCeil(columns, columnsOfBlock);
  int64_t parts = std::clamp<int64_t>(enoughBlocks / pieces, 1, rows);
  int64_t rowsOfBlock =
      std::max<int64_t>(llvm::divideCeil(rows, parts), std::min(rows, threads / columnsOfBlock));
  return gpu::ScheduleAttr::get(
      kernel.getContext(),
      gpu::ScatterAttr::get(kernel.getContext(), scatter.loop, rowsOfBlock, columnsOfBlock), threads,
      pieces * llvm::divideCeil(rows, rowsOfBlock), /*scratch=*/0, inplacePairs(kernel));
}

static gpu::ScheduleAttr transposeSchedule(train::KernelOp kernel, bool) {
  constexpr int64_t size = GpuTarget::warp;
  linalg::GenericOp op = rootOf(kernel);
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
  int64_t rows = bounds[bounds.size() - 2], columns = bounds.back();
  int64_t squares = llvm::divideCeil(rows, size) * llvm::divideCeil(columns, size);
  int64_t matrices = productOf(ArrayRef(bounds).drop_back(2));
  return gpu::ScheduleAttr::get(kernel.getContext(), gpu::TransposeAttr::get(kernel.getContext(), size),
                                GpuTarget::blockThreads, std::max<int64_t>(squares * matrices, 1),
                                /*scratch=*/0, inplacePairs(kernel));
}

static LogicalResult verifyScatter(train::KernelOp kernel, gpu::ScheduleAttr schedule) {
  gpu::ScatterAttr form = schedule.scatter();
  linalg::GenericOp op = scatterIn(kernel);
  if (!op || analysis::scatterOf(op)->loop != form.getLoop())
    return kernel.emitError("expected an operation that adds where a position along loop ")
           << form.getLoop() << " equals one that it computes";
  if (form.getRows() < 1 || form.getColumns() < 1 || form.getColumns() > schedule.getThreads())
    return kernel.emitError("expected a thread for each of ") << form.getColumns() << " columns";
  return success();
}

const GpuForm scatterForm{[](train::KernelOp kernel) { return bool(scatterIn(kernel)); }, scatterOnGpu,
                          [](gpu::ScheduleAttr schedule) { return bool(schedule.scatter()); }, verifyScatter,
                          [](train::KernelOp, gpu::ScheduleAttr schedule) {
                            return gpu::ScatterAttr::sharedBytes(schedule.getThreads());
                          }};

const GpuForm transposeForm{
    [](train::KernelOp kernel) { return isTranspose(kernel); }, transposeSchedule,
    [](gpu::ScheduleAttr schedule) { return bool(schedule.transpose()); },
    [](train::KernelOp kernel, gpu::ScheduleAttr) -> LogicalResult {
      return isTranspose(kernel) ? success()
                                 : kernel.emitError("expected a copy that exchanges the last two dims");
    },
    [](train::KernelOp kernel, gpu::ScheduleAttr schedule) {
      const int64_t size = schedule.transpose().getSize();
      return size * (size + 1) * elementBytes(rootOf(kernel).getResult(0));
    }};

} // namespace dlc::schedule
