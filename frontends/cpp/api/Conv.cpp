//===- Conv.cpp - convolutions ------------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Conv.h"
#include <algorithm>

namespace dlc {

namespace detail {
using namespace nn;

static Tensor addBias(const Tensor &y, const Tensor &bias, const Where &where) {
  if (!bias.defined())
    return y;
  Shape column(y.dim() - 1, Dim(1));
  column[0] = y.size(1);
  if (bias.shape() != Shape{column[0]})
    fail("expected a bias for the " + column[0].str() + " channels of the result, got one of shape " +
             str(bias.shape()),
         where);
  return y + bias.reshape(column, where);
}

/// The sizes of the weight's kernel.
static Numbers kernelOf(const char *function, const Tensor &weight, int64_t spatial, const Where &where) {
  if (weight.dim() != spatial + 2)
    fail(std::string(function) + ": expected a weight of " + std::to_string(spatial + 2) + " dims, got " +
             str(weight.shape()),
         where);
  Numbers kernel;
  for (int64_t i = 0; i < spatial; ++i)
    kernel.push_back(weight.size(i + 2, where).value());
  return kernel;
}

std::pair<Numbers, Numbers> paddingOf(const Padding &padding, const Numbers &kernel, const Numbers &stride,
                                      const Numbers &dilation, const Where &where) {
  size_t spatial = kernel.size();
  if (padding.name.empty()) {
    Numbers each = perDim("padding", padding, int64_t(spatial), 0, where);
    return {each, each};
  }
  if (padding.name != "same" && padding.name != "valid")
    fail("padding: expected numbers, \"same\" or \"valid\", got \"" + padding.name + "\"", where);
  Numbers low(spatial, 0), high(spatial, 0);
  for (size_t i = 0; i < spatial && padding.name == "same"; ++i) {
    if (stride[i] != 1)
      fail("padding: \"same\" needs a stride of 1, got " + std::to_string(stride[i]), where);
    int64_t total = dilation[i] * (kernel[i] - 1);
    low[i] = total / 2;
    high[i] = total - low[i];
  }
  return {low, high};
}

/// Where the weight's channels are few enough to be multiplied by `groups`; the operation checks the rest.
static void requireChannels(const char *function, const Image &image, int64_t channels, int64_t groups,
                            const Where &where) {
  if (groups < 1 || groups > 1 << 20 || image.x.size(1) == Dim(channels * groups))
    return;
  fail(std::string(function) + ": expected an image of " + std::to_string(channels * groups) +
           " channels, which are dim " + (image.isAlone ? "0" : "1") + ", got " +
           describe(image.isAlone ? image.x.squeeze(0) : image.x),
       where);
}

Tensor convolve(const char *function, int64_t spatial, const Tensor &x, const Tensor &weight,
                const Tensor &bias, const functional::ConvOptions &options, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  Numbers kernel = kernelOf(function, weight, spatial, where),
          stride = perDim("stride", options.stride, spatial, 1, where),
          dilation = perDim("dilation", options.dilation, spatial, 1, where);
  auto [low, high] = paddingOf(options.padding, kernel, stride, dilation, where);
  requireChannels(function, image, weight.size(1).factor, options.groups, where);
  Tensor y = apply("nn.conv", {image.x, weight},
                   {{"strides", stride},
                    {"dilations", dilation},
                    {"low", low},
                    {"high", high},
                    {"groups", options.groups}},
                   where);
  return image.give(addBias(y, bias, where), where);
}

Tensor transposeConvolve(const char *function, int64_t spatial, const Tensor &x, const Tensor &weight,
                         const Tensor &bias, const functional::ConvTransposeOptions &options,
                         const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  Numbers kernel = kernelOf(function, weight, spatial, where),
          stride = perDim("stride", options.stride, spatial, 1, where),
          dilation = perDim("dilation", options.dilation, spatial, 1, where),
          low = perDim("padding", options.padding, spatial, 0, where),
          more = perDim("output_padding", options.output_padding, spatial, 0, where), high = low, size = low,
          behind = low;
  requireChannels(function, image, weight.size(0).factor, 1, where);
  for (int64_t i = 0; i < spatial; ++i) {
    if (more[i] >= std::max(stride[i], dilation[i]))
      fail("output_padding: expected less than the stride or the dilation, got " + std::to_string(more[i]),
           where);
    int64_t written = (image.sizes[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1,
            output = written + more[i] - 2 * low[i];
    size[i] = std::min(output, written - low[i]);
    if (image.sizes[i] < 1 || size[i] < 1)
      fail(std::string(function) + ": expected a result of at least 1 element along each spatial dim, got " +
               std::to_string(output) + " for an image of shape " + str(x.shape()) + " (kernel " +
               std::to_string(kernel[i]) + ", stride " + std::to_string(stride[i]) + ", padding " +
               std::to_string(low[i]) + ", output_padding " + std::to_string(more[i]) +
               "): less padding, or a larger kernel or image, would make it fit",
           where);
    high[i] = written - low[i] - size[i];
    behind[i] = output - size[i];
  }
  Tensor y = apply("nn.conv_transpose", {image.x, weight},
                   {{"strides", stride},
                    {"dilations", dilation},
                    {"low", low},
                    {"high", high},
                    {"groups", options.groups},
                    {"size", size}},
                   where);
  if (std::any_of(behind.begin(), behind.end(), [](int64_t count) { return count != 0; }))
    y = dlc::pad(y, Numbers(spatial, 0), behind, 0, where);
  return image.give(addBias(y, bias, where), where);
}

} // namespace detail

namespace nn {
using namespace detail;

namespace functional {

#define DLC_CONVOLUTION(name, compute, Options, spatial)                                                     \
  Tensor name(const Tensor &x, const Tensor &weight, const Tensor &bias, Options options, Where where) {     \
    return compute(#name, spatial, x, weight, bias, options, where);                                         \
  }
DLC_CONVOLUTION(conv1d, convolve, ConvOptions, 1)
DLC_CONVOLUTION(conv2d, convolve, ConvOptions, 2)
DLC_CONVOLUTION(conv3d, convolve, ConvOptions, 3)
DLC_CONVOLUTION(conv_transpose1d, transposeConvolve, ConvTransposeOptions, 1)
DLC_CONVOLUTION(conv_transpose2d, transposeConvolve, ConvTransposeOptions, 2)
DLC_CONVOLUTION(conv_transpose3d, transposeConvolve, ConvTransposeOptions, 3)
#undef DLC_CONVOLUTION

} // namespace functional

} // namespace nn
} // namespace dlc
