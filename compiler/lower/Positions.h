//===- Positions.h - positions that bodies compute -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside the body of a generic: where the loops are, and the elements of tensors at positions that follow
// from that.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_POSITIONS_H
#define DLC_COMPILER_LOWER_POSITIONS_H

#include "compiler/lower/Lowering.h"

namespace dlc::lower {

/// The position along a dim of the space.
Value position(ImplicitLocOpBuilder &b, const Space &space, unsigned dim);
/// The element of `tensor`, the lowered form of a value of `shape`, at `positions`, one per dim of `shape`.
Value elementAt(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<nn::Dim> shape, ValueRange positions);
/// The position in [0, size) next to `position`.
Value clamp(ImplicitLocOpBuilder &b, Value position, Value size);
/// Truth that holds everywhere, to be narrowed by `require`.
Value always(ImplicitLocOpBuilder &b);
/// `condition` and that `position` compares with `bound` like this.
Value require(ImplicitLocOpBuilder &b, Value condition, Value position, mlir::arith::CmpIPredicate comparison,
              int64_t bound);

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_POSITIONS_H
