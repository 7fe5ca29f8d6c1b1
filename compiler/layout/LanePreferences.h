//===- LanePreferences.h - the layouts that contractions prefer ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lane loop of a contraction is the one that its vectors run along: it walks the last dim of the result
// in memory. It should move only one operand; each element of the other one, the operand of the rows, is then
// broadcast to a whole vector.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_LANEPREFERENCES_H
#define DLC_COMPILER_LAYOUT_LANEPREFERENCES_H

#include "compiler/layout/Components.h"

namespace dlc::layout {

/// The loop that should be the lane loop of a convolution: its output channels, which index the weight but
/// not the image (the operand that is read at sums of loops). Any other parallel loop would move the image,
/// which rows move too. nullopt for products of matrices, where either of both parallel loops will do.
std::optional<int64_t> preferredLane(mlir::linalg::GenericOp op);
/// For matrix products with a very long reduction (the weight gradient of a 1x1 convolution, for example):
/// the longer parallel loop, as lane loop, if the other one has few iterations. The operand of the rows is
/// packed, which pays the more columns read it.
std::optional<int64_t> laneOfLongReduction(mlir::linalg::GenericOp op);
/// The lane loop of a contraction whose result has this order.
int64_t laneOf(mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> resultOrder);
/// The operand that the lane loop moves, and the other one.
mlir::OpOperand *laneOperand(mlir::linalg::GenericOp op, int64_t lane);
mlir::OpOperand *rowOperand(mlir::linalg::GenericOp op, int64_t lane);

/// Whether a large contraction packs the operand, which it reads by this map, anyway, so that transposing it
/// on the way costs nothing. `last` is the innermost reduction loop.
bool copiesItself(mlir::linalg::GenericOp op, mlir::OpOperand &operand, mlir::AffineMap inMemory,
                  llvm::ArrayRef<int64_t> sizes, int64_t lane, int64_t last);

/// The dim that the loop moves, counted in memory order, of a tensor of this order; -1 where it moves none.
int64_t memoryDimOf(mlir::AffineMap map, llvm::ArrayRef<int64_t> order, unsigned loop);

/// The order of an operand or of the result in which the dim of the lane loop is last. The other dims stay in
/// their order, or, if the order of the row operand is given, come in the order in which that is read.
Order laneLast(mlir::linalg::GenericOp op, mlir::OpOperand &tensor, int64_t lane,
               std::optional<Order> rowOrder = std::nullopt);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_LANEPREFERENCES_H
