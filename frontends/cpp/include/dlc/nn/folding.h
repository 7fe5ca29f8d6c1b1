//===- dlc/nn/folding.h - windows of images as columns, and back ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_FOLDING_H
#define DLC_NN_FOLDING_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

struct FoldOptions {
  Sizes dilation = 1, padding = 0, stride = 1;
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

class DLC_API Unfold : public Module {
public:
  explicit Unfold(Sizes kernel_size, FoldOptions options = {}, Where where = Where::current());
  Tensor forward(Tensor x) override { return functional::unfold(x, kernel, options, caller()); }

private:
  Sizes kernel;
  FoldOptions options;
};

class DLC_API Fold : public Module {
public:
  Fold(Sizes output_size, Sizes kernel_size, FoldOptions options = {}, Where where = Where::current());
  Tensor forward(Tensor x) override { return functional::fold(x, size, kernel, options, caller()); }

private:
  Sizes size, kernel;
  FoldOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_FOLDING_H
