//===- Attention.cpp - blocks of attentions on GPUs -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Larger blocks read keys and values less often; they end where shared memory does.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

namespace {
struct AttentionTile {
  int64_t rows, keys;
};
} // namespace

// The last one fits whatever the head's size is (analysis::Attention::mostElements).
constexpr AttentionTile attentionTiles[] = {{64, 64}, {64, 32}, {32, 32}, {32, 16}};
constexpr int64_t least = 16;

int64_t elementsPerWord(linalg::GenericOp product) {
  FloatType low = analysis::lowTypeOf(product);
  return low && isHalfWord(low) ? 2 : 1;
}

static gpu::ScheduleAttr attentionSchedule(train::KernelOp kernel, bool) {
  const analysis::Attention attention = *analysis::attentionOf(kernel);
  linalg::GenericOp scores = attention.scores;
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, scores);
  const int64_t queries = bounds[attention.row];
  int64_t heads = 1;
  for (int64_t loop = 0; loop < int64_t(scores.getNumParallelLoops()); ++loop)
    if (loop != attention.row && loop != attention.key)
      heads *= bounds[loop];
  auto formOf = [&](AttentionTile tile) {
    int64_t rows = std::min(tile.rows, std::max(least, powerOfTwo(queries, tile.rows)));
    int64_t keys = std::min(tile.keys, std::max(least, powerOfTwo(bounds[attention.key], tile.keys)));
    return gpu::AttentionAttr::get(kernel.getContext(), rows, keys, llvm::alignTo(attention.steps(), 16),
                                   llvm::alignTo(attention.columns(), 8));
  };
  auto fits = [&](AttentionTile tile) {
    return formOf(tile).sharedBytes(elementsPerWord(attention.scores)) <= GpuTarget::sharedBytes;
  };
  gpu::AttentionAttr form = formOf(*llvm::find_if(attentionTiles, fits));
  return gpu::ScheduleAttr::get(kernel.getContext(), form,
                                form.getRows() / gpu::AttentionAttr::warpRows * GpuTarget::warp,
                                std::max<int64_t>(heads * llvm::divideCeil(queries, form.getRows()), 1),
                                /*scratch=*/0, /*inplace=*/{});
}

const GpuForm attentionForm{
    [](train::KernelOp kernel) { return analysis::attentionOf(kernel).has_value(); }, attentionSchedule,
    [](gpu::ScheduleAttr schedule) { return bool(schedule.attention()); },
    [](train::KernelOp kernel, gpu::ScheduleAttr) -> LogicalResult {
      return analysis::attentionOf(kernel)
                 ? success()
                 : kernel.emitError("expected two products with a softmax between them");
    },
    [](train::KernelOp kernel, gpu::ScheduleAttr schedule) {
      return schedule.attention().sharedBytes(elementsPerWord(analysis::attentionOf(kernel)->scores));
    }};

} // namespace dlc::schedule
