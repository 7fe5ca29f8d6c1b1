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

/// The copy of an operand of a contraction to shared memory: in its own order, as wide as possible.
gpu::CopyAttr copyOf(train::KernelOp kernel, mlir::linalg::GenericOp root, unsigned operand);
/// The bytes of the widest copies that may be made of an operand along its steps, or along its rows or
/// columns; 0: there can be none.
int64_t widestCopy(train::KernelOp kernel, mlir::linalg::GenericOp root, unsigned operand, bool alongSteps);
/// How many of the elements that a product multiplies fit a word of 32 bits, in attentions and transient
/// matrices.
int64_t elementsPerWord(mlir::linalg::GenericOp product);
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
