//===- Sizes.h - how many bytes a tensor needs at most ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PLAN_SIZES_H
#define DLC_COMPILER_PLAN_SIZES_H

#include "dialects/train/Train.h"

namespace dlc::plan {

/// Every place that is no part of another begins at a multiple of this.
inline constexpr int64_t alignment = 64;

/// The bytes of a static tensor or memref; a truth value takes one.
int64_t bytesOf(mlir::ShapedType type);

/// The bytes of a tensor of a function, with every named dim at its bound.
int64_t bytesAtBound(mlir::Value tensor);
/// The sizes or strides with every named dim at its bound.
llvm::SmallVector<int64_t> atBound(llvm::ArrayRef<nn::Dim> dims, mlir::Operation *program);
/// The dims of the kernel's argument or result `index` (results count after the arguments), which has `type`.
nn::Shape shapeOf(train::KernelOp kernel, unsigned index, mlir::ShapedType type);

} // namespace dlc::plan

#endif // DLC_COMPILER_PLAN_SIZES_H
