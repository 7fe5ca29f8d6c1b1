//===- MainModule.h - program functions as calls of kernels ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_MAINMODULE_H
#define DLC_COMPILER_CODEGEN_CPU_MAINMODULE_H

#include "compiler/codegen/cpu/Codegen.h"
#include "llvm/IR/Module.h"

namespace dlc::codegen {

/// The symbol of a kernel or of a program function in object files: hidden, and unique when libraries of
/// several models are linked.
std::string hiddenName(train::ProgramOp program, llvm::StringRef symbol);

/// Adds the program's functions to `module` (llvm dialect): straight-line code that fills an array of
/// addresses for each launch and calls the kernel.
void emitProgramFunctions(train::ProgramOp program, mlir::ModuleOp module);

/// Adds the constant `dlc_model` to the translated module and returns it.
llvm::GlobalVariable *emitModelDescription(train::ProgramOp program, llvm::Module &module,
                                           const CpuTarget &target, const CodegenOptions &options);

/// Adds the C functions of the model's header. `fingerprint` is the library's own.
void emitModelApi(train::ProgramOp program, llvm::Module &module, llvm::GlobalVariable *model,
                  uint64_t fingerprint);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_MAINMODULE_H
