//===- Window.h - windows that slide over images ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of windows along one spatial dim, of convolutions and of pooling: how many there are, and
// which positions of the image each covers. Numbers that overflow become the largest one.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_WINDOW_H
#define DLC_DIALECTS_NN_WINDOW_H

#include "dialects/nn/Dims.h"

namespace nn {

/// Kernels, strides, padding and dilations above this are refused: no image needs them, and products of such
/// numbers do not overflow.
constexpr int64_t largestWindow = int64_t(1) << 24;

/// The sizes of an image behind its batch and its channels.
inline llvm::ArrayRef<int64_t> spatialSizes(mlir::Value image) {
  return mlir::cast<mlir::RankedTensorType>(image.getType()).getShape().drop_front(2);
}

/// Windows along one dim: window `o` covers the positions o * stride - low + k * dilation, k in [0, kernel).
struct Window {
  int64_t kernel = 1, stride = 1, low = 0, high = 0, dilation = 1;

  /// Positions from a window's first to its last.
  int64_t span() const {
    return kernel == 0 ? 0 : saturatingAdd(saturatingMultiply(kernel - 1, dilation), 1);
  }
  /// The positions of an image of `size` positions and its padding.
  int64_t padded(int64_t size) const { return saturatingAdd(size, saturatingAdd(low, high)); }
  /// The number of windows over an image of `size` positions and its padding; 0 where not even one fits.
  int64_t count(int64_t size) const {
    int64_t rest = padded(size) - span();
    return rest < 0 ? 0 : rest / stride + 1;
  }
  /// How many positions of window `o` lie in [begin, end).
  int64_t covered(int64_t o, int64_t begin, int64_t end) const;
  /// The largest number of windows that have one position between their first and their last.
  int64_t overlap() const { return (span() + stride - 1) / stride; }
  bool isPadded() const { return low != 0 || high != 0; }
};

/// The windows of an operation along spatial dim `i`, where the kernel has `kernel` positions.
template <typename Op> Window windowOf(Op &op, unsigned i, int64_t kernel) {
  return {kernel, op.getStrides()[i], op.getLow()[i], op.getHigh()[i], op.getDilations()[i]};
}
template <typename Op> Window windowOf(Op &op, unsigned i) { return windowOf(op, i, op.getKernel()[i]); }

} // namespace nn

#endif // DLC_DIALECTS_NN_WINDOW_H
