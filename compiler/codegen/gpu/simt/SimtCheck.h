//===- SimtCheck.h - what the check without a GPU knows --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of dlc's have nothing else; a user's may.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_SIMT_SIMTCHECK_H
#define DLC_COMPILER_CODEGEN_GPU_SIMT_SIMTCHECK_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace dlc::codegen::gpu {

/// An error where the kernel has something whose accesses of memory could not be told.
llvm::Error checkForSimt(llvm::Function &kernel);
/// Whether it is memory that a thread has for itself, or a table of constants: nothing is told of these.
bool isOwnOrConstant(const llvm::Value *pointer);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_SIMT_SIMTCHECK_H
