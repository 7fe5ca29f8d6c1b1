//===- PoolingModules.cpp - pooling as modules -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Pooling.h"
#include "frontends/cpp/api/Text.h"

namespace dlc::nn {
using namespace detail;

static const Sizes &strideOf(const Sizes &stride, const Sizes &kernel) {
  return stride.each.empty() ? kernel : stride;
}

MaxPooling::MaxPooling(int64_t spatial, const Sizes &kernel_size, const MaxPoolOptions &options,
                       const Where &where)
    : spatial(spatial), kernel(kernel_size), options(options) {
  perDim("kernel_size", kernel, spatial, 1, where);
  set_description(
      "kernel_size=" + pythonSizes(kernel) + ", stride=" + pythonSizes(strideOf(options.stride, kernel)) +
      ", padding=" + pythonSizes(options.padding) + ", dilation=" + pythonSizes(options.dilation) +
      ", ceil_mode=" + pythonBool(options.ceil_mode));
}
Tensor MaxPooling::computed(Tensor x) {
  return maxPool(type_name().c_str(), spatial, x, kernel, options, caller());
}

AvgPooling::AvgPooling(int64_t spatial, const Sizes &kernel_size, const AvgPoolOptions &options,
                       const Where &where)
    : spatial(spatial), kernel(kernel_size), options(options) {
  perDim("kernel_size", kernel, spatial, 1, where);
  auto text = [&](Sizes sizes) { // PyTorch makes a tuple of the one dim's numbers
    sizes.isList |= spatial == 1;
    return pythonSizes(sizes);
  };
  set_description("kernel_size=" + text(kernel) + ", stride=" + text(strideOf(options.stride, kernel)) +
                  ", padding=" + text(options.padding));
}
Tensor AvgPooling::computed(Tensor x) {
  return avgPool(type_name().c_str(), spatial, x, kernel, options, caller());
}

LPPooling::LPPooling(int64_t spatial, double norm_type, const Sizes &kernel_size,
                     const LPPoolOptions &options, const Where &where)
    : spatial(spatial), p(norm_type), kernel(kernel_size), options(options) {
  perDim("kernel_size", kernel, spatial, 1, where);
  set_description("norm_type=" + formatted(p, 'g', 6) + ", kernel_size=" + pythonSizes(kernel) +
                  ", stride=" + pythonSizes(options.stride) + ", ceil_mode=" + pythonBool(options.ceil_mode));
}
Tensor LPPooling::computed(Tensor x) {
  return lpPool(type_name().c_str(), spatial, x, p, kernel, options, caller());
}

AdaptivePooling::AdaptivePooling(int64_t spatial, bool isMax, const OutputSizes &output_size, const Where &)
    : spatial(spatial), isMax(isMax), sizes(output_size) {
  auto text = [](std::optional<int64_t> size) { return size ? std::to_string(*size) : "None"; };
  std::string list;
  for (size_t i = 0; i < sizes.each.size(); ++i)
    list += (i ? ", " : "") + text(sizes.each[i]);
  if (sizes.isList)
    list = "(" + list + (sizes.each.size() == 1 ? ",)" : ")");
  set_description("output_size=" + list);
}
Tensor AdaptivePooling::computed(Tensor x) {
  return adaptivePool(type_name().c_str(), spatial, isMax, x, sizes, caller());
}

#define DLC_POOL(Name, Base, Options, spatial)                                                               \
  Name::Name(Sizes kernel_size, Options options, Where where)                                                \
      : Base(spatial, kernel_size, options, where) {}                                                        \
  Name::~Name() = default;
DLC_POOL(MaxPool1d, MaxPooling, MaxPoolOptions, 1)
DLC_POOL(MaxPool2d, MaxPooling, MaxPoolOptions, 2)
DLC_POOL(MaxPool3d, MaxPooling, MaxPoolOptions, 3)
DLC_POOL(AvgPool1d, AvgPooling, AvgPoolOptions, 1)
DLC_POOL(AvgPool2d, AvgPooling, AvgPoolOptions, 2)
DLC_POOL(AvgPool3d, AvgPooling, AvgPoolOptions, 3)
#undef DLC_POOL

#define DLC_POOL(Name, spatial)                                                                              \
  Name::Name(double norm_type, Sizes kernel_size, LPPoolOptions options, Where where)                        \
      : LPPooling(spatial, norm_type, kernel_size, options, where) {}                                        \
  Name::~Name() = default;
DLC_POOL(LPPool1d, 1)
DLC_POOL(LPPool2d, 2)
DLC_POOL(LPPool3d, 3)
#undef DLC_POOL

#define DLC_POOL(Name, spatial, isMax)                                                                       \
  Name::Name(OutputSizes output_size, Where where) : AdaptivePooling(spatial, isMax, output_size, where) {}  \
  Name::~Name() = default;
DLC_POOL(AdaptiveMaxPool1d, 1, true)
DLC_POOL(AdaptiveMaxPool2d, 2, true)
DLC_POOL(AdaptiveMaxPool3d, 3, true)
DLC_POOL(AdaptiveAvgPool1d, 1, false)
DLC_POOL(AdaptiveAvgPool2d, 2, false)
DLC_POOL(AdaptiveAvgPool3d, 3, false)
#undef DLC_POOL

} // namespace dlc::nn
