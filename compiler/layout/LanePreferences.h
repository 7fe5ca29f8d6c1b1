//===- LanePreferences.h - how contractions like their tensors to lie -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop along vectors, the lane loop, is that of the last dim in memory of the result. It should not move
// the other operand, the one of the rows, whose elements then meet a whole vector each.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_LANEPREFERENCES_H
#define DLC_COMPILER_LAYOUT_LANEPREFERENCES_H

#include "compiler/layout/Components.h"

namespace dlc::layout {

/// The loop that should be the lane loop, where another one would give vectors and rows of one operand: the
/// output channels of a convolution, which the result has in common with the weight, not with the image (an
/// operand that is read at sums of loops). nullopt for products of matrices, where either will do.
std::optional<int64_t> preferredLane(mlir::linalg::GenericOp op);
/// The loop that a product of matrices of very many steps, such as the gradient of a weight of a window of
/// one element, should rather have along its lanes: the larger one, where the other has few columns. The
/// operand of the rows is copied, which is worth the more the more columns read the copy.
std::optional<int64_t> laneOfLongReduction(mlir::linalg::GenericOp op);
/// The lane loop if the result has this order.
int64_t laneOf(mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> resultOrder);
/// The operand that moves along the lane loop, and the other one.
mlir::OpOperand *laneOperand(mlir::linalg::GenericOp op, int64_t lane);
mlir::OpOperand *rowOperand(mlir::linalg::GenericOp op, int64_t lane);

/// Whether a large contraction copies an operand, read by this map, into panels anyway, and transposes it on
/// the way. `last` is the innermost reduction.
bool copiesItself(mlir::linalg::GenericOp op, mlir::OpOperand &operand, mlir::AffineMap inMemory,
                  llvm::ArrayRef<int64_t> sizes, int64_t lane, int64_t last);

/// The dim in memory, of a tensor of this order, that the loop moves; -1 where it moves none.
int64_t memoryDimOf(mlir::AffineMap map, llvm::ArrayRef<int64_t> order, unsigned loop);

/// The order of an operand or of the result in which the lane loop is last. The others stay in their order,
/// or, with an order of the row operand, come in the order in which that is read.
Order laneLast(mlir::linalg::GenericOp op, mlir::OpOperand &tensor, int64_t lane,
               std::optional<Order> rowOrder = std::nullopt);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_LANEPREFERENCES_H
