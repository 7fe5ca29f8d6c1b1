//===- Ptx.h - LLVM modules of kernels to PTX ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_PTX_H
#define DLC_COMPILER_CODEGEN_GPU_PTX_H

#include "compiler/machine/GpuTarget.h"
#include "llvm/IR/Module.h"

namespace dlc::codegen::gpu {

/// Optimises a module with one kernel, of blocks of `threads`, and writes it as PTX for `architecture`.
/// `askedBytes`: of shared memory that its launches must ask for.
llvm::Expected<std::string> writePtx(llvm::Module &module, const GpuTarget &target,
                                     const GpuArchitecture &architecture, int64_t threads, unsigned optLevel,
                                     int64_t &askedBytes);
/// One file of several, all for one architecture: what they begin with stands there once, of the newest
/// version.
std::string joinPtx(llvm::ArrayRef<std::string> texts);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_PTX_H
