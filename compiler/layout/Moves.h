//===- Moves.h - nests that only move elements -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_MOVES_H
#define DLC_COMPILER_LAYOUT_MOVES_H

#include "compiler/layout/Components.h"

namespace dlc::layout {

/// Lets contractions read through transposes, so that these move nothing.
void foldMoves(train::FunctionOp function);

/// Moves the elements of a tensor of order `from` to the order `to`.
mlir::Value reorder(mlir::OpBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> from,
                    llvm::ArrayRef<int64_t> to);
/// A copy of a tensor, which lies in row-major order and by itself.
mlir::Value copyOf(mlir::OpBuilder &b, mlir::Value tensor);
/// The elements of a state in panels, as a tensor of this order. The loops go through the result.
mlir::Value joinPanels(mlir::OpBuilder &b, mlir::Value tensor, train::LayoutAttr layout,
                       mlir::RankedTensorType logical, llvm::ArrayRef<int64_t> to);
/// Does the same in a form that is computed where it is read: the loops are those of the result.
mlir::Value readPanels(mlir::OpBuilder &b, mlir::Value tensor, train::LayoutAttr layout,
                       mlir::RankedTensorType logical, llvm::ArrayRef<int64_t> to);
/// The elements of a tensor of order `from`, in panels; the loops are those of the tensor.
mlir::Value cutPanels(mlir::OpBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> from,
                      train::LayoutAttr layout, mlir::RankedTensorType logical);

/// The map from loops that walk a tensor's memory in this order to the tensor's dims.
mlir::AffineMap mapOf(llvm::ArrayRef<int64_t> order, mlir::MLIRContext *context);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_MOVES_H
