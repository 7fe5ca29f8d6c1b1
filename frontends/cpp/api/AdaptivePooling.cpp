//===- AdaptivePooling.cpp - as many windows as the result has elements ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Pooling.h"

namespace dlc {

namespace detail {
using namespace nn;

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
  return poolWindows("nn.max_pool", elements, windows, where);
}

Tensor adaptivePool(const char *function, int64_t spatial, bool isMax, const Tensor &x,
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
    if (constexpr int64_t most = 1 << 20; count > most)
      fail("output_size: expected at most " + std::to_string(most) + ", got " + std::to_string(count), where);
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

} // namespace detail

namespace nn {
using namespace detail;

namespace functional {

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

} // namespace nn
} // namespace dlc
