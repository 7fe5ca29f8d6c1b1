//===- Sorting.h - elements in order ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_SORTING_H
#define DLC_FRONTENDS_COMMON_SORTING_H

#include "frontends/common/OpMaker.h"

namespace dlc::frontend {

/// Elements that are sorted by comparing each with each.
constexpr int64_t maxSorted = 1 << 13;

/// The places along dim 1 of the `count` largest, or smallest, elements of x [outer, size, inner] in order:
/// i64 [outer, count, inner]. Of equal elements the first come first; NaN counts as largest, as in PyTorch.
nn::Expr placesInOrder(nn::Expr x, int64_t count, bool largest);

/// The `count` largest, or smallest, elements along a static dim of at most maxSorted, in order, and their
/// places, i64; null after an error.
std::pair<mlir::Value, mlir::Value> elementsInOrder(OpMaker &maker, mlir::Value x, int64_t dim, int64_t count,
                                                    bool largest);

/// Moves elements by `distance` places to the back of a static dim; zeros follow.
mlir::Value shifted(OpMaker &maker, mlir::Value x, int64_t dim, int64_t distance);
/// Each element plus all before it along a static dim.
mlir::Value cumulativeSum(OpMaker &maker, mlir::Value x, int64_t dim);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_SORTING_H
