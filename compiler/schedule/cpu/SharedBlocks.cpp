//===- SharedBlocks.cpp - blocks of a loop that steps share ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that the last of the shared loops moves in one operand only would read all of the other for each
// iteration. So steps run in blocks of that loop: what they hand to each other has room for a block, register
// tiles are whole, and what the loop does not move is read, and copied, once for a block.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Stages.h"
#include <numeric>

using namespace mlir;

namespace dlc::schedule {

bool runsInBlocks(train::KernelOp kernel) {
  int64_t last = *kernel.getShared() - 1;
  return last >= 0 && llvm::any_of(analysis::stepsOf(kernel), [&](const analysis::Step &step) {
           linalg::GenericOp product = step.front();
           return analysis::isContraction(product) &&
                  llvm::any_of(product.getDpsInputOperands(), [&](OpOperand *operand) {
                    return !product.getMatchingIndexingMap(operand).isFunctionOfDim(last);
                  });
         });
}

/// The number of iterations along `loop` that each block of a step is a multiple of.
static int64_t unitOf(ArrayRef<linalg::GenericOp> step, cpu::ScheduleAttr schedule, int64_t loop) {
  if (cpu::ContractionAttr form = schedule.contraction()) {
    cpu::TileAttr tile = form.getTile();
    return tile.getRow() == loop    ? tile.getRows()
           : tile.getLane() == loop ? tile.width(schedule.getLanes())
                                    : 1;
  }
  cpu::ColumnsAttr columns = schedule.columns();
  return columns && analysis::sharedIn(step) - 1 == loop ? columns.getVectors() * schedule.getLanes() : 1;
}

/// Makes tiles smaller until their rows divide a block of `mostBlock`.
static cpu::ScheduleAttr withEvenRows(cpu::ScheduleAttr schedule, int64_t loop) {
  MLIRContext *context = schedule.getContext();
  cpu::ContractionAttr tiles = schedule.contraction();
  if (!tiles || tiles.getTile().getRow() != loop || mostBlock % tiles.getTile().getRows() == 0)
    return schedule;
  cpu::TileAttr tile = tiles.getTile();
  int64_t rows = tile.getRows();
  while (mostBlock % rows != 0)
    --rows;
  SmallVector<cpu::BlockAttr> nest;
  for (cpu::BlockAttr block : tiles.getNest()) // blocks begin at whole tiles
    nest.push_back(block.getLoop() != loop || block.getSize() < rows
                       ? block
                       : cpu::BlockAttr::get(context, loop, block.getSize() / rows * rows));
  auto form = cpu::ContractionAttr::get(
      context, cpu::TileAttr::get(context, tile.getLane(), loop, rows, tile.getVectors()),
      tiles.getReduction(), nest, tiles.getPacking(), tiles.getPrefetch().withoutNext(), tiles.getEpilogue());
  return cpu::ScheduleAttr::get(context, form, schedule.getLanes(), {}, schedule.getScratch(), {});
}

/// The schedule with the scratch memory that the packed copies and the sums of one block need.
static cpu::ScheduleAttr withScratchOfBlock(train::KernelOp kernel, linalg::GenericOp root,
                                            cpu::ScheduleAttr schedule, int64_t loop, int64_t block) {
  if (!schedule.contraction() || schedule.getScratch() == 0)
    return schedule;
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, root);
  bounds[loop] = std::min(bounds[loop], block);
  int64_t bytes = cpu::ContractionScratch(root, schedule, bounds).bytes();
  return cpu::ScheduleAttr::get(kernel.getContext(), schedule.getForm(), schedule.getLanes(), {}, bytes, {});
}

int64_t chooseBlock(train::KernelOp kernel, MutableArrayRef<cpu::ScheduleAttr> schedules,
                    llvm::function_ref<bool(int64_t)> fits) {
  int64_t loop = *kernel.getShared() - 1;
  SmallVector<analysis::Step> steps = analysis::stepsOf(kernel);
  auto unitOfAll = [&] {
    int64_t unit = 1;
    for (auto [step, schedule] : llvm::zip_equal(steps, schedules))
      unit = std::lcm(unit, unitOf(step, schedule, loop));
    return unit;
  };
  int64_t unit = unitOfAll();
  if (unit > mostBlock) {
    for (cpu::ScheduleAttr &schedule : schedules)
      schedule = withEvenRows(schedule, loop);
    unit = unitOfAll();
  }
  int64_t block = std::max(unit, mostBlock / unit * unit);
  while (block > unit && !fits(block))
    block -= unit;
  for (auto [step, schedule] : llvm::zip_equal(steps, schedules))
    schedule = withScratchOfBlock(kernel, step.front(), schedule, loop, block);
  return block;
}

} // namespace dlc::schedule
