//===- GpuCode.h - from a planned program to a library for GPUs ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPUCODE_H
#define DLC_COMPILER_CODEGEN_GPUCODE_H

#include "compiler/codegen/Codegen.h"

namespace dlc::codegen {

/// The part of generateCode for a target with GPUs: what the constant `dlc_model` holds of its kernels goes
/// to `device`; for the check without a GPU, a module for each kernel to `code`.
mlir::LogicalResult generateGpuKernels(const TargetProgram &target, const CpuTarget &host,
                                       const CodegenOptions &options, DeviceCode &device,
                                       std::vector<CodeModule> &code);

/// The kernels as PTX, one text for each architecture; or as machine code, by `target.ptxas`.
mlir::FailureOr<std::vector<CodeModule>> generatePtx(const TargetProgram &target,
                                                     const CodegenOptions &options);
mlir::FailureOr<std::vector<CodeModule>> generateCubins(const TargetProgram &target,
                                                        const CodegenOptions &options);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_GPUCODE_H
