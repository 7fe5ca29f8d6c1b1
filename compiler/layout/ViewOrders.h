//===- ViewOrders.h - operations that move nothing ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_VIEWORDERS_H
#define DLC_COMPILER_LAYOUT_VIEWORDERS_H

#include "compiler/layout/Components.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dlc::layout {

/// A reshape, a slice or a join: its results are the elements of its operands.
bool movesNothing(mlir::Operation *op);
/// Whether both sides of a view have the same dims but for those of size 1.
bool onlyLeavesOutOnes(mlir::Operation *view);
/// The order of the view's other side, where `side` has the order `order`. nullopt where the view does not
/// tell: not all dims that are one dim of the other side lie one behind the other. A join's first part stands
/// for all its parts.
std::optional<Order> orderThrough(mlir::Operation *view, mlir::Value side, llvm::ArrayRef<int64_t> order);

/// The dims of a slice's source of which it takes one position.
llvm::SmallBitVector droppedDims(mlir::tensor::ExtractSliceOp slice);
/// An order of the dims that are left where those in `dropped` are left out.
Order withoutDims(llvm::ArrayRef<int64_t> order, const llvm::SmallBitVector &dropped);

/// Makes a reshape or a slice one of tensors whose dims lie in these orders, which orderThrough has
/// connected.
void setOrders(mlir::Operation *view, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_VIEWORDERS_H
