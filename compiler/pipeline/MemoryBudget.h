//===- MemoryBudget.h - as little is done more as a budget allows ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_MEMORYBUDGET_H
#define DLC_COMPILER_PIPELINE_MEMORYBUDGET_H

#include "compiler/pipeline/Pipeline.h"
#include "mlir/Pass/Pass.h"

namespace dlc::pipeline {

/// Between the stages layout and fuse: has what takes little time computed again for the backward pass in
/// place of being kept; `withBudget`, also all else that costs less than the price that createMemoryBudget
/// has chosen.
std::unique_ptr<mlir::Pass> createRecompute(const MachineModel &machine, bool withBudget);

/// In front of the stage backward: chooses in how many parts training functions go over a batch, and how much
/// of the forward pass is computed again, so that the arena which the stage plan will make has room in
/// `options.memoryBudget`. What leads there with the fewest operations is found by trying; where nothing
/// does, the error says how small the arena can be.
std::unique_ptr<mlir::Pass> createMemoryBudget(const Options &options,
                                               std::shared_ptr<const KernelTarget> target);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_MEMORYBUDGET_H
