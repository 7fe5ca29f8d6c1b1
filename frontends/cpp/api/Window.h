//===- Window.h - windows over images -----------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_WINDOW_H
#define DLC_FRONTENDS_CPP_API_WINDOW_H

#include "dlc/nn/sizes.h"
#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

using Numbers = std::vector<int64_t>;

/// One number of at least `least` for each of `spatial` dims.
Numbers perDim(const char *name, const nn::Sizes &sizes, int64_t spatial, int64_t least, const Where &where);

/// An image with a batch, where it may have had none.
struct Image {
  Tensor x;
  bool isAlone;  ///< it had no batch
  Numbers sizes; ///< of its spatial dims

  /// `function` names itself in errors.
  Image(const char *function, const Tensor &x, int64_t spatial, const Where &where);
  /// A result without the batch that was added.
  Tensor give(const Tensor &y, const Where &where) const { return isAlone ? y.squeeze(0, where) : y; }
};

/// Windows along one spatial dim: window `o` covers the positions o * stride - low + k * dilation.
struct Window {
  int64_t size, kernel, stride, low, high, dilation;

  int64_t span() const { return (kernel - 1) * dilation + 1; }
  int64_t count() const { return (low + size + high - span()) / stride + 1; }
  /// ceil_mode: a last window counts that begins in the image or in the padding before it, and may end
  /// beyond all padding.
  void roundUp();
  /// How many positions from `begin` to `end` window `o` covers.
  int64_t covered(int64_t o, int64_t begin, int64_t end) const;
};

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_WINDOW_H
