//===- Collapse.h - neighbouring loops that move together become one -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_COLLAPSE_H
#define DLC_COMPILER_FUSE_COLLAPSE_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Makes one loop of neighbouring loops of `kernel` that move together through everything they touch, and one
/// dim of the dims that they move along. The types of arguments and results change with them.
void collapseLoops(train::KernelOp kernel);

/// The dims of an argument or a result of a kernel, which is number `position` of its `arg_dims`.
nn::Shape declaredShape(train::KernelOp kernel, Value tensor, unsigned position);
/// The elements of `tensor` as a tensor of `type` and `shape`, whose dims are neighbouring dims of it put
/// together.
Value collapsedView(mlir::OpBuilder &b, Value tensor, mlir::Type type, ArrayRef<nn::Dim> shape);
/// The other way: `type` and `shape` have the dims that were put together in `tensor`.
Value expandedView(mlir::OpBuilder &b, Value tensor, mlir::Type type, ArrayRef<nn::Dim> shape);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_COLLAPSE_H
