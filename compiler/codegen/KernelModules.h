//===- KernelModules.h - an LLVM module for each kernel --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNELMODULES_H
#define DLC_COMPILER_CODEGEN_KERNELMODULES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace dlc::codegen {

/// The kernels of a program, in their order, each a module of the llvm dialect, so that MLIR and then LLVM
/// work on them side by side.
class KernelModules {
public:
  /// `emit` adds a kernel's function to a module; `lower` adds the passes that take it to the llvm dialect.
  static mlir::FailureOr<KernelModules>
  make(train::ProgramOp program,
       llvm::function_ref<void(train::KernelOp, mlir::ModuleOp, llvm::ArrayRef<std::string> dimNames)> emit,
       llvm::function_ref<void(mlir::OpPassManager &)> lower);

  size_t size() const { return modules.size(); }
  std::string name(size_t kernel) { return modules[kernel].getSymName()->str(); }
  /// One more number than kernels, the last without a module: `compile` gets its number, and its module in a
  /// context of its own. Calls run side by side, on up to `jobs` threads. What goes wrong is told on the
  /// program.
  using Compile = std::function<llvm::Error(size_t number, llvm::Module *module)>;
  mlir::LogicalResult compile(unsigned jobs, const Compile &compile);

private:
  mlir::OwningOpRef<mlir::ModuleOp> all;
  llvm::SmallVector<mlir::ModuleOp> modules;
  train::ProgramOp program;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNELMODULES_H
