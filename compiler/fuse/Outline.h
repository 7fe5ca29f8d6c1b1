//===- Outline.h - groups become kernels and launches ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_OUTLINE_H
#define DLC_COMPILER_FUSE_OUTLINE_H

#include "compiler/fuse/groups/Groups.h"
#include "dialects/train/Custom.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::fuse {

/// Makes kernels of groups; equal kernels are one symbol.
class Outliner {
public:
  explicit Outliner(train::ProgramOp program) : program(program), symbols(program) {}

  /// Makes the launch that replaces the group's operations, at the end of the function, and erases these.
  /// `apart`: what it reads of other groups, which its location says.
  train::LaunchOp outline(Group &group, ArrayRef<Apart> apart, train::FunctionOp function);
  /// Makes the launch of a user's function, whose call is a kernel of its own.
  train::LaunchOp outline(train::CustomCallOp call, train::FunctionOp function);

private:
  /// Declares the layouts of the kernel's arguments and results, which are these values in the function.
  void describe(train::KernelOp kernel, mlir::ValueRange inputs, mlir::ValueRange outputs);
  /// The kernel, or an equal one that was there before.
  train::KernelOp insertOnce(train::KernelOp kernel, StringRef name);
  train::KernelOp emptyKernel(const Group &group, ArrayRef<Value> inputs, mlir::IRMapping &mapping);
  void finish(train::KernelOp kernel, ArrayRef<OpResult> outputs, mlir::IRMapping &mapping);
  train::KernelOp kernelOfOne(const Group &group, ArrayRef<Value> inputs, ArrayRef<OpResult> outputs);
  train::KernelOp kernelOfSteps(const Group &group, ArrayRef<Value> inputs, ArrayRef<OpResult> outputs);
  train::KernelOp findEqual(train::KernelOp kernel, StringRef name);

  train::ProgramOp program;
  mlir::SymbolTable symbols;
  llvm::StringMap<SmallVector<train::KernelOp>> byName;
};

/// Orders the operations of a function: operands first, and, where possible, each update of a state after the
/// last reader of its old value. `priority` decides where neither does.
void orderOperations(train::FunctionOp function, const llvm::DenseMap<Operation *, unsigned> &priority);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_OUTLINE_H
