//===- Rewrite.h - rewrites of loop nests that several passes need ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_REWRITE_H
#define DLC_COMPILER_FUSE_REWRITE_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Calls `body` with each function and its operations, if it has some.
void forEachFunction(mlir::ModuleOp module, llvm::function_ref<void(train::FunctionOp, mlir::Block &)> body);
/// The same with each kernel that consists of loop nests, in order. It may be erased.
void forEachKernel(mlir::ModuleOp module, llvm::function_ref<void(train::KernelOp)> body);
/// The launches of each kernel.
llvm::DenseMap<Operation *, SmallVector<train::LaunchOp>> launchesByKernel(mlir::ModuleOp module);
/// Erases what nothing reads.
void eraseUnused(mlir::Block &block);

/// Whether the generic that `operand` belongs to can compute the operand's elements itself.
bool canInline(OpOperand &operand);
/// Computes the operand's elements in the body of its user. Returns the new user. Erases the old one, and the
/// producer, too, if nothing else uses it.
GenericOp inlineProducer(OpOperand &operand);
/// Does so for all operands that their users should compute (InlineProducers.cpp).
void inlineIntoUsers(mlir::Block &block);

/// Makes one generic of several over the same loops, in their order: elementwise ones, or reductions of which
/// none reads another. Results with users outside become results of the new generic, which takes the place of
/// the last one. The old generics are erased.
GenericOp mergeLoops(ArrayRef<GenericOp> ops);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_REWRITE_H
