//===- Pooling.cpp - one number for each window --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Averages are sums over windows times constants; p-norms are roots of sums of powers.
//===----------------------------------------------------------------------===//
#include "dlc/nn/pooling.h"
#include "frontends/cpp/api/Text.h"
#include "frontends/cpp/api/Window.h"
#include <cstdio>

namespace dlc::nn {
using namespace detail;

using Windows = std::vector<Window>;

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

static Tensor pool(const char *operation, const Tensor &x, const Windows &windows, const Where &where) {
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

static Tensor maxPool(const char *function, int64_t spatial, const Tensor &x, const Sizes &kernel,
                      const MaxPoolOptions &options, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  Windows windows =
      windowsOf(image, kernel, options.stride, options.padding, options.dilation, options.ceil_mode, where);
  return image.give(pool("nn.max_pool", image.x, windows, where), where);
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
  Tensor sums = pool("nn.sum_pool", image.x, windows, where);
  if (options.divisor_override) {
    if (*options.divisor_override == 0)
      fail("divisor_override: expected another number than 0", where);
    return sums / double(*options.divisor_override);
  }
  Numbers padding = perDim("padding", options.padding, spatial, 0, where);
  return sums *
         reciprocalCounts(windows, options.count_include_pad ? &padding : nullptr, sums.dtype(), where);
}

static Tensor avgPool(const char *function, int64_t spatial, const Tensor &x, const Sizes &kernel,
                      const AvgPoolOptions &options, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  return image.give(average(image, kernel, options, where), where);
}

/// PyTorch's: the mean of what a window has of the image, times the size of a whole window. The gradient of a
/// window of zeros is zero.
static Tensor lpPool(const char *function, int64_t spatial, const Tensor &x, double p, const Sizes &kernel,
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

//===-- Adaptive ---------------------------------------------------------------------------===//

/// Window `o` of `count` over `size` elements.
static std::pair<int64_t, int64_t> adaptiveWindow(int64_t o, int64_t count, int64_t size) {
  return {o * size / count, ((o + 1) * size + count - 1) / count};
}

/// Along one dim: the sum over the elements that each window has, times their share.
static Tensor averageAlong(const Tensor &x, int64_t dim, int64_t size, int64_t count, const Where &where) {
  int64_t taps = 1;
  for (int64_t o = 0; o < count; ++o) {
    auto [begin, end] = adaptiveWindow(o, count, size);
    taps = std::max(taps, end - begin);
  }
  Numbers positions(taps * count, 0);
  std::vector<double> weights(taps * count, 0);
  for (int64_t o = 0; o < count; ++o) {
    auto [begin, end] = adaptiveWindow(o, count, size);
    for (int64_t i = begin; i < end; ++i) {
      positions[(i - begin) * count + o] = i;
      weights[(i - begin) * count + o] = 1 / double(end - begin);
    }
  }
  return apply("nn.resample", {x},
               {{"axis", dim}, {"taps", taps}, {"positions", positions}, {"weights", weights}}, where);
}

/// Along one dim: windows of one size, where shorter ones have their first element twice. Of equal largest
/// elements the first gets the gradient.
static Tensor largestAlong(const Tensor &x, int64_t dim, int64_t size, int64_t count, const Where &where) {
  int64_t taps = 1;
  for (int64_t o = 0; o < count; ++o) {
    auto [begin, end] = adaptiveWindow(o, count, size);
    taps = std::max(taps, end - begin);
  }
  std::vector<double> positions;
  for (int64_t o = 0; o < count; ++o) {
    auto [begin, end] = adaptiveWindow(o, count, size);
    for (int64_t t = 0; t < taps; ++t)
      positions.push_back(double(begin + t < end ? begin + t : begin));
  }
  Tensor elements = slicesAt(x, constant(positions, {taps * count}, int64, where), dim, std::nullopt, where);
  Windows windows;
  for (int64_t i = 2; i < x.dim(); ++i)
    windows.push_back({i == dim ? taps * count : elements.size(i).value(), i == dim ? taps : 1,
                       i == dim ? taps : 1, 0, 0, 1});
  return pool("nn.max_pool", elements, windows, where);
}

static Tensor adaptivePool(const char *function, int64_t spatial, bool isMax, const Tensor &x,
                           const OutputSizes &given, const Where &where) {
  At at(where);
  Image image(function, x, spatial, where);
  if (given.each.size() != 1 && int64_t(given.each.size()) != spatial)
    fail("output_size: expected one number, or one for each of " + std::to_string(spatial) +
             " spatial dims, got " + std::to_string(given.each.size()),
         where);
  Numbers counts;
  bool isRegular = true, isGlobal = true;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t size = image.sizes[i], count = given.each[given.each.size() == 1 ? 0 : i].value_or(size);
    if (count < 1 || size < 1)
      fail("output_size: expected sizes above 0 before and after, got " + std::to_string(size) + " and " +
               std::to_string(count),
           where);
    counts.push_back(count);
    isRegular &= size % count == 0;
    isGlobal &= count == 1;
  }
  Tensor y = image.x;
  if (isGlobal && !isMax) {
    Axes axes;
    for (int64_t i = 0; i < spatial; ++i)
      axes.push_back(i + 2);
    return image.give(y.mean(axes, /*keepdim=*/true), where);
  }
  if (isRegular) {
    Numbers kernel;
    for (int64_t i = 0; i < spatial; ++i)
      kernel.push_back(image.sizes[i] / counts[i]);
    return isMax ? maxPool(function, spatial, x, kernel, {}, where)
                 : avgPool(function, spatial, x, kernel, {}, where);
  }
  // The last dim first: of equal largest elements the first in row-major order remains.
  for (int64_t i = spatial - 1; i >= 0; --i)
    if (image.sizes[i] != counts[i])
      y = (isMax ? largestAlong : averageAlong)(y, i + 2, image.sizes[i], counts[i], where);
  return image.give(y, where);
}

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

#define DLC_POOL(name, spatial, isMax)                                                                       \
  Tensor name(const Tensor &x, OutputSizes output_size, Where where) {                                       \
    return adaptivePool(#name, spatial, isMax, x, output_size, where);                                       \
  }
DLC_POOL(adaptive_max_pool1d, 1, true)
DLC_POOL(adaptive_max_pool2d, 2, true)
DLC_POOL(adaptive_max_pool3d, 3, true)
DLC_POOL(adaptive_avg_pool1d, 1, false)
DLC_POOL(adaptive_avg_pool2d, 2, false)
DLC_POOL(adaptive_avg_pool3d, 3, false)
#undef DLC_POOL

} // namespace functional

//===-- Modules ----------------------------------------------------------------------------===//

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
Tensor MaxPooling::forward(Tensor x) {
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
Tensor AvgPooling::forward(Tensor x) {
  return avgPool(type_name().c_str(), spatial, x, kernel, options, caller());
}

LPPooling::LPPooling(int64_t spatial, double norm_type, const Sizes &kernel_size,
                     const LPPoolOptions &options, const Where &where)
    : spatial(spatial), p(norm_type), kernel(kernel_size), options(options) {
  perDim("kernel_size", kernel, spatial, 1, where);
  char number[32];
  std::snprintf(number, sizeof number, "%g", p);
  set_description(std::string("norm_type=") + number + ", kernel_size=" + pythonSizes(kernel) +
                  ", stride=" + pythonSizes(options.stride) + ", ceil_mode=" + pythonBool(options.ceil_mode));
}
Tensor LPPooling::forward(Tensor x) {
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
Tensor AdaptivePooling::forward(Tensor x) {
  return adaptivePool(type_name().c_str(), spatial, isMax, x, sizes, caller());
}

} // namespace dlc::nn
