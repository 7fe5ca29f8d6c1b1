//===- CudaSources.h - users' CUDA sources, compiled -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CUSTOM_CUDASOURCES_H
#define DLC_COMPILER_CODEGEN_GPU_CUSTOM_CUDASOURCES_H

#include "compiler/machine/GpuTarget.h"
#include "dialects/train/Custom.h"
#include <map>

namespace dlc::codegen::gpu {

struct CudaCode {
  std::string text;   ///< an LLVM module in bitcode, or PTX
  bool isPtx = false; ///< whose functions a kernel calls
};
/// Compiled CUDA sources, by the source's file and the GPU.
using CudaModules = std::map<std::pair<std::string, GpuArchitecture>, CudaCode>;

/// Compiles each CUDA source of the program's custom functions for each GPU of the target: with NVRTC where
/// `nvrtc` names it, else with clang, which is `clang` or on PATH. An error has what the compiler says.
llvm::Expected<CudaModules> compileCudaSources(train::ProgramOp program, const GpuTarget &target,
                                               unsigned optLevel, llvm::StringRef clang,
                                               llvm::StringRef nvrtc);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CUSTOM_CUDASOURCES_H
