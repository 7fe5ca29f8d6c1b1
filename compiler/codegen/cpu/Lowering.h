//===- Lowering.h - vector loops to the llvm dialect -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_LOWERING_H
#define DLC_COMPILER_CODEGEN_CPU_LOWERING_H

#include "mlir/Pass/PassManager.h"

namespace dlc::codegen {

/// Adds the passes that take modules of kernels to the llvm dialect: vectorised maths functions, then
/// the upstream conversions. `convertsHalves`: the CPU has instructions between f16 and f32.
void buildLoweringPipeline(mlir::OpPassManager &pm, bool convertsHalves);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_LOWERING_H
