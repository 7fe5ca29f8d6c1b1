//===- Conv.cpp - convolutions ------------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/conv.h"
#include "dlc/nn/padding.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include "frontends/cpp/api/Window.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlc::nn {
using namespace detail;

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

/// Elements before and after the image along each dim.
static std::pair<Numbers, Numbers> paddingOf(const Padding &padding, const Numbers &kernel,
                                             const Numbers &stride, const Numbers &dilation,
                                             const Where &where) {
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

static Tensor convolve(const char *function, int64_t spatial, const Tensor &x, const Tensor &weight,
                       const Tensor &bias, const functional::ConvOptions &options, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  Numbers kernel = kernelOf(function, weight, spatial, where),
          stride = perDim("stride", options.stride, spatial, 1, where),
          dilation = perDim("dilation", options.dilation, spatial, 1, where);
  auto [low, high] = paddingOf(options.padding, kernel, stride, dilation, where);
  Tensor y = apply("nn.conv", {image.x, weight},
                   {{"strides", stride},
                    {"dilations", dilation},
                    {"low", low},
                    {"high", high},
                    {"groups", options.groups}},
                   where);
  return image.give(addBias(y, bias, where), where);
}

/// What no window writes, at the end, is 0.
static Tensor transposeConvolve(const char *function, int64_t spatial, const Tensor &x, const Tensor &weight,
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
  for (int64_t i = 0; i < spatial; ++i) {
    if (more[i] >= std::max(stride[i], dilation[i]))
      fail("output_padding: expected less than the stride or the dilation, got " + std::to_string(more[i]),
           where);
    int64_t written = (image.sizes[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1,
            output = written + more[i] - 2 * low[i];
    size[i] = std::min(output, written - low[i]);
    if (image.sizes[i] < 1 || size[i] < 1)
      fail(std::string(function) + ": expected a result of at least 1 element along each spatial dim, got " +
               std::to_string(output) + " for an image of shape " + str(x.shape()),
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

//===-- Modules --------------------------------------------------------------------------===//

static int64_t product(const Numbers &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t(1), std::multiplies<>());
}

static void checkChannels(int64_t in, int64_t out, int64_t groups, const Where &where) {
  requirePositive("in_channels", in, where);
  requirePositive("out_channels", out, where);
  requirePositive("groups", groups, where);
  if (in % groups || out % groups)
    fail("groups: expected a divisor of " + std::to_string(in) + " in_channels and " + std::to_string(out) +
             " out_channels, got " + std::to_string(groups),
         where);
}

/// Registers weight and bias with PyTorch's initial values.
static void registerConvolution(Module &module, Numbers shape, int64_t out, bool bias, const Where &where) {
  int64_t fanIn = product(shape) / shape[0];
  module.register_parameter("weight", kaimingUniformTensor(shape, fanIn, where), where);
  if (bias)
    module.register_parameter("bias", uniformTensor({out}, 1 / std::sqrt(double(fanIn)), where), where);
}

/// ", NAME=(...)" where it is not the default everywhere.
static std::string unlessAll(const char *name, const Numbers &numbers, int64_t fallback) {
  bool isDefault = std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return n == fallback; });
  return isDefault ? "" : std::string(", ") + name + "=" + pythonTuple(numbers);
}

static std::string describe(int64_t in, int64_t out, const Numbers &kernel, const Numbers &stride) {
  return std::to_string(in) + ", " + std::to_string(out) + ", kernel_size=" + pythonTuple(kernel) +
         ", stride=" + pythonTuple(stride);
}

static std::string describeRest(int64_t groups, bool bias, const std::string &mode = "zeros") {
  return (groups == 1 ? "" : ", groups=" + std::to_string(groups)) + (bias ? "" : ", bias=False") +
         (mode == "zeros" ? "" : ", padding_mode=" + mode);
}

Convolution::Convolution(int64_t spatial, int64_t in_channels, int64_t out_channels, const Sizes &kernel_size,
                         const ConvOptions &given, const Where &where)
    : spatial(spatial), options(given) {
  At at(where);
  checkChannels(in_channels, out_channels, options.groups, where);
  Numbers kernel = perDim("kernel_size", kernel_size, spatial, 1, where),
          stride = perDim("stride", options.stride, spatial, 1, where),
          dilation = perDim("dilation", options.dilation, spatial, 1, where);
  auto [low, high] = paddingOf(options.padding, kernel, stride, dilation, where);
  std::string mode = options.padding_mode;
  if (mode != "zeros") {
    if (mode != "reflect" && mode != "replicate" && mode != "circular")
      fail("padding_mode: expected zeros, reflect, replicate or circular, got '" + mode + "'", where);
    for (int64_t i = spatial - 1; i >= 0; --i)
      around.insert(around.end(), {low[i], high[i]});
    options.padding = 0;
  }
  Numbers shape{out_channels, in_channels / options.groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  registerConvolution(*this, shape, out_channels, options.bias, where);
  set_description(
      describe(in_channels, out_channels, kernel, stride) +
      (given.padding.name.empty() ? unlessAll("padding", low, 0) : ", padding=" + given.padding.name) +
      unlessAll("dilation", dilation, 1) + describeRest(options.groups, options.bias, mode));
}

Tensor Convolution::forward(Tensor x) {
  At at(caller());
  if (!around.empty())
    x = functional::pad(x, around, options.padding_mode);
  return convolve(type_name().c_str(), spatial, x, parameter("weight"),
                  options.bias ? parameter("bias") : Tensor(),
                  {options.stride, options.padding, options.dilation, options.groups}, caller());
}

TransposedConvolution::TransposedConvolution(int64_t spatial, int64_t in_channels, int64_t out_channels,
                                             const Sizes &kernel_size, const ConvTransposeOptions &options,
                                             const Where &where)
    : spatial(spatial), options(options) {
  At at(where);
  checkChannels(in_channels, out_channels, options.groups, where);
  Numbers kernel = perDim("kernel_size", kernel_size, spatial, 1, where),
          stride = perDim("stride", options.stride, spatial, 1, where),
          dilation = perDim("dilation", options.dilation, spatial, 1, where),
          padding = perDim("padding", options.padding, spatial, 0, where),
          more = perDim("output_padding", options.output_padding, spatial, 0, where);
  Numbers shape{in_channels, out_channels / options.groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  registerConvolution(*this, shape, out_channels, options.bias, where);
  set_description(describe(in_channels, out_channels, kernel, stride) + unlessAll("padding", padding, 0) +
                  unlessAll("dilation", dilation, 1) + unlessAll("output_padding", more, 0) +
                  describeRest(options.groups, options.bias));
}

Tensor TransposedConvolution::forward(Tensor x) {
  At at(caller());
  return transposeConvolve(
      type_name().c_str(), spatial, x, parameter("weight"), options.bias ? parameter("bias") : Tensor(),
      {options.stride, options.padding, options.output_padding, options.dilation, options.groups}, caller());
}

} // namespace dlc::nn
