//===- dlc/nn/sizes.h - numbers for each dim of an image ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_SIZES_H
#define DLC_NN_SIZES_H

#include "dlc/nn/module.h"

namespace dlc::nn {

/// One number for all spatial dims, or one for each: 3, or {3, 5}. Without any, what the place says.
struct DLC_API Sizes {
  /// None.
  Sizes();
  /// One for all dims.
  /*implicit*/ Sizes(std::integral auto size) : Sizes({int64_t(size)}) { isList = false; }
  /// One for each.
  /*implicit*/ Sizes(std::initializer_list<int64_t> sizes);
  /// One for each.
  /*implicit*/ Sizes(std::vector<int64_t> sizes);
  /// Copies.
  ///@{
  Sizes(const Sizes &);
  Sizes(Sizes &&) noexcept;
  Sizes &operator=(const Sizes &);
  Sizes &operator=(Sizes &&) noexcept;
  ~Sizes();
  ///@}

  std::vector<int64_t> each; ///< the numbers
  bool isList = false;       ///< whether there is one for each dim
};

/// Padding on both sides of each spatial dim: numbers, "valid" (none), or "same" (as many windows as the
/// image has elements).
struct DLC_API Padding : Sizes {
  /// None.
  Padding();
  /// One for all dims.
  /*implicit*/ Padding(std::integral auto size) : Padding({int64_t(size)}) { isList = false; }
  /// One for each.
  /*implicit*/ Padding(std::initializer_list<int64_t> sizes);
  /// One for each.
  /*implicit*/ Padding(std::vector<int64_t> sizes);
  /// "valid" or "same".
  /*implicit*/ Padding(const char *name);
  /// Copies.
  ///@{
  Padding(const Padding &);
  Padding(Padding &&) noexcept;
  Padding &operator=(const Padding &);
  Padding &operator=(Padding &&) noexcept;
  ~Padding();
  ///@}

  std::string name; ///< "" where there are numbers
};

/// Sizes of results, of which some may be those of the operand: 7, {7, 5}, {std::nullopt, 7}.
struct DLC_API OutputSizes {
  /// One for all dims.
  /*implicit*/ OutputSizes(std::integral auto size) : OutputSizes({int64_t(size)}) { isList = false; }
  /// One for each.
  /*implicit*/ OutputSizes(std::initializer_list<std::optional<int64_t>> sizes);
  /// Copies.
  ///@{
  OutputSizes(const OutputSizes &);
  OutputSizes(OutputSizes &&) noexcept;
  OutputSizes &operator=(const OutputSizes &);
  OutputSizes &operator=(OutputSizes &&) noexcept;
  ~OutputSizes();
  ///@}

  std::vector<std::optional<int64_t>> each; ///< the numbers
  bool isList = false;                      ///< whether there is one for each dim
};

} // namespace dlc::nn

#endif // DLC_NN_SIZES_H
