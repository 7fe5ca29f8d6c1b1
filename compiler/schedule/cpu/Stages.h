//===- Stages.h - the steps of scheduling, in order ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_STAGES_H
#define DLC_COMPILER_SCHEDULE_CPU_STAGES_H

#include "compiler/target/CpuTarget.h"
#include "compiler/target/cpu/Schedule.h"
#include "dialects/train/Reductions.h"

namespace dlc::schedule {

/// How a kernel runs that is a contraction: in register tiles, or as rows where its vectors must run along
/// the reduction.
cpu::ScheduleAttr contractionSchedule(train::KernelOp kernel, const CpuTarget &target);
/// How a kernel runs that is a scatter (train::scatterOf): it goes to the positions that it computes.
cpu::ScheduleAttr scatterSchedule(train::KernelOp kernel, const CpuTarget &target);
/// The scatter that a kernel consists of; null for other kernels.
mlir::linalg::GenericOp scatterIn(train::KernelOp kernel);
/// How any other kernel runs: as columns, as rows or as a transpose.
cpu::ScheduleAttr loopSchedule(train::KernelOp kernel, const CpuTarget &target);
/// How a kernel of several steps runs (train::stepsOf).
cpu::ScheduleAttr stepsSchedule(train::KernelOp kernel, const CpuTarget &target);
/// The most iterations of a block, if tiles are not larger; of more, a block's rows would not lie in the
/// first-level cache.
constexpr int64_t mostBlock = 64;
/// Whether the last of a kernel's shared loops runs in blocks: it does not move all operands of its products.
bool runsInBlocks(train::KernelOp kernel);
/// The size of these blocks for steps that run by `schedules`, which it adapts to them: tiles may become
/// smaller, and scratch does. No larger than what `fits`, if that is possible.
int64_t chooseBlock(train::KernelOp kernel, llvm::MutableArrayRef<cpu::ScheduleAttr> schedules,
                    llvm::function_ref<bool(int64_t)> fits);
/// Lets the steps of a kernel, which run by these schedules, leave out what does not count
/// (dialects/train/Nonzero.h). Returns the size of the blocks in which they do, 0 where they cannot; then
/// they forget what counts.
int64_t leaveOutInBlocks(train::KernelOp kernel, llvm::MutableArrayRef<cpu::ScheduleAttr> steps);
/// Each operation on vectors along its own loops; a large kernel is split.
cpu::ScheduleAttr rowsSchedule(train::KernelOp kernel, const CpuTarget &target, bool isLarge);
/// A loop of `size` iterations that may be cut into chunks of a multiple of `unit`.
struct Cuttable {
  int64_t loop, size, unit;
};
/// Loops in chunks, one loop after the other until there are `enough` chunks, and at most `most`; empty where
/// one chunk is all.
llvm::SmallVector<cpu::SplitAttr> gridOf(train::KernelOp kernel, llvm::ArrayRef<Cuttable> loops,
                                         int64_t enough, int64_t most);
/// The arguments and results of a columns kernel, as positions, that are matrices of rows of at most
/// `longest` elements which the lanes of a vector have one each.
llvm::SmallVector<int64_t> shortMatrices(train::KernelOp kernel, int64_t shared, int64_t longest);
/// Whether the kernel only copies a matrix of 32-bit elements, or each of a row of matrices, to its
/// transpose.
bool isTranspose(train::KernelOp kernel);
/// In how many accumulators an operation whose vectors run along `lane` sums up each element.
int64_t accumulatorsOf(mlir::linalg::GenericOp op, int64_t lane);

/// Says by remarks (compiler/support/Remarks.h) what a kernel's schedule came to, and why.
void explain(train::KernelOp kernel, const CpuTarget &target);

/// The first operation of a kernel that is a contraction.
mlir::linalg::GenericOp rootOf(train::KernelOp kernel);
/// The loop of a contraction that runs along vectors: that of the last dim of its results, in memory;
/// -1 where it has no parallel loop.
int64_t laneLoopOf(train::KernelOp kernel);
/// Elements between neighbours along `loop` of an operand; 0 where it does not move, nullopt where that
/// is known only at run time.
std::optional<int64_t> strideAlong(train::KernelOp kernel, mlir::AffineMap map, mlir::Value tensor,
                                   int64_t loop);

/// (input, output) pairs of the kernel that may share storage.
llvm::SmallVector<int64_t> inplacePairs(train::KernelOp kernel);

/// At most so many products per element: reading across vectors is then cheaper than transposing.
constexpr int64_t shortReduction = 32;

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_STAGES_H
