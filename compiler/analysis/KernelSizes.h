//===- KernelSizes.h - sizes of a kernel's loops and temporaries -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a kernel share their leading loops. What one of them computes for a point of those and
// another reads is a temporary; it needs memory, unless it is a single element or an output of the kernel.
//
// A kernel may consist of steps. Each is a run of its operations that could be a kernel by itself; inside the
// loops that all operations share, the steps run one after the other, each with loops of its own.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_ANALYSIS_KERNELSIZES_H
#define DLC_COMPILER_ANALYSIS_KERNELSIZES_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::analysis {

/// Whether a kernel makes the value of this operation itself instead of getting it as an argument.
bool isMadeInKernel(mlir::Operation *op);
/// Copies such an operation, with those that make its operands, unless `mapping` has it already.
void cloneMadeInKernel(mlir::Value value, mlir::IRMapping &mapping, mlir::OpBuilder &b);

/// Names of the dims of any tensor in a kernel, as an entry of `arg_dims`.
mlir::Attribute dimNamesOf(train::KernelOp kernel, mlir::Value tensor);
/// The size of an axis of any tensor in a kernel, with named dims at their bounds.
int64_t boundOf(train::KernelOp kernel, mlir::Value tensor, int64_t axis);
/// Trip counts, with named dims at their bounds.
llvm::SmallVector<int64_t> loopBounds(train::KernelOp kernel, mlir::linalg::GenericOp op);

struct Temporary {
  mlir::OpResult result;
  llvm::SmallVector<int64_t, 4> sizes; ///< per axis; 0 for those of shared loops
  /// Bytes of `width` of them side by side, with room for a whole vector of `lanes` elements at the end; a
  /// multiple of 64.
  int64_t bytes(int64_t width, int64_t lanes) const;
};

/// What operations of a kernel, which run inside `shared` common loops, hand to each other and to no others:
/// the temporaries that need memory, in the order of the operations.
llvm::SmallVector<Temporary>
temporariesOf(train::KernelOp kernel, llvm::ArrayRef<mlir::linalg::GenericOp> operations, int64_t shared);

using Step = llvm::SmallVector<mlir::linalg::GenericOp>;
/// The kernel steps that the attribute `steps` declares; without it, all operations are one step.
llvm::SmallVector<Step> stepsOf(train::KernelOp kernel);
/// Whether an operand that another operation makes is read, in each iteration of the first `shared` loops,
/// where that operation writes it in the same iteration.
bool isOfSameIteration(mlir::OpOperand &operand, int64_t shared);
/// How many leading loops the operations of a step have in common, at least those of the kernel.
int64_t sharedIn(llvm::ArrayRef<mlir::linalg::GenericOp> step);
/// What steps hand to each other at one point of the shared loops, or in `block` iterations of the last of
/// these, if that is above 0.
llvm::SmallVector<Temporary> handedBetweenSteps(train::KernelOp kernel, int64_t block);

} // namespace dlc::analysis

#endif // DLC_COMPILER_ANALYSIS_KERNELSIZES_H
