//===- Stages.h - the steps of scheduling, in order ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_STAGES_H
#define DLC_COMPILER_SCHEDULE_CPU_STAGES_H

#include "compiler/analysis/Reductions.h"
#include "compiler/machine/CpuTarget.h"
#include "compiler/machine/cpu/Schedule.h"

namespace dlc::schedule {

/// The schedule of a contraction: register tiles, or the form `rows` where its vectors must run along the
/// reduction.
cpu::ScheduleAttr contractionSchedule(train::KernelOp kernel, const CpuTarget &target);
/// The schedule of a scatter (analysis::scatterOf), which adds at computed positions.
cpu::ScheduleAttr scatterSchedule(train::KernelOp kernel, const CpuTarget &target);
/// The scatter that a kernel consists of; null for other kernels.
mlir::linalg::GenericOp scatterIn(train::KernelOp kernel);
/// The schedule of any other kernel: the form `columns`, `rows` or `transpose`.
cpu::ScheduleAttr loopSchedule(train::KernelOp kernel, const CpuTarget &target);
/// The schedule of a kernel of several steps (analysis::stepsOf).
cpu::ScheduleAttr stepsSchedule(train::KernelOp kernel, const CpuTarget &target);
/// The most iterations of a block, unless tiles are larger: the rows of a longer block would not fit the
/// first-level cache.
constexpr int64_t mostBlock = 64;
/// Whether the last of a kernel's shared loops runs in blocks: it does not move all operands of its products.
bool runsInBlocks(train::KernelOp kernel);
/// Chooses the size of these blocks, the largest that `fits` if any does, and adapts the steps' schedules to
/// it: tiles may become smaller, and scratch does.
int64_t chooseBlock(train::KernelOp kernel, llvm::MutableArrayRef<cpu::ScheduleAttr> schedules,
                    llvm::function_ref<bool(int64_t)> fits);
/// Lets the steps of a kernel leave out iterations that do not count (dialects/train/Nonzero.h), in whole
/// blocks. Returns the size of these blocks; 0 where the steps cannot leave out anything, and then drops what
/// is known of such iterations.
int64_t leaveOutInBlocks(train::KernelOp kernel, llvm::MutableArrayRef<cpu::ScheduleAttr> steps);
/// The form `rows`: each operation runs on vectors along its own loops; a large kernel is cut into chunks.
cpu::ScheduleAttr rowsSchedule(train::KernelOp kernel, const CpuTarget &target, bool isLarge);
/// A loop of `size` iterations that may be cut into chunks of a multiple of `unit`.
struct Cuttable {
  int64_t loop, size, unit;
};
/// Cuts loops into chunks, one loop after the other, until there are `enough` chunks, but at most `most`;
/// empty where the kernel stays one chunk.
llvm::SmallVector<cpu::SplitAttr> gridOf(train::KernelOp kernel, llvm::ArrayRef<Cuttable> loops,
                                         int64_t enough, int64_t most);
/// The numbers of those arguments and results of a columns kernel that are matrices of short rows, of at most
/// `longest` elements, where each lane of a vector works on a row of its own.
llvm::SmallVector<int64_t> shortMatrices(train::KernelOp kernel, int64_t shared, int64_t longest);
/// Whether the kernel only transposes a matrix of 32-bit elements, or each of several matrices.
bool isTranspose(train::KernelOp kernel);
/// The number of accumulators in which an operation whose vectors run along `lane` sums up each element.
int64_t accumulatorsOf(mlir::linalg::GenericOp op, int64_t lane);

/// Emits remarks (compiler/support/Remarks.h) that say which schedule a kernel has, and why.
void explain(train::KernelOp kernel, const CpuTarget &target);

/// The first operation of a kernel that is a contraction.
mlir::linalg::GenericOp rootOf(train::KernelOp kernel);
/// The lane loop of a contraction: the one that walks the last dim of its result in memory; -1 where it has
/// no parallel loop.
int64_t laneLoopOf(train::KernelOp kernel);
/// The stride of `loop` in a tensor's memory, in elements; 0 where the loop does not move it, nullopt where
/// the stride is known at run time only.
std::optional<int64_t> strideAlong(train::KernelOp kernel, mlir::AffineMap map, mlir::Value tensor,
                                   int64_t loop);

/// The (input, output) pairs of the kernel that may share storage.
llvm::SmallVector<int64_t> inplacePairs(train::KernelOp kernel);

/// The longest reduction for which strided loads are cheaper than transposing the operand first.
constexpr int64_t shortReduction = 32;

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_STAGES_H
