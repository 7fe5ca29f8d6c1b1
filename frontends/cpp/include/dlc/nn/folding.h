//===- dlc/nn/folding.h - windows of images as columns, and back ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_FOLDING_H
#define DLC_NN_FOLDING_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

/// How a window moves, as that of a convolution does.
struct FoldOptions {
  Sizes dilation = 1; ///< elements from one of a window's to the next
  Sizes padding = 0;  ///< zeros on both sides
  Sizes stride = 1;   ///< elements from one window to the next
};

namespace functional {
/// The windows of x [batch, channels, height, width], or without a batch: [batch, channels * kernel,
/// windows].
DLC_API Tensor unfold(const Tensor &x, Sizes kernel_size, FoldOptions options = {},
                      Where where = Where::current());
/// The image whose elements are the sums of what such columns have of them: its gradient is unfold, and the
/// other way round.
DLC_API Tensor fold(const Tensor &x, Sizes output_size, Sizes kernel_size, FoldOptions options = {},
                    Where where = Where::current());
} // namespace functional

/// functional::unfold() as a module.
class DLC_API Unfold : public Layer {
public:
  explicit Unfold(Sizes kernel_size, FoldOptions options = {}, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  Sizes kernel;
  FoldOptions options;
};

/// functional::fold() as a module.
class DLC_API Fold : public Layer {
public:
  Fold(Sizes output_size, Sizes kernel_size, FoldOptions options = {}, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  Sizes size, kernel;
  FoldOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_FOLDING_H
