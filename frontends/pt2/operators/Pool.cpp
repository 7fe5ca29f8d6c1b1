//===- Pool.cpp - ATen operators of pooling -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Interpolation.h"
#include "frontends/common/Windows.h"
#include "frontends/pt2/Image.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

namespace {
struct Windows {
  SmallVector<nn::Window> windows;
  Numbers high; ///< the padding behind the image, before ceil_mode
};
} // namespace

static std::optional<Windows> readWindows(Node &node, const Image &image) {
  unsigned spatial = image.sizes.size();
  auto kernel = perDim(node, "kernel_size", spatial, 1, 1);
  if (!kernel)
    return std::nullopt;
  std::optional<Numbers> given = node.integers("stride");
  auto strides = given && !given->empty() ? perDim(node, "stride", spatial, 1, 1) : kernel;
  auto padding = perDim(node, "padding", spatial, 0, 0), dilations = perDim(node, "dilation", spatial, 1, 1);
  if (!strides || !padding || !dilations)
    return std::nullopt;
  bool roundsUp = node.boolean("ceil_mode", false);
  Windows result;
  for (unsigned i = 0; i < spatial; ++i) {
    nn::Window window{(*kernel)[i], (*strides)[i], (*padding)[i], (*padding)[i], (*dilations)[i]};
    result.high.push_back(window.high);
    if (roundsUp)
      frontend::roundUp(window, image.sizes[i]);
    result.windows.push_back(window);
  }
  return result;
}

static void giveMaximum(Node &node, const Image &image, ArrayRef<nn::Window> windows) {
  auto op = node.makeOp<nn::MaxPoolOp>({image.x}, frontend::poolingAttributes(node, windows));
  if (!op)
    return;
  node.give(0, image.give(node, op.getY()));
  if (node.wants(1))
    node.give(1, image.give(node, node.cast(op.getPositions(), node.b.getI64Type())));
}

template <int spatial> static void maxPool(Node &node) {
  auto image = Image::read(node, "self", spatial);
  auto windows = image ? readWindows(node, *image) : std::nullopt;
  if (windows)
    giveMaximum(node, *image, windows->windows);
}

template <int spatial> static void averagePool(Node &node) {
  auto image = Image::read(node, "self", spatial);
  auto windows = image ? readWindows(node, *image) : std::nullopt;
  if (!windows)
    return;
  if (node.has("divisor_override"))
    return node.unsupported("a divisor_override");
  node.give(
      image->give(node, frontend::averageOfWindows(node, image->x, windows->windows, image->sizes,
                                                   windows->high, node.boolean("count_include_pad", true))));
}

/// The average of windows of several sizes, along one dim: weighted sums of the elements.
static Value averageAlong(Node &node, Value x, int64_t dim, int64_t size, int64_t count) {
  auto begin = [&](int64_t o) { return o * size / count; };
  auto end = [&](int64_t o) { return ((o + 1) * size + count - 1) / count; };
  int64_t taps = 1;
  for (int64_t o = 0; o < count; ++o)
    taps = std::max(taps, end(o) - begin(o));
  if (taps > frontend::mostWeights / count) {
    node.unsupported("windows that have more than " + Twine(frontend::mostWeights) + " elements together");
    return {};
  }
  Numbers positions(taps * count, 0);
  SmallVector<double> weights(taps * count, 0);
  for (int64_t o = 0; o < count; ++o)
    for (int64_t i = begin(o); i < end(o); ++i) {
      positions[(i - begin(o)) * count + o] = i;
      weights[(i - begin(o)) * count + o] = 1 / double(end(o) - begin(o));
    }
  return node.make<nn::ResampleOp>(
      {x}, {node.attr("axis", dim), node.attr("taps", taps), node.attr("positions", positions),
            node.b.getNamedAttr("weights", node.b.getDenseF64ArrayAttr(weights))});
}

/// As many windows as the result has elements.
template <int spatial, bool isMax> static void adaptivePool(Node &node) {
  auto image = Image::read(node, "self", spatial);
  auto outputs = image ? perDim(node, "output_size", spatial, 1, 1) : std::nullopt;
  if (!outputs)
    return;
  SmallVector<nn::Window> windows;
  bool isGlobal = true, isRegular = true;
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t size = image->sizes[i], count = (*outputs)[i];
    isRegular &= size % count == 0;
    if (size % count != 0 && (isMax || std::max(size, count) > frontend::largestResized))
      return node.unsupported("an output_size that does not divide the image's sizes, got " + Twine(count) +
                              " of " + Twine(size));
    windows.push_back({size / count, size / count, 0, 0, 1});
    isGlobal &= count == 1;
  }
  if (isMax)
    return giveMaximum(node, *image, windows);
  if (!isRegular) {
    Value y = image->x;
    for (int64_t i = 0; i < spatial && y; ++i)
      y = averageAlong(node, y, i + 2, image->sizes[i], (*outputs)[i]);
    return node.give(image->give(node, y));
  }
  Numbers axes = llvm::to_vector(llvm::seq<int64_t>(2, spatial + 2));
  Value y =
      isGlobal ? nn::mean({node.b, image->x}, axes, /*keepdims=*/true).get()
               : frontend::averageOfWindows(node, image->x, windows, image->sizes, Numbers(spatial, 0), true);
  node.give(image->give(node, y));
}

static constexpr const char *maximum = "self kernel_size stride padding dilation ceil_mode";
static constexpr const char *average =
    "self kernel_size stride padding ceil_mode count_include_pad divisor_override";
static constexpr const char *adaptive = "self output_size";

static const Operator poolOperators[] = {
    {"aten.max_pool1d", maxPool<1>, maximum},
    {"aten.max_pool2d", maxPool<2>, maximum},
    {"aten.max_pool3d", maxPool<3>, maximum},
    {"aten.max_pool1d_with_indices", maxPool<1>, maximum},
    {"aten.max_pool2d_with_indices", maxPool<2>, maximum},
    {"aten.max_pool3d_with_indices", maxPool<3>, maximum},
    {"aten.avg_pool1d", averagePool<1>, average},
    {"aten.avg_pool2d", averagePool<2>, average},
    {"aten.avg_pool3d", averagePool<3>, average},
    {"aten.adaptive_avg_pool1d", adaptivePool<1, false>, adaptive},
    {"aten.adaptive_avg_pool2d", adaptivePool<2, false>, adaptive},
    {"aten.adaptive_avg_pool3d", adaptivePool<3, false>, adaptive},
    {"aten._adaptive_avg_pool2d", adaptivePool<2, false>, adaptive},
    {"aten._adaptive_avg_pool3d", adaptivePool<3, false>, adaptive},
    {"aten.adaptive_max_pool1d", adaptivePool<1, true>, adaptive},
    {"aten.adaptive_max_pool2d", adaptivePool<2, true>, adaptive},
    {"aten.adaptive_max_pool3d", adaptivePool<3, true>, adaptive},
};

ArrayRef<Operator> operatorsOfPool() { return poolOperators; }

} // namespace dlc::pt2
