//===- Conv.h - how a window moves over an image ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_CONV_H
#define DLC_DIALECTS_NN_CONV_H

#include "dialects/nn/Dims.h"

namespace nn {

/// A window along one spatial dim of an image. Sizes that overflow become the largest number.
struct ConvWindow {
  int64_t kernel, stride, dilation, low, high;

  /// From the window's first element to its last.
  int64_t length() const {
    return kernel == 0 ? 0 : saturatingAdd(saturatingMultiply(kernel - 1, dilation), 1);
  }
  /// The image with its padding.
  int64_t padded(int64_t size) const { return saturatingAdd(size, saturatingAdd(low, high)); }
  /// How many positions there are in an image of `size` elements, into which the window must fit.
  int64_t positions(int64_t size) const { return (padded(size) - length()) / stride + 1; }
};

/// The window of a convolution (or of one of its gradients) along spatial dim `i`.
template <typename Op> ConvWindow convWindowOf(Op op, unsigned i, int64_t kernel) {
  return {kernel, op.getStrides()[i], op.getDilations()[i], op.getLow()[i], op.getHigh()[i]};
}

} // namespace nn

#endif // DLC_DIALECTS_NN_CONV_H
