//===- Views.h - reshapes that move nothing --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_VIEWS_H
#define DLC_COMPILER_LAYOUT_VIEWS_H

#include "compiler/layout/Components.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dlc::layout {

/// A tensor.collapse_shape or tensor.expand_shape.
bool isView(mlir::Operation *op);
/// Whether both sides of a view have the same dims but for those of size 1.
bool onlyLeavesOutOnes(mlir::Operation *view);
/// The order of the view's other side, where `side` has the order `order`: all dims that are one dim of the
/// other side lie one behind the other. nullopt where they do not.
std::optional<Order> orderThrough(mlir::Operation *view, mlir::Value side, llvm::ArrayRef<int64_t> order);

/// Makes a view one of tensors whose dims lie in these orders, which orderThrough has connected.
void setOrders(mlir::Operation *view, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_VIEWS_H
