//===- Intrinsics.h - what a GPU's thread does, as calls of the emulator ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_SIMT_INTRINSICS_H
#define DLC_COMPILER_CODEGEN_GPU_SIMT_INTRINSICS_H

#include "compiler/codegen/gpu/simt/Emulator.h"
#include "llvm/Support/Error.h"

namespace dlc::codegen::gpu {

/// Replaces the intrinsics of LLVM's back end for PTX in a function: registers of the machine, barriers,
/// exchanges between lanes, copies to shared memory and products by tensor cores. An error names one that the
/// emulator does not have.
llvm::Error replaceIntrinsics(llvm::Function &function, llvm::IRBuilder<> &b, Emulator &emulator);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_SIMT_INTRINSICS_H
