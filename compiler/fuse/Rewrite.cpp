//===- Rewrite.cpp - what passes over functions and kernels have in common -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Rewrite.h"
#include "dialects/train/Custom.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dlc::fuse {

void forEachFunction(mlir::ModuleOp module, llvm::function_ref<void(train::FunctionOp, mlir::Block &)> body) {
  for (auto program : module.getOps<train::ProgramOp>())
    for (auto function : llvm::to_vector(program.getOps<train::FunctionOp>()))
      if (mlir::Block &block = function.getBody().front(); !block.empty())
        body(function, block);
}

void forEachKernel(mlir::ModuleOp module, llvm::function_ref<void(train::KernelOp)> body) {
  for (auto program : module.getOps<train::ProgramOp>())
    for (auto kernel : llvm::to_vector(program.getOps<train::KernelOp>()))
      if (!kernel.getBody().front().getOps<GenericOp>().empty())
        body(kernel);
}

llvm::DenseMap<Operation *, SmallVector<train::LaunchOp>> launchesByKernel(mlir::ModuleOp module) {
  llvm::DenseMap<Operation *, SmallVector<train::LaunchOp>> launches;
  for (auto program : module.getOps<train::ProgramOp>()) {
    llvm::StringMap<Operation *> kernels;
    for (auto kernel : program.getOps<train::KernelOp>())
      kernels[kernel.getSymName()] = kernel;
    program.walk([&](train::LaunchOp launch) { launches[kernels.at(launch.getKernel())].push_back(launch); });
  }
  return launches;
}

void eraseUnused(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

} // namespace dlc::fuse
