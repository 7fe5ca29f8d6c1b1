//===- MemoryBudget.h - as little is recomputed as a budget allows ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_MEMORYBUDGET_H
#define DLC_COMPILER_PIPELINE_MEMORYBUDGET_H

#include "compiler/pipeline/Pipeline.h"
#include "mlir/Pass/Pass.h"

namespace dlc::pipeline {

/// Between the stages layout and fuse: has what takes little time computed again for the backward pass in
/// place of being kept, and all else that costs less than `price` operations for each byte; over the last of
/// `layers` equal parts of the forward pass, the price falls to 0.
std::unique_ptr<mlir::Pass> createRecompute(int64_t price, int64_t layers, const CpuTarget &target);

/// In place of it: has so much of the forward pass computed again that the arena which
/// the stage plan will make has at most `bytes`. What leads there with the fewest operations is found by
/// trying; where nothing does, the error says how small the arena can be.
std::unique_ptr<mlir::Pass> createMemoryBudget(int64_t bytes, const Machine &machine);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_MEMORYBUDGET_H
