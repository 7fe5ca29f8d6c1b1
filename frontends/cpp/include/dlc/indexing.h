//===- dlc/indexing.h - dims and positions of tensors ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_INDEXING_H
#define DLC_INDEXING_H

#include "dlc/error.h"
#include <concepts>
#include <initializer_list>
#include <limits>

namespace dlc {

/// Dims by number: 1, or {0, 2}; for reductions, none means all.
class DLC_API Axes : public std::vector<int64_t> {
public:
  /// None.
  Axes();
  /// One dim.
  /*implicit*/ Axes(std::integral auto axis) : Axes({int64_t(axis)}) {}
  /// Several dims.
  Axes(std::initializer_list<int64_t> axes);
  /// Several dims.
  /*implicit*/ Axes(std::vector<int64_t> axes);
  /// Copies.
  ///@{
  Axes(const Axes &);
  Axes(Axes &&) noexcept;
  Axes &operator=(const Axes &);
  Axes &operator=(Axes &&) noexcept;
  ~Axes();
  ///@}
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
class Tensor;

/// One dim of Tensor::index() or of x[...]: a position, which drops the dim, a slice, Ellipsis, None, or a
/// tensor: a mask of truth values, or positions.
class DLC_API Index {
public:
  /// What it is.
  enum class Kind { Position, Slice, Ellipsis, None, Tensor };
  /// A position; counted from the end where it is negative.
  /*implicit*/ Index(std::integral auto position) : kind(Kind::Position), part{int64_t(position)} {}
  /// A part of the dim.
  /*implicit*/ Index(Slice part) : kind(Kind::Slice), part(part) {}
  /// All dims that other indices do not name.
  /*implicit*/ Index(EllipsisIndex) : kind(Kind::Ellipsis) {}
  /// A new dim.
  /*implicit*/ Index(NoneIndex) : kind(Kind::None) {}
  /// A mask of the shape of the dims that it stands for, whose true places are taken; or positions, integers
  /// of any shape, which takes the place of the dim.
  /*implicit*/ Index(const Tensor &tensor);

  Kind kind;           ///< what it is
  Slice part{};        ///< a slice; its start is a position
  uint32_t tensor = 0; ///< the number of a tensor
};

/// What stands in x[...], with the line: the brackets have no other place for it.
class DLC_API Indices {
public:
  /// One: x[0], x[Slice(0, 2)], x[mask].
  template <typename T>
    requires std::constructible_from<Index, const T &>
  /*implicit*/ Indices(const T &index, Where where = Where::current()) : Indices({Index(index)}, where) {}
  /// Several: x[{Slice(), 1}].
  /*implicit*/ Indices(std::initializer_list<Index> indices, Where where = Where::current());
  /// Copies.
  ///@{
  Indices(const Indices &);
  Indices(Indices &&) noexcept;
  ~Indices();
  ///@}

  std::vector<Index> each; ///< in order
  Where where;             ///< the line
};

} // namespace dlc

#endif // DLC_INDEXING_H
