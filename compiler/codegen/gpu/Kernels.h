//===- Kernels.h - kernels as functions of one thread ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_KERNELS_H
#define DLC_COMPILER_CODEGEN_GPU_KERNELS_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen::gpu {

/// Adds the kernel's function to `module`, by the name that entryOf gives it: what each thread of each block
/// does (Calling::Pointers). `dimNames` are the program's named dims in order. `warpGroups`: for GPUs that
/// multiply in groups of warps.
void emitKernel(train::KernelOp kernel, mlir::ModuleOp module, llvm::ArrayRef<std::string> dimNames,
                bool warpGroups);
/// Marks pointer arguments with the alignment and the noalias that hold in all launches of the kernel.
void describeArguments(KernelFunction &kernel);
/// Marks the numbers of threads and blocks with their ranges.
void describeNumbers(KernelFunction &kernel);
/// The name of a kernel in images.
std::string entryOf(train::KernelOp kernel);

// The forms.
void emitPoints(KernelFunction &kernel);
void emitContraction(KernelFunction &kernel);
void emitMma(KernelFunction &kernel);
/// Whether a product runs by groups of warps (wgmma), which the tile and its operands must allow.
bool isOfWarpGroup(KernelFunction &kernel);
void emitWarpGroup(KernelFunction &kernel);
void emitAttention(KernelFunction &kernel);
void emitTransient(KernelFunction &kernel);
void emitScatter(KernelFunction &kernel);
void emitTranspose(KernelFunction &kernel);
void emitCall(KernelFunction &kernel);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_KERNELS_H
