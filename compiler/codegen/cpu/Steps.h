//===- Steps.h - kernels of several steps ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_STEPS_H
#define DLC_COMPILER_CODEGEN_CPU_STEPS_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen {

/// Emits a kernel of steps: the loops that all share outside, and inside one step after the other, each by
/// `emitPart` as a kernel that consists of the step is emitted.
void emitSteps(KernelFunction &kernel, llvm::function_ref<void(KernelFunction &)> emitPart);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_STEPS_H
