//===- Nests.h - questions about loop nests --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_NESTS_H
#define DLC_COMPILER_LAYOUT_NESTS_H

#include "compiler/analysis/Reductions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dlc::layout {

using analysis::isContraction;

/// Whether the nest yields one operand as it is.
bool isMove(mlir::linalg::GenericOp op);
/// Bytes of a tensor; a dynamic dim counts as a typical size.
int64_t bytesOf(mlir::Type type);
/// The dim that is read exactly along `loop`; -1 where there is none.
int64_t axisOf(mlir::AffineMap map, int64_t loop);
/// Whether neighbours along `loop` are neighbours in memory, or the same element.
bool runsAlong(mlir::AffineMap map, int64_t loop);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_NESTS_H
