//===- Transient.cpp - tiles of transient matrices on GPUs ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More rows bring the other side less often; they end where shared memory does. More than 16 positions of it
// at a time would meet at fewer barriers, but elements and what they are made of take registers, which sums
// need.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

namespace {
struct TransientTile {
  int64_t rows, along;
};
} // namespace

// There are two barriers for each tile, so tiles are as long as shared memory and registers allow. The last
// one fits everything that analysis::transientOf finds.
constexpr TransientTile transientTiles[] = {{64, 64}, {64, 32}, {64, 16}, {32, 16},
                                            {32, 8},  {16, 16}, {16, 8}};
constexpr int64_t leastTransient = 16;

/// For each operand of the products: elements per position, padded, on the kept or on the streamed side.
static SmallVector<int64_t> paddedElementsPerPosition(const analysis::TransientKernel &transient,
                                                      bool isKept) {
  SmallVector<int64_t> numbers;
  for (const analysis::TransientKernel::Operand &part : transient.operands)
    if (part.isKept == isKept)
      numbers.push_back(part.numbers);
  return numbers;
}

static gpu::ScheduleAttr transientSchedule(train::KernelOp kernel, bool) {
  const analysis::TransientKernel transient = *analysis::transientOf(kernel);
  linalg::GenericOp maker = transient.producers.front();
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, maker);
  const int64_t kept = transient.sides[transient.kept].back(), rows = bounds[kept],
                along = bounds[transient.sides[1 - transient.kept].back()], perWord = elementsPerWord(maker);
  int64_t matrices = 1;
  for (int64_t loop = 0; loop < int64_t(maker.getNumParallelLoops()); ++loop)
    if (loop != kept && !llvm::is_contained(transient.reduced, loop))
      matrices *= bounds[loop];
  SmallVector<int64_t> ofKept = paddedElementsPerPosition(transient, true),
                       ofOther = paddedElementsPerPosition(transient, false);
  auto formOf = [&](TransientTile tile) {
    return gpu::TransientAttr::get(
        kernel.getContext(), std::min(tile.rows, std::max(leastTransient, powerOfTwo(rows, tile.rows))),
        std::min(tile.along, std::max(leastTransient, powerOfTwo(along, tile.along))), ofKept, ofOther);
  };
  auto fits = [&](TransientTile tile) {
    constexpr int64_t steps = 8; // of one instruction, in words
    return tile.along >= steps * perWord && formOf(tile).sharedBytes(perWord) <= GpuTarget::sharedBytes;
  };
  gpu::TransientAttr form = formOf(*llvm::find_if(transientTiles, fits));
  return gpu::ScheduleAttr::get(kernel.getContext(), form,
                                form.getRows() / gpu::TransientAttr::warpRows * GpuTarget::warp,
                                std::max<int64_t>(matrices * llvm::divideCeil(rows, form.getRows()), 1),
                                /*scratch=*/0, /*inplace=*/{});
}

static LogicalResult verifyTransient(train::KernelOp kernel, gpu::ScheduleAttr schedule) {
  std::optional<analysis::TransientKernel> transient = analysis::transientOf(kernel);
  if (!transient)
    return kernel.emitError("expected products that make elements, and products or sums along one side of "
                            "their matrices");
  if (schedule.transient().getKept() != ArrayRef(paddedElementsPerPosition(*transient, true)) ||
      schedule.transient().getBrought() != ArrayRef(paddedElementsPerPosition(*transient, false)))
    return kernel.emitError("expected as many numbers of each position as the products' operands have");
  return success();
}

const GpuForm transientForm{
    [](train::KernelOp kernel) { return analysis::transientOf(kernel).has_value(); }, transientSchedule,
    [](gpu::ScheduleAttr schedule) { return bool(schedule.transient()); }, verifyTransient,
    [](train::KernelOp kernel, gpu::ScheduleAttr schedule) {
      return schedule.transient().sharedBytes(
          elementsPerWord(analysis::transientOf(kernel)->producers.front()));
    }};

} // namespace dlc::schedule
