//===- Reductions.h - what a reduction computes ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_ANALYSIS_REDUCTIONS_H
#define DLC_COMPILER_ANALYSIS_REDUCTIONS_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace dlc::analysis {

/// A multiply-add reduction with rows of one operand and columns of the other: a product of matrices, a
/// convolution or one of its gradients.
bool isContraction(mlir::linalg::GenericOp op);
/// A depthwise convolution or one of its gradients: a multiply-add reduction under a window, in which one
/// operand has rows, none has columns, and both move along the channels.
bool isDepthwise(mlir::linalg::GenericOp op);
/// One or the other.
inline bool isProduct(mlir::linalg::GenericOp op) { return isContraction(op) || isDepthwise(op); }
/// The product of a kernel that consists of one, all of whose parallel loops are shared, and of at most
/// one elementwise operation on these loops, the epilogue. Null for other kernels.
mlir::linalg::GenericOp productOf(train::KernelOp kernel);
/// productOf(kernel) if that is a contraction; else null.
mlir::linalg::GenericOp contractionOf(train::KernelOp kernel);

/// The type of a contraction's operands, bf16, f16 or tf32 (f32 that was rounded to it), where that is low
/// and its sums are f32; else null.
mlir::FloatType lowTypeOf(mlir::linalg::GenericOp contraction);

/// A sum at positions that are computed: the body adds `added` to the accumulator where the position along
/// the parallel loop `loop` equals `index`, a value of the body that is the same along this loop, and zero
/// elsewhere. Instead of looking at all positions for each step of the reduction, code may go to the one that
/// it names.
struct Scatter {
  unsigned loop;
  mlir::Value index, added;
};
/// The scatter that a generic is; nullopt where it is none.
std::optional<Scatter> scatterOf(mlir::linalg::GenericOp op);
/// What the value of a body needs: operations of the body, in order, and block arguments.
llvm::SetVector<mlir::Value> neededFor(mlir::linalg::GenericOp op, mlir::Value value);

/// The loops that the dims of an operand are; nullopt where one is not just a loop, or the same as another.
std::optional<llvm::SmallVector<int64_t, 4>> loopsOf(mlir::AffineMap map);
/// For each tensor, the loops of some operation that its dims are.
using LoopsOfDims = llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>>;
/// Which of these loops those of a reader of the tensors are; -1 for loops along which it reads none of them.
/// nullopt where that is not one loop for each.
std::optional<llvm::SmallVector<int64_t, 4>> loopsOfReader(mlir::linalg::GenericOp op,
                                                           const LoopsOfDims &dims);
/// Whether the first result of a reduction begins with zero.
bool beginsWithZero(mlir::linalg::GenericOp op);

/// The operand whose elements a value in the body is. Null where it is none: it is computed there, or comes
/// from around the operation, as a tensor does of which the body takes elements itself.
mlir::OpOperand *operandOf(mlir::linalg::GenericOp op, mlir::Value value);

/// Whether a value of the body may differ between positions along a loop.
bool dependsOnLoop(mlir::linalg::GenericOp op, mlir::Value value, unsigned loop);

/// How a reduction combines: the operation (arith.addf ...) whose one side is the accumulator, or null
/// where result `index` is not such a simple reduction.
mlir::Operation *combinerOf(mlir::linalg::GenericOp op, unsigned index);

} // namespace dlc::analysis

#endif // DLC_COMPILER_ANALYSIS_REDUCTIONS_H
