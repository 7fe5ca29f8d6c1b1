//===- Codegen.h - from a planned program to object code -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CODEGEN_H
#define DLC_COMPILER_CODEGEN_CODEGEN_H

#include "compiler/codegen/cpu/Object.h"
#include "compiler/codegen/gpu/custom/CudaSources.h"
#include "compiler/codegen/model/Model.h"
#include "compiler/machine/GpuTarget.h"
#include <vector>

namespace dlc::codegen {

struct CodegenOptions {
  ObjectOptions object;
  ModelOptions model;
  bool simt = false; ///< code of this machine in place of a GPU's, for the check without one
  unsigned jobs = 2; ///< LLVM modules compiled at the same time
};

/// A program that was planned for a target.
struct TargetProgram {
  train::ProgramOp program;
  std::optional<GpuTarget> gpu; ///< on which kernels run; without one, on the CPU
  std::string ptxas;            ///< NVIDIA's assembler, whose code stands beside PTX; empty: PTX alone
  gpu::CudaModules cuda;        ///< users' functions for the GPU
};

/// One LLVM module's code: an object file's bytes, or text.
struct CodeModule {
  std::string name;
  std::string contents;
};

/// Emits each kernel as a function of a module of its own, then a module with the constant `dlc_model` and
/// the C functions of the header. Kernels of a GPU are text in that constant. `targets` are variants of one
/// program with the same interface, at most one of them for a CPU and one for GPUs; `host` is that CPU, or
/// the one of what is around the GPU's kernels. The order of modules and their bytes depend on the programs
/// and the options only. Failures are diagnosed on the programs.
mlir::FailureOr<std::vector<CodeModule>> generateCode(llvm::ArrayRef<TargetProgram> targets,
                                                      const CpuTarget &host, const CodegenOptions &options);

/// What generateCode needs in the context, besides the dialects of the program.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CODEGEN_H
