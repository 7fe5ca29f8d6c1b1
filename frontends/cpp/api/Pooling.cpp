//===- Pooling.cpp - one number for each window --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Averages are sums over windows times constants; p-norms are roots of sums of powers.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Pooling.h"
#include "frontends/cpp/api/Text.h"

namespace dlc {

namespace detail {
using namespace nn;

static Windows windowsOf(const Image &image, const Sizes &kernelSize, const Sizes &stride,
                         const Sizes &padding, const Sizes &dilation, bool ceilMode, const Where &where) {
  int64_t spatial = int64_t(image.sizes.size());
  Numbers kernel = perDim("kernel_size", kernelSize, spatial, 1, where),
          strides = stride.each.empty() ? kernel : perDim("stride", stride, spatial, 1, where),
          low = perDim("padding", padding, spatial, 0, where),
          dilations = perDim("dilation", dilation, spatial, 1, where);
  Windows windows;
  for (int64_t i = 0; i < spatial; ++i) {
    if (low[i] > kernel[i] / 2)
      fail("padding: expected at most half of the kernel's " + std::to_string(kernel[i]) + ", got " +
               std::to_string(low[i]),
           where);
    windows.push_back({image.sizes[i], kernel[i], strides[i], low[i], low[i], dilations[i]});
    if (ceilMode)
      windows.back().roundUp();
  }
  return windows;
}

Tensor poolWindows(const char *operation, const Tensor &x, const Windows &windows, const Where &where) {
  Numbers kernel, strides, low, high, dilations;
  for (const Window &window : windows) {
    kernel.push_back(window.kernel);
    strides.push_back(window.stride);
    low.push_back(window.low);
    high.push_back(window.high);
    dilations.push_back(window.dilation);
  }
  return apply(
      operation, {x},
      {{"kernel", kernel}, {"strides", strides}, {"low", low}, {"high", high}, {"dilations", dilations}},
      where);
}

Tensor maxPool(const char *function, int64_t spatial, const Tensor &x, const Sizes &kernel,
               const MaxPoolOptions &options, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  Windows windows =
      windowsOf(image, kernel, options.stride, options.padding, options.dilation, options.ceil_mode, where);
  return image.give(poolWindows("nn.max_pool", image.x, windows, where), where);
}

/// 1 / how many positions each window covers, of the image or with `padding` of image and padding.
static Tensor reciprocalCounts(const Windows &windows, const Numbers *padding, DType dtype,
                               const Where &where) {
  Numbers shape{1, 1};
  std::vector<double> counts{1};
  for (size_t i = 0; i < windows.size(); ++i) {
    const Window &window = windows[i];
    int64_t more = padding ? (*padding)[i] : 0;
    shape.push_back(window.count());
    std::vector<double> next;
    for (double count : counts)
      for (int64_t o = 0; o < window.count(); ++o)
        next.push_back(count * double(window.covered(o, -more, window.size + more)));
    counts = std::move(next);
  }
  for (double &count : counts)
    count = 1 / count;
  return constant(counts, shape, dtype, where);
}

static Tensor average(const Image &image, const Sizes &kernel, const AvgPoolOptions &options,
                      const Where &where) {
  int64_t spatial = int64_t(image.sizes.size());
  Windows windows = windowsOf(image, kernel, options.stride, options.padding, 1, options.ceil_mode, where);
  Tensor sums = poolWindows("nn.sum_pool", image.x, windows, where);
  if (options.divisor_override) {
    if (*options.divisor_override == 0)
      fail("divisor_override: expected another number than 0", where);
    return sums / double(*options.divisor_override);
  }
  Numbers padding = perDim("padding", options.padding, spatial, 0, where);
  return sums *
         reciprocalCounts(windows, options.count_include_pad ? &padding : nullptr, sums.dtype(), where);
}

Tensor avgPool(const char *function, int64_t spatial, const Tensor &x, const Sizes &kernel,
               const AvgPoolOptions &options, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  return image.give(average(image, kernel, options, where), where);
}

Tensor lpPool(const char *function, int64_t spatial, const Tensor &x, double p, const Sizes &kernel,
              const LPPoolOptions &options, const Where &where) {
  At at(where);
  if (!(p > 0))
    fail(std::string(function) + ": expected a norm_type above 0, got " + pythonNumber(p), where);
  Image image(function, x, spatial, where);
  double elements = 1;
  for (int64_t size : perDim("kernel_size", kernel, spatial, 1, where))
    elements *= double(size);
  Tensor powers = p == 1 ? image.x : p == 2 ? image.x * image.x : image.x.pow(p);
  image.x = powers;
  Tensor sums =
      average(image, kernel, {.stride = options.stride, .ceil_mode = options.ceil_mode}, where) * elements;
  if (p == 1)
    return image.give(sums, where);
  Tensor isZero = sums == 0.0, base = sums.masked_fill(isZero, 1);
  return image.give((p == 2 ? base.sqrt() : base.pow(1 / p)).masked_fill(isZero, 0), where);
}

} // namespace detail

namespace nn {
using namespace detail;

namespace functional {

#define DLC_POOL(name, compute, Options, spatial)                                                            \
  Tensor name(const Tensor &x, Sizes kernel_size, Options options, Where where) {                            \
    return compute(#name, spatial, x, kernel_size, options, where);                                          \
  }
DLC_POOL(max_pool1d, maxPool, MaxPoolOptions, 1)
DLC_POOL(max_pool2d, maxPool, MaxPoolOptions, 2)
DLC_POOL(max_pool3d, maxPool, MaxPoolOptions, 3)
DLC_POOL(avg_pool1d, avgPool, AvgPoolOptions, 1)
DLC_POOL(avg_pool2d, avgPool, AvgPoolOptions, 2)
DLC_POOL(avg_pool3d, avgPool, AvgPoolOptions, 3)
#undef DLC_POOL

#define DLC_POOL(name, spatial)                                                                              \
  Tensor name(const Tensor &x, double norm_type, Sizes kernel_size, LPPoolOptions options, Where where) {    \
    return lpPool(#name, spatial, x, norm_type, kernel_size, options, where);                                \
  }
DLC_POOL(lp_pool1d, 1)
DLC_POOL(lp_pool2d, 2)
DLC_POOL(lp_pool3d, 3)
#undef DLC_POOL

} // namespace functional

} // namespace nn
} // namespace dlc
