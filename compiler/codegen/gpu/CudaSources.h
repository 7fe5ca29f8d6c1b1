//===- CudaSources.h - users' CUDA sources as LLVM IR ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CUDASOURCES_H
#define DLC_COMPILER_CODEGEN_GPU_CUDASOURCES_H

#include "compiler/target/GpuTarget.h"
#include "dialects/train/Custom.h"
#include <map>

namespace dlc::codegen::gpu {

/// Modules in bitcode, by the source's file and the GPU's number (80: sm_80).
using CudaModules = std::map<std::pair<std::string, unsigned>, std::string>;

/// Compiles each CUDA source of the program's custom functions with clang, which is `clang` or on PATH, for
/// each GPU of the target. An error has what clang says.
llvm::Expected<CudaModules> compileCudaSources(train::ProgramOp program, const GpuTarget &target,
                                               unsigned optLevel, llvm::StringRef clang);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CUDASOURCES_H
