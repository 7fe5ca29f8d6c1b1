//===- ConvModules.cpp - convolutions as modules -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/padding.h"
#include "frontends/cpp/api/Conv.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlc::nn {
using namespace detail;

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
  const double fanIn = std::accumulate(shape.begin() + 1, shape.end(), 1.0, std::multiplies<>());
  module.register_parameter("weight", kaimingUniformTensor(shape, fanIn, where), where);
  if (bias)
    module.register_parameter("bias", uniformTensor({out}, 1 / std::sqrt(fanIn), where), where);
}

/// ", NAME=(...)" where it is not the default everywhere.
static std::string unlessAll(const char *name, const Numbers &numbers, int64_t fallback) {
  bool isDefault = std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return n == fallback; });
  return isDefault ? "" : std::string(", ") + name + "=" + pythonTuple(numbers);
}

static std::string describeConv(int64_t in, int64_t out, const Numbers &kernel, const Numbers &stride) {
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
      describeConv(in_channels, out_channels, kernel, stride) +
      (given.padding.name.empty() ? unlessAll("padding", low, 0) : ", padding=" + given.padding.name) +
      unlessAll("dilation", dilation, 1) + describeRest(options.groups, options.bias, mode));
}

Tensor Convolution::computed(Tensor x) {
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
  set_description(describeConv(in_channels, out_channels, kernel, stride) + unlessAll("padding", padding, 0) +
                  unlessAll("dilation", dilation, 1) + unlessAll("output_padding", more, 0) +
                  describeRest(options.groups, options.bias));
}

Tensor TransposedConvolution::computed(Tensor x) {
  At at(caller());
  return transposeConvolve(
      type_name().c_str(), spatial, x, parameter("weight"), options.bias ? parameter("bias") : Tensor(),
      {options.stride, options.padding, options.output_padding, options.dilation, options.groups}, caller());
}

#define DLC_CONVOLUTION(Name, Base, Options, spatial)                                                        \
  Name::Name(int64_t in_channels, int64_t out_channels, Sizes kernel_size, Options options, Where where)     \
      : Base(spatial, in_channels, out_channels, kernel_size, options, where) {}                             \
  Name::~Name() = default;
DLC_CONVOLUTION(Conv1d, Convolution, ConvOptions, 1)
DLC_CONVOLUTION(Conv2d, Convolution, ConvOptions, 2)
DLC_CONVOLUTION(Conv3d, Convolution, ConvOptions, 3)
DLC_CONVOLUTION(ConvTranspose1d, TransposedConvolution, ConvTransposeOptions, 1)
DLC_CONVOLUTION(ConvTranspose2d, TransposedConvolution, ConvTransposeOptions, 2)
DLC_CONVOLUTION(ConvTranspose3d, TransposedConvolution, ConvTransposeOptions, 3)
#undef DLC_CONVOLUTION

} // namespace dlc::nn
