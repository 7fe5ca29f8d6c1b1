//===- Conv.cpp - ONNX operators of the family Conv
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Windows.h"
#include "frontends/onnx/Convolution.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// The attributes of nn.conv and nn.conv_transpose.
static SmallVector<NamedAttribute> attributesOf(Node &node, const WindowAttributes &windows) {
  SmallVector<NamedAttribute> attributes = windows.convolution(node);
  attributes.push_back(node.attr("groups", node.integer("group", 1)));
  return attributes;
}

static void conv(Node &node) {
  if (std::optional<WindowAttributes> windows = readConvolution(node, readWindows))
    giveWithBias(node, 2,
                 node.make<nn::ConvOp>({node.value(0), node.value(1)}, attributesOf(node, *windows)));
}

/// The sizes of the output are given, or follow from the attributes.
static void convTranspose(Node &node) {
  std::optional<WindowAttributes> windows = readConvolution(node, readStatedWindows);
  if (!windows)
    return;
  nn::Shape x = node.shape(0), w = node.shape(1);
  if (w[0] != x[1])
    return node.error("expects a weight for the " + x[1].str() +
                      " channels of the image, which are its dim 0, got one of shape " + nn::str(w));
  if (int64_t groups = node.integer("group", 1); groups < 1 || x[1].factor % groups != 0)
    return node.error("expects a number of groups that divides the " + x[1].str() +
                      " channels of the image, got " + Twine(groups));
  unsigned spatial = windows->sizes.size();
  auto outputPadding = readPerDim(node, "output_padding", spatial, 0, 0);
  if (!outputPadding)
    return;
  auto outputShape = readPerDim(node, "output_shape", spatial, 1, 1);
  if (!outputShape)
    return;
  bool isGiven = node.hasAttribute("output_shape");
  SmallVector<int64_t> outputs;
  for (auto [i, window] : llvm::enumerate(windows->windows)) {
    int64_t image = windows->sizes[i];
    if (image < 1)
      return node.error("expects an image of at least 1 element along each spatial dim, got shape " +
                        nn::str(node.shape(0)));
    // What the windows write, without padding taken away.
    int64_t written = nn::saturatingAdd(nn::saturatingMultiply(image - 1, window.stride), window.span());
    int64_t all = nn::saturatingAdd(written, (*outputPadding)[i]), output = (*outputShape)[i];
    if (!isGiven && windows->isSame())
      output = nn::saturatingMultiply(image, window.stride);
    if (isGiven || windows->isSame())
      windows->pad(i, std::max<int64_t>(all - output, 0));
    else
      output = all - window.low - window.high;
    outputs.push_back(output);
  }
  giveWithBias(node, 2,
               frontend::transposedConvolution(node, node.value(0), node.value(1), windows->windows,
                                               windows->sizes, outputs, node.integer("group", 1)));
}

/// Columns [N, channels * elements of a block, blocks] added into an image (PyTorch's Fold): a transposed
/// convolution of each channel, whose weight is 1 at the block's element that the column is of.
static void col2Im(Node &node) {
  nn::Shape x = node.shape(0);
  auto image = node.integers(1, "the image's sizes"), block = node.integers(2, "the block's sizes");
  if (!image || !block)
    return;
  size_t spatial = image->size();
  auto isPositive = [](int64_t size) { return size > 0 && size <= maxDim; };
  if (spatial < 1 || spatial > 3 || block->size() != spatial || !llvm::all_of(*image, isPositive) ||
      !llvm::all_of(*block, isPositive))
    return node.error("expects one to three positive sizes of the image and as many of the block, got " +
                      nn::str(nn::Shape(image->begin(), image->end())) + " and " +
                      nn::str(nn::Shape(block->begin(), block->end())));
  nn::Shape kernel(block->begin(), block->end()), whole{1, 1};
  whole.append(image->begin(), image->end());
  if (!node.checkSize(kernel) || !node.checkSize(whole))
    return;
  std::optional<WindowAttributes> windows = readWindows(node, whole, *block);
  if (!windows)
    return;
  SmallVector<int64_t> counts;
  nn::Shape places;
  for (auto [window, size] : llvm::zip_equal(windows->windows, windows->sizes)) {
    int64_t rest = window.low + size + window.high - window.span();
    counts.push_back(rest < 0 ? 0 : rest / window.stride + 1);
    places.push_back(counts.back());
  }
  nn::Dim elements = nn::elementCount(kernel);
  if (x.size() != 3 || !x[1].isStatic() || x[1].factor % elements.factor != 0 ||
      x[2] != nn::elementCount(places) || x[2] == nn::Dim(0))
    return node.error("expects columns [N, a multiple of " + elements.str() + ", " +
                      nn::elementCount(places).str() + "] of at least one block, got shape " + nn::str(x));
  Type i64 = node.b.getI64Type();
  nn::Dim channels = x[1].factor / elements.factor;
  nn::Expr row(node.b, nn::IotaOp::create(node.b, nn::tensorType({elements, nn::Dim(1)}, i64), 0).getY());
  nn::Expr column(node.b, nn::IotaOp::create(node.b, nn::tensorType({nn::Dim(1), elements}, i64), 1).getY());
  Value weight = nn::cast(nn::equal(column, row), node.elementType(0));
  weight = node.expand(weight, {channels, elements, elements});
  nn::Shape weights{x[1], nn::Dim(1)}, images{x[0], x[1]};
  weights.append(kernel);
  images.append(places);
  weight = node.reshape(weight, weights);
  Value blocks = node.reshape(node.value(0), images);
  node.give(0, frontend::transposedConvolution(node, blocks, weight, windows->windows, counts, *image,
                                               channels.factor));
}

static const Operator convOperators[] = {
    {"Col2Im", 18, col2Im, 3, 3, "dilations pads strides"},
    {"Conv", 1, conv, 2, 3, "auto_pad dilations group kernel_shape pads strides", {1, 2}},
    {"ConvTranspose",
     1,
     convTranspose,
     2,
     3,
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
     {1, 2}},
};

ArrayRef<Operator> operatorsOfConv() { return convOperators; }

} // namespace dlc::onnx
