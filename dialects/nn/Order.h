//===- Order.h - the order of a formula's operations -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `f(a) * g(b)`, C++ leaves open whether f(a) or g(b) is made first: clang goes left to right, g++ right
// to left. What dlc writes must not depend on who compiled it, so what formulas made is put in order.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_ORDER_H
#define DLC_DIALECTS_NN_ORDER_H

#include "mlir/IR/Builders.h"

namespace nn {

/// Calls `formulas`, which makes operations without side effects at the builder's insertion point and gives
/// its results (null where there is none). Puts the operations in the order in which the results need
/// them, from their first operand to their last, and erases those that no result needs.
llvm::SmallVector<mlir::Value> inOrder(mlir::OpBuilder &builder,
                                       llvm::function_ref<llvm::SmallVector<mlir::Value>()> formulas);

} // namespace nn

#endif // DLC_DIALECTS_NN_ORDER_H
