//===- DimNames.h - names of dynamic dims ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_DIMNAMES_H
#define DLC_DIALECTS_TRAIN_DIMNAMES_H

#include "dialects/nn/Dims.h"

namespace train {

class FunctionOp;

/// The dims of a plain tensor, by what made it: of a value in a function, or in a kernel but for its
/// arguments.
nn::Shape shapeOf(mlir::Value tensor);
/// The size that `dim` has where every named dim has its bound.
int64_t sizeAtBound(const nn::Dim &dim, mlir::Operation *program);
/// What is left of `dim` in a function: all of it in those that are not for training; in those for any size,
/// its open names and the bounds of the others; in others that train, its size at the bounds, or in a part.
nn::Dim sizeIn(FunctionOp function, const nn::Dim &dim);
/// The names of its dynamic dims (#nn.dims), or unit.
mlir::Attribute dimNames(mlir::Value tensor);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_DIMNAMES_H
