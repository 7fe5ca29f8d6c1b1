//===- GpuCode.h - from a planned program to a library for GPUs ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPUCODE_H
#define DLC_COMPILER_CODEGEN_GPUCODE_H

#include "compiler/codegen/Codegen.h"

namespace dlc::codegen {

/// The part of generateCode for `options.gpu`: a module with the constant `dlc_model`, which holds the
/// kernels as text, and the C functions of the header; for the check without a GPU also one for each kernel.
mlir::FailureOr<std::vector<CodeModule>> generateGpuCode(train::ProgramOp program, const CpuTarget &host,
                                                         const CodegenOptions &options);

/// The kernels as PTX, one text for each architecture; or as machine code, by `options.ptxas`.
mlir::FailureOr<std::vector<CodeModule>> generatePtx(train::ProgramOp program, const CodegenOptions &options);
mlir::FailureOr<std::vector<CodeModule>> generateCubins(train::ProgramOp program,
                                                        const CodegenOptions &options);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_GPUCODE_H
