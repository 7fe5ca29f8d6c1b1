//===- Stages.h - how kernels of each form are mapped to threads -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_GPU_STAGES_H
#define DLC_COMPILER_SCHEDULE_GPU_STAGES_H

#include "compiler/analysis/Attention.h"
#include "compiler/analysis/Transient.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/machine/gpu/Schedule.h"
#include "compiler/schedule/cpu/Stages.h"

namespace dlc::schedule {

/// The form of any kernel: threads share the points of its shared loops.
gpu::ScheduleAttr pointsSchedule(train::KernelOp kernel);
/// Whether a thread may have so many neighbouring points of the last shared loop: the loop ends at a multiple
/// of that, operands lie along it, and operations have one element at a point, which no other one needs from
/// memory.
bool canTakeNeighbours(train::KernelOp kernel, int64_t elements);
/// The form of a contraction with at most one operation after it (analysis::contractionOf). `warpGroups`: all
/// GPUs multiply in groups of warps.
gpu::ScheduleAttr tiledSchedule(train::KernelOp kernel, bool warpGroups);
/// The copy of an operand of a contraction to shared memory: in its own order, as wide as possible.
gpu::CopyAttr copyOf(train::KernelOp kernel, mlir::linalg::GenericOp root, unsigned operand);
/// The bytes of the widest copies that may be made of an operand along its steps, or along its rows or
/// columns; 0: there can be none.
int64_t widestCopy(train::KernelOp kernel, mlir::linalg::GenericOp root, unsigned operand, bool alongSteps);
/// The form of an attention.
gpu::ScheduleAttr attentionSchedule(train::KernelOp kernel, const analysis::Attention &attention);
/// The form of transient matrices.
gpu::ScheduleAttr transientSchedule(train::KernelOp kernel, const analysis::TransientKernel &transient);
/// For each operand of the products: elements per position, padded, on the kept or on the streamed side.
llvm::SmallVector<int64_t> paddedElementsPerPosition(const analysis::TransientKernel &transient, bool isKept);
/// How many of the elements that a product multiplies fit a word of 32 bits, in attentions and transient
/// matrices.
int64_t elementsPerWord(mlir::linalg::GenericOp product);
/// The form of a scatter (analysis::scatterOf).
gpu::ScheduleAttr scatterOnGpu(train::KernelOp kernel);
/// The form of a copy that exchanges the last two dims.
gpu::ScheduleAttr transposeSchedule(train::KernelOp kernel);
/// The form of a call of a user's function: null where that has no code for GPUs, which is told.
gpu::ScheduleAttr callOnGpu(train::KernelOp kernel);
/// The shared memory of a block.
int64_t sharedBytes(train::KernelOp kernel, gpu::ScheduleAttr schedule);
/// Says, where somebody listens (compiler/support/Remarks.h), how the kernel was mapped to blocks and threads,
/// and why. `warpGroups`: all GPUs multiply in groups of warps.
void explainOnGpu(train::KernelOp kernel, bool warpGroups);

/// The least power of two that is at least `number`, and at most `most`, which is one.
inline int64_t powerOfTwo(int64_t number, int64_t most) {
  int64_t power = 1;
  while (power < number && power < most)
    power *= 2;
  return power;
}

/// The product of some sizes.
inline int64_t productOf(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_GPU_STAGES_H
