//===- Simt.h - code of a GPU's thread, for this machine -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same LLVM IR that becomes PTX becomes a function that computes one thread and calls an emulator for all
// that a GPU would do: registers of the machine, barriers, and each access of memory, which is told before it
// is done. So kernels are run, and their barriers are checked, without a GPU.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_SIMT_SIMT_H
#define DLC_COMPILER_CODEGEN_GPU_SIMT_SIMT_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace dlc::codegen::gpu {

/// Makes of the module's kernel the function `symbol`: void(ptr calls, ptr parameters), as dlc_simt_kernel in
/// dlc/abi.h says. Returns the bytes of shared memory that it uses.
llvm::Expected<int64_t> makeSimt(llvm::Module &module, llvm::StringRef symbol);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_SIMT_SIMT_H
