//===- Conv.cpp - ONNX operators of the family Conv
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/WindowAttributes.h"

using namespace mlir;

namespace dlc::onnx {

/// The windows of a convolution or a transposed one: their kernel is that of the weight.
static std::optional<WindowAttributes>
readConvolution(Node &node, std::optional<WindowAttributes> (*read)(Node &, ArrayRef<nn::Dim>,
                                                                    std::optional<SmallVector<int64_t>>)) {
  nn::Shape x = node.shape(0), w = node.shape(1);
  if (x.size() < 3 || x.size() > 5 || x.size() != w.size()) {
    node.error("expects an image and a weight of the same rank, 3, 4 or 5, for one to three spatial dims, "
               "got shapes " +
               nn::str(x) + " and " + nn::str(w));
    return std::nullopt;
  }
  for (const auto &[shape, what, first] : {std::tuple(x, "image", 1), std::tuple(w, "weight", 0)})
    for (unsigned axis = first; axis < shape.size(); ++axis)
      if (!shape[axis].isStatic()) {
        node.error("expects known sizes of all dims but the batch, got " + shape[axis].str() + " for dim " +
                   Twine(axis) + " of the " + what + ": give its size with --dim");
        return std::nullopt;
      }
  SmallVector<int64_t> kernel;
  for (const nn::Dim &dim : ArrayRef(w).drop_front(2))
    kernel.push_back(dim.factor);
  if (auto given = node.integerList("kernel_shape"); given && *given != kernel) {
    auto list = [](ArrayRef<int64_t> sizes) { return nn::str(nn::Shape(sizes.begin(), sizes.end())); };
    node.error("attribute 'kernel_shape' is " + list(*given) + ", but the weight has a kernel of " +
               list(kernel));
    return std::nullopt;
  }
  return read(node, x, kernel);
}

/// The result plus one number per channel, where the node has a bias.
static void giveWithBias(Node &node, Value result) {
  if (!result || !node.has(2))
    return node.give(0, result);
  nn::Shape shape = nn::shapeOf(result), bias = node.shape(2), column(shape.size(), nn::Dim(1));
  if (bias != nn::Shape{shape[1]})
    return node.error("expects a bias for the " + shape[1].str() +
                      " channels of the result, got one of shape " + nn::str(bias));
  column[1] = shape[1];
  node.give(0, node.make<nn::AddOp>({result, node.reshape(node.value(2), column)}));
}

/// The attributes of nn.conv and nn.conv_transpose.
static SmallVector<NamedAttribute> attributesOf(Node &node, const WindowAttributes &windows) {
  SmallVector<NamedAttribute> attributes = windows.convolution(node);
  attributes.push_back(node.attr("groups", node.integer("group", 1)));
  return attributes;
}

static void conv(Node &node) {
  if (std::optional<WindowAttributes> windows = readConvolution(node, readWindows))
    giveWithBias(node, node.make<nn::ConvOp>({node.value(0), node.value(1)}, attributesOf(node, *windows)));
}

/// The sizes of the output are given, or follow from the attributes. What no window writes, at the end, is 0.
static void convTranspose(Node &node) {
  std::optional<WindowAttributes> windows = readConvolution(node, readStatedWindows);
  if (!windows)
    return;
  unsigned spatial = windows->sizes.size();
  auto outputPadding = readPerDim(node, "output_padding", spatial, 0, 0);
  if (!outputPadding)
    return;
  auto outputShape = readPerDim(node, "output_shape", spatial, 1, 1);
  if (!outputShape)
    return;
  bool isGiven = node.hasAttribute("output_shape");
  SmallVector<int64_t> size, behind{0, 0};
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
    int64_t end = std::min(output, written - window.low);
    if (end < 1)
      return node.error("expects an output of at least 1 element along each spatial dim, got " +
                        Twine(output) + " along spatial dim " + Twine(i) + " (" + Twine(all) +
                        " before padding of " + Twine(window.low) + " and " + Twine(window.high) +
                        " is taken away)");
    size.push_back(end);
    window.high = written - window.low - end;
    behind.push_back(output - end);
  }
  SmallVector<NamedAttribute> attributes = attributesOf(node, *windows);
  attributes.push_back(node.attr("size", size));
  Value y = node.make<nn::ConvTransposeOp>({node.value(0), node.value(1)}, attributes);
  if (llvm::any_of(behind, [](int64_t count) { return count != 0; })) {
    SmallVector<int64_t> none(behind.size(), 0);
    auto mode = nn::PadModeAttr::get(node.b.getContext(), nn::PadMode::constant);
    y = node.make<nn::PadOp>({y}, {node.b.getNamedAttr("mode", mode), node.attr("low", none),
                                   node.attr("high", behind), node.attr("interior", none),
                                   node.attr("value", 0.0)});
  }
  giveWithBias(node, y);
}

static const Operator operators[] = {
    {"Conv", 1, conv, 2, 3, "auto_pad dilations group kernel_shape pads strides", {1, 2}},
    {"ConvTranspose",
     1,
     convTranspose,
     2,
     3,
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
     {1, 2}},
};

ArrayRef<Operator> operatorsOfConv() { return operators; }

} // namespace dlc::onnx
