//===- Body.h - scalar bodies computed on vectors --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a linalg.generic is scalar code. Here it is computed for a point of the loop nest: the
// same operations on vectors where lanes differ, on scalars where they do not.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_BODY_H
#define DLC_COMPILER_CODEGEN_KERNEL_BODY_H

#include "compiler/codegen/kernel/KernelFunction.h"
#include "compiler/codegen/kernel/Random.h"

namespace dlc::codegen {

/// Computes `op`'s body; `arguments` are the values of its block arguments. `words`, where given, caches
/// random words between points of one tile whose first row is a multiple of eight: then all points must
/// be computed at the same nesting of loops.
llvm::SmallVector<mlir::Value> emitBody(KernelFunction &kernel, mlir::linalg::GenericOp op,
                                        llvm::ArrayRef<mlir::Value> arguments, const Point &point,
                                        RandomWords *words = nullptr);

/// Computes some operations of a kernel's body, in order, from what `values` has of it.
void emitOperations(KernelFunction &kernel, llvm::ArrayRef<mlir::Operation *> operations, const Point &point,
                    mlir::IRMapping &values);

/// Computes one value of `op`'s body, and what it needs; other arguments may be null.
mlir::Value emitPart(KernelFunction &kernel, mlir::linalg::GenericOp op, mlir::Value wanted,
                     llvm::ArrayRef<mlir::Value> arguments, const Point &point, RandomWords *words = nullptr);

/// The value that a combiner (compiler/analysis/Reductions.h) leaves unchanged.
mlir::TypedAttr neutralElement(mlir::Operation *combiner);
/// Combines two values of one type.
mlir::Value combine(Builder &b, mlir::Operation *combiner, mlir::Value x, mlir::Value y);
/// What a reduction's results begin with where nothing is added yet: at each point, those of all results.
llvm::SmallVector<mlir::Value> neutralElements(Builder &b, mlir::linalg::GenericOp op,
                                               llvm::ArrayRef<Point> points);
/// Combines two sums of every result at the same points.
llvm::SmallVector<mlir::Value> combineAll(Builder &b, mlir::linalg::GenericOp op,
                                          llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<mlir::Value> y);
/// Combines the lanes of a vector, in a fixed order: halves are combined with halves.
mlir::Value combineLanes(Builder &b, mlir::Operation *combiner, mlir::Value vector);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_BODY_H
