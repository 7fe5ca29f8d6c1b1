//===- Pooling.h - one number for each window, for functions and modules -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_POOLING_H
#define DLC_FRONTENDS_CPP_API_POOLING_H

#include "dlc/nn/pooling.h"
#include "frontends/cpp/api/Window.h"

namespace dlc::detail {

using Windows = std::vector<Window>;

/// An operation of windows over all spatial dims.
Tensor poolWindows(const char *operation, const Tensor &x, const Windows &windows, const Where &where);

// `function` names itself in errors.
Tensor maxPool(const char *function, int64_t spatial, const Tensor &x, const nn::Sizes &kernel,
               const nn::MaxPoolOptions &options, const Where &where);
Tensor avgPool(const char *function, int64_t spatial, const Tensor &x, const nn::Sizes &kernel,
               const nn::AvgPoolOptions &options, const Where &where);
/// PyTorch's: the mean of what a window has of the image, times the size of a whole window. The gradient of a
/// window of zeros is zero.
Tensor lpPool(const char *function, int64_t spatial, const Tensor &x, double p, const nn::Sizes &kernel,
              const nn::LPPoolOptions &options, const Where &where);
Tensor adaptivePool(const char *function, int64_t spatial, bool isMax, const Tensor &x,
                    const nn::OutputSizes &sizes, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_POOLING_H
