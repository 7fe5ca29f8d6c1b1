//===- Kernels.h - kernels as functions of vector loops --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_KERNELS_H
#define DLC_COMPILER_CODEGEN_CPU_KERNELS_H

#include "dialects/train/Train.h"

namespace dlc::codegen {

/// Adds the kernel's function (dlc_kernel in dlc/abi.h), named as the kernel is, to `module`. `dimNames` are
/// the program's named dims in order.
void emitKernel(train::KernelOp kernel, mlir::ModuleOp module, llvm::ArrayRef<std::string> dimNames);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_KERNELS_H
