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
/// Says of the function's pointers what the kernel's launches let be known: at multiples of how many bytes
/// they begin, and which of them are of memory that no other one is of.
void describeArguments(KernelFunction &kernel);
/// Says of the numbers of threads and blocks how large they may be.
void describeNumbers(KernelFunction &kernel);
/// The name of a kernel in images.
std::string entryOf(train::KernelOp kernel);

// The forms.
void emitPoints(KernelFunction &kernel);
void emitContraction(KernelFunction &kernel);
void emitMma(KernelFunction &kernel);
/// The same by groups of warps, where the tile and its operands allow it.
bool isOfWarpGroup(KernelFunction &kernel);
void emitWarpGroup(KernelFunction &kernel);
void emitAttention(KernelFunction &kernel);
void emitTransient(KernelFunction &kernel);
void emitScatter(KernelFunction &kernel);
void emitTranspose(KernelFunction &kernel);
void emitCall(KernelFunction &kernel);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_KERNELS_H
