//===- Conv.h - convolutions, for functions and modules ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_CONV_H
#define DLC_FRONTENDS_CPP_API_CONV_H

#include "dlc/nn/conv.h"
#include "frontends/cpp/api/Window.h"

namespace dlc::detail {

/// Elements before and after the image along each dim.
std::pair<Numbers, Numbers> paddingOf(const nn::Padding &padding, const Numbers &kernel,
                                      const Numbers &stride, const Numbers &dilation, const Where &where);

// `function` names itself in errors.
Tensor convolve(const char *function, int64_t spatial, const Tensor &x, const Tensor &weight,
                const Tensor &bias, const nn::functional::ConvOptions &options, const Where &where);
/// What no window writes, at the end, is 0.
Tensor transposeConvolve(const char *function, int64_t spatial, const Tensor &x, const Tensor &weight,
                         const Tensor &bias, const nn::functional::ConvTransposeOptions &options,
                         const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_CONV_H
