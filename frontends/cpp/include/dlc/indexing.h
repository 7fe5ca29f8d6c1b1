//===- dlc/indexing.h - dims and positions of tensors ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_INDEXING_H
#define DLC_INDEXING_H

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <variant>
#include <vector>

namespace dlc {

/// Dims by number: 1, or {0, 2}; for reductions, none means all.
class Axes : public std::vector<int64_t> {
public:
  /// None.
  Axes() = default;
  /// One dim.
  /*implicit*/ Axes(std::integral auto axis) : std::vector<int64_t>{int64_t(axis)} {}
  /// Several dims.
  Axes(std::initializer_list<int64_t> axes) : std::vector<int64_t>(axes) {}
  /// Several dims.
  /*implicit*/ Axes(std::vector<int64_t> axes) : std::vector<int64_t>(std::move(axes)) {}
};

/// A part of a dim, as Python's start:stop:step.
struct Slice {
  static constexpr int64_t end = std::numeric_limits<int64_t>::max(); ///< as a stop: up to the last element
  int64_t start = 0;  ///< the first position; counted from the end where it is negative
  int64_t stop = end; ///< the position behind the last one; likewise
  int64_t step = 1;   ///< at least 1
};
/// In Tensor::index(): all dims that other indices do not name, as Python's `...`.
struct EllipsisIndex {};
inline constexpr EllipsisIndex Ellipsis{}; ///< the one that is written
/// In Tensor::index(): a new dim of size 1, as Python's `None`.
struct NoneIndex {};
inline constexpr NoneIndex None{}; ///< the one that is written
/// One dim of Tensor::index(): a position, which drops the dim, a slice, Ellipsis or None.
using Index = std::variant<int64_t, Slice, EllipsisIndex, NoneIndex>;

} // namespace dlc

#endif // DLC_INDEXING_H
