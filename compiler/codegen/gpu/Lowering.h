//===- Lowering.h - code of threads to the llvm and nvvm dialects ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_LOWERING_H
#define DLC_COMPILER_CODEGEN_GPU_LOWERING_H

#include "mlir/Pass/PassManager.h"

namespace dlc::codegen::gpu {

/// Adds the passes that take modules of kernels to the llvm and nvvm dialects. A GPU has no library of
/// functions: each becomes arithmetic, and one that has no formula is an error at its kernel.
void buildLoweringPipeline(mlir::OpPassManager &pm);
/// Adds these passes for code of this machine, which has no instructions for bf16.
void buildSimtLoweringPipeline(mlir::OpPassManager &pm);
/// Conversions between f32 and bf16 become instructions for two numbers.
std::unique_ptr<mlir::Pass> createNarrowByMachinePass();

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_LOWERING_H
