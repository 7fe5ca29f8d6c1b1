//===- Conv.cpp - ATen operators of convolutions -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Windows.h"
#include "frontends/pt2/Image.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

/// An image and a weight of as many dims, all of known sizes but the batch; false after an error.
static bool haveKnownSizes(Node &node, const Image &image, ArrayRef<nn::Dim> weight) {
  if (weight.size() != image.sizes.size() + 2) {
    node.error("expects a weight of " + Twine(image.sizes.size() + 2) + " dims, got shape " +
               nn::str(weight));
    return false;
  }
  for (const nn::Dim &dim : llvm::concat<const nn::Dim>(weight, ArrayRef(image.shape).slice(1, 1)))
    if (!dim.isStatic() || dim.factor < 1) {
      node.error("expects known sizes above 0 of all dims but the batch, got an image of shape " +
                 nn::str(image.shape) + " and a weight of shape " + nn::str(weight));
      return false;
    }
  return true;
}

/// Windows with the kernel of the weight, and stride, padding and dilation of the arguments.
static std::optional<SmallVector<nn::Window>> readWindows(Node &node, const Image &image,
                                                          ArrayRef<nn::Dim> weight) {
  unsigned spatial = image.sizes.size();
  bool isNamed = node.has("padding") && !node.hasNumbers("padding");
  auto strides = perDim(node, "stride", spatial, 1, 1), dilations = perDim(node, "dilation", spatial, 1, 1);
  auto padding = isNamed ? Numbers(spatial, 0) : perDim(node, "padding", spatial, 0, 0);
  if (!strides || !dilations || !padding)
    return std::nullopt;
  std::string how = isNamed ? node.text("padding", "") : "";
  if (isNamed && how != "same" && how != "valid") {
    node.error("padding must be 'same', 'valid' or numbers, got '" + how + "'");
    return std::nullopt;
  }
  SmallVector<nn::Window> windows;
  for (unsigned i = 0; i < spatial; ++i) {
    nn::Window window{weight[i + 2].factor, (*strides)[i], (*padding)[i], (*padding)[i], (*dilations)[i]};
    if (how == "same") { // an odd element goes behind
      int64_t total = window.span() - 1;
      window.low = total / 2;
      window.high = total - window.low;
    }
    windows.push_back(window);
  }
  return windows;
}

/// Adds one number per channel.
static Value withBias(Node &node, Value y) {
  if (!y || !node.has("bias"))
    return y;
  nn::Shape shape = nn::shapeOf(y), bias = node.shape("bias"), column(shape.size(), nn::Dim(1));
  column[1] = shape[1];
  if (bias != nn::Shape{shape[1]}) {
    node.error("expects a bias for the " + shape[1].str() + " channels of the result, got one of shape " +
               nn::str(bias));
    return {};
  }
  return node.make<nn::AddOp>({y, node.reshape(node.value("bias"), column)});
}

static void convolve(Node &node, const Image &image) {
  nn::Shape weight = node.shape("weight");
  if (!haveKnownSizes(node, image, weight))
    return;
  auto windows = readWindows(node, image, weight);
  if (!windows)
    return;
  SmallVector<NamedAttribute> attributes = frontend::convolutionAttributes(node, *windows);
  attributes.push_back(node.attr("groups", node.integer("groups", 1)));
  Value y = node.make<nn::ConvOp>({image.x, node.value("weight")}, attributes);
  node.give(image.give(node, withBias(node, y)));
}

static void convolveTransposed(Node &node, const Image &image) {
  nn::Shape weight = node.shape("weight");
  unsigned spatial = image.sizes.size();
  if (!haveKnownSizes(node, image, weight))
    return;
  auto windows = readWindows(node, image, weight);
  auto behind = perDim(node, "output_padding", spatial, 0, 0);
  if (!windows || !behind)
    return;
  int64_t groups = node.integer("groups", 1);
  if (weight[0] != image.shape[1] || groups < 1 || weight[0].factor % groups != 0)
    return node.error("expects a weight for the " + image.shape[1].str() +
                      " channels of the image, which the groups divide, got one of shape " + nn::str(weight) +
                      " and " + Twine(groups) + " groups");
  Numbers outputs;
  for (unsigned i = 0; i < spatial; ++i) {
    const nn::Window &window = (*windows)[i];
    int64_t written =
        nn::saturatingAdd(nn::saturatingMultiply(image.sizes[i] - 1, window.stride), window.span());
    outputs.push_back(nn::saturatingAdd(written, (*behind)[i]) - window.low - window.high);
  }
  Value y = frontend::transposedConvolution(node, image.x, node.value("weight"), *windows, image.sizes,
                                            outputs, groups);
  node.give(image.give(node, withBias(node, y)));
}

template <int spatial> static void conv(Node &node) {
  if (auto image = Image::read(node, "input", spatial))
    convolve(node, *image);
}
template <int spatial> static void convTranspose(Node &node) {
  if (auto image = Image::read(node, "input", spatial))
    convolveTransposed(node, *image);
}

/// All of them as one, as PyTorch's decompositions write it.
static void convolution(Node &node) {
  auto image = Image::read(node, "input", node.rank("weight") - 2);
  if (image)
    (node.boolean("transposed", false) ? convolveTransposed : convolve)(node, *image);
}

static constexpr const char *plain = "input weight bias stride padding dilation groups";
static constexpr const char *transposed = "input weight bias stride padding output_padding groups dilation";

static const Operator convOperators[] = {
    {"aten.conv1d", conv<1>, plain},
    {"aten.conv2d", conv<2>, plain},
    {"aten.conv3d", conv<3>, plain},
    {"aten.conv_transpose1d", convTranspose<1>, transposed},
    {"aten.conv_transpose2d", convTranspose<2>, transposed},
    {"aten.conv_transpose3d", convTranspose<3>, transposed},
    {"aten.convolution", convolution,
     "input weight bias stride padding dilation transposed output_padding groups"},
};

ArrayRef<Operator> operatorsOfConv() { return convOperators; }

} // namespace dlc::pt2
