//===- Ptxas.h - machine code of GPUs by NVIDIA's assembler ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_PTXAS_H
#define DLC_COMPILER_CODEGEN_GPU_PTXAS_H

#include "compiler/machine/GpuTarget.h"
#include "llvm/Support/Error.h"
#include <string>

namespace dlc::codegen::gpu {

/// Where the assembler is: `given` or, where that is empty, ptxas on PATH. `option` is what needs it.
llvm::Expected<std::string> findPtxas(llvm::StringRef given, llvm::StringRef option);

/// PTX as a cubin: machine code, which runs on GPUs of the architecture's kind only.
llvm::Expected<std::string> assemble(llvm::StringRef ptxas, llvm::StringRef ptx,
                                     const GpuArchitecture &architecture);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_PTXAS_H
