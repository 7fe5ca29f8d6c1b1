//===- Moves.h - nests that only move elements -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_MOVES_H
#define DLC_COMPILER_LAYOUT_MOVES_H

#include "compiler/layout/Components.h"

namespace dlc::layout {

/// Contractions read what a transpose would give them themselves.
void foldMoves(train::FunctionOp function);

/// The elements of a tensor of order `from`, in the order `to`.
mlir::Value reorder(mlir::OpBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> from,
                    llvm::ArrayRef<int64_t> to);
/// A copy of a tensor, which lies in row-major order and by itself.
mlir::Value copyOf(mlir::OpBuilder &b, mlir::Value tensor);
/// The elements of a state in panels, as a tensor of this order. The loops go through the result.
mlir::Value joinPanels(mlir::OpBuilder &b, mlir::Value tensor, train::LayoutAttr layout,
                       mlir::RankedTensorType logical, llvm::ArrayRef<int64_t> to);
/// The same, to be computed where it is read: the loops are those of the result.
mlir::Value readPanels(mlir::OpBuilder &b, mlir::Value tensor, train::LayoutAttr layout,
                       mlir::RankedTensorType logical, llvm::ArrayRef<int64_t> to);
/// The elements of a tensor of order `from`, in panels; the loops are those of the tensor.
mlir::Value cutPanels(mlir::OpBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> from,
                      train::LayoutAttr layout, mlir::RankedTensorType logical);

/// Where the dims of a tensor are along loops that go through its memory in this order.
mlir::AffineMap mapOf(llvm::ArrayRef<int64_t> order, mlir::MLIRContext *context);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_MOVES_H
