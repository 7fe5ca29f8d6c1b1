//===- Conv.cpp - ONNX operators of the family Conv
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Conv.h"
#include "frontends/onnx/Node.h"

using namespace mlir;

namespace dlc::onnx {

/// Larger strides, dilations, paddings and outputs are no image's.
static constexpr int64_t maxWindow = int64_t(1) << 24;

/// The attributes that Conv and ConvTranspose share, checked and completed: one number per spatial dim.
struct Windows {
  Node &node;
  unsigned spatial = 0;
  SmallVector<int64_t> image, kernel; ///< sizes of the spatial dims of inputs 0 and 1
  SmallVector<int64_t> strides, dilations, low, high;
  int64_t groups = 1;
  std::string autoPad;

  explicit Windows(Node &node) : node(node) {}
  /// False after an error.
  bool read();
  nn::ConvWindow at(unsigned i) const { return {kernel[i], strides[i], dilations[i], low[i], high[i]}; }
  bool isSame() const { return autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER"; }
  /// Divides padding between both ends; an odd element goes where auto_pad says.
  void pad(unsigned i, int64_t total) {
    low[i] = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
    high[i] = total - low[i];
  }
  SmallVector<NamedAttribute> attributes() const {
    return {node.attr("strides", strides), node.attr("dilations", dilations), node.attr("low", low),
            node.attr("high", high), node.attr("groups", groups)};
  }

  /// An attribute with a number of at least `least` for each spatial dim, or else `fallback` for each.
  bool readList(StringRef name, int64_t fallback, int64_t least, SmallVector<int64_t> &list);

private:
  bool readShapes();
  bool readPads();
};

bool Windows::readShapes() {
  nn::Shape x = node.shape(0), w = node.shape(1);
  if (x.size() < 3 || x.size() > 5 || x.size() != w.size()) {
    node.error("expects an image and a weight of the same rank, 3, 4 or 5, for one to three spatial dims, "
               "got shapes " +
               nn::str(x) + " and " + nn::str(w));
    return false;
  }
  spatial = x.size() - 2;
  for (const auto &[shape, what, first] : {std::tuple(x, "image", 1), std::tuple(w, "weight", 0)})
    for (unsigned axis = first; axis < shape.size(); ++axis)
      if (!shape[axis].isStatic()) {
        node.error("expects known sizes of all dims but the batch, got " + shape[axis].str() + " for dim " +
                   Twine(axis) + " of the " + what + ": give its size with --dim");
        return false;
      }
  for (unsigned i = 0; i < spatial; ++i) {
    image.push_back(x[i + 2].factor);
    kernel.push_back(w[i + 2].factor);
  }
  return true;
}

bool Windows::readList(StringRef name, int64_t fallback, int64_t least, SmallVector<int64_t> &list) {
  list = node.integerList(name).value_or(SmallVector<int64_t>(spatial, fallback));
  if (list.size() != spatial) {
    node.error("attribute '" + name + "' must have " + Twine(spatial) +
               " numbers, one per spatial dim, got " + Twine(list.size()));
    return false;
  }
  for (int64_t number : list)
    if (number < least || number > maxWindow) {
      node.error("attribute '" + name + "' must have numbers in [" + Twine(least) + ", " + Twine(maxWindow) +
                 "], got " + Twine(number));
      return false;
    }
  return true;
}

bool Windows::readPads() {
  autoPad = node.text("auto_pad", "NOTSET");
  if (autoPad.empty()) // an empty text is the default's other spelling
    autoPad = "NOTSET";
  if (autoPad != "NOTSET" && autoPad != "VALID" && !isSame()) {
    node.error("attribute 'auto_pad' is '" + autoPad + "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
    return false;
  }
  SmallVector<int64_t> pads = node.integerList("pads").value_or(SmallVector<int64_t>(2 * spatial, 0));
  if (pads.size() != 2 * spatial) {
    node.error("attribute 'pads' must have " + Twine(2 * spatial) +
               " numbers, a begin and an end per spatial dim, got " + Twine(pads.size()));
    return false;
  }
  for (int64_t count : pads)
    if (count < 0 || count > maxWindow || (count != 0 && autoPad != "NOTSET")) {
      node.error("attribute 'pads' must have numbers in [0, " + Twine(autoPad == "NOTSET" ? maxWindow : 0) +
                 "]" + (autoPad == "NOTSET" ? "" : " where auto_pad is " + autoPad) + ", got " +
                 Twine(count));
      return false;
    }
  low.assign(pads.begin(), pads.begin() + spatial);
  high.assign(pads.begin() + spatial, pads.end());
  return true;
}

bool Windows::read() {
  if (!readShapes() || !readList("strides", 1, 1, strides) || !readList("dilations", 1, 1, dilations) ||
      !readPads())
    return false;
  if (auto given = node.integerList("kernel_shape"); given && *given != kernel) {
    auto list = [](ArrayRef<int64_t> sizes) { return nn::str(nn::Shape(sizes.begin(), sizes.end())); };
    node.error("attribute 'kernel_shape' is " + list(*given) + ", but the weight has a kernel of " +
               list(kernel));
    return false;
  }
  groups = node.integer("group", 1);
  return true;
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

static void conv(Node &node) {
  Windows windows(node);
  if (!windows.read())
    return;
  for (unsigned i = 0; i < windows.spatial && windows.isSame(); ++i) {
    // As many positions as the image has elements, divided by the stride.
    int64_t stride = windows.strides[i], positions = (windows.image[i] + stride - 1) / stride;
    int64_t read = nn::saturatingAdd((positions - 1) * stride, windows.at(i).length());
    windows.pad(i, std::max<int64_t>(read - windows.image[i], 0));
  }
  giveWithBias(node, node.make<nn::ConvOp>({node.value(0), node.value(1)}, windows.attributes()));
}

/// The sizes of the output are given, or follow from the attributes. What no window writes, at the end, is 0.
static void convTranspose(Node &node) {
  Windows windows(node);
  SmallVector<int64_t> outputPadding, outputShape, size, behind{0, 0};
  if (!windows.read() || !windows.readList("output_padding", 0, 0, outputPadding) ||
      !windows.readList("output_shape", 1, 1, outputShape))
    return;
  bool isGiven = node.hasAttribute("output_shape");
  for (unsigned i = 0; i < windows.spatial; ++i) {
    if (windows.image[i] < 1)
      return node.error("expects an image of at least 1 element along each spatial dim, got shape " +
                        nn::str(node.shape(0)));
    // What the windows write, without padding taken away.
    int64_t written = nn::saturatingAdd(nn::saturatingMultiply(windows.image[i] - 1, windows.strides[i]),
                                        windows.at(i).length());
    int64_t all = nn::saturatingAdd(written, outputPadding[i]), output = outputShape[i];
    if (!isGiven && windows.isSame())
      output = nn::saturatingMultiply(windows.image[i], windows.strides[i]);
    if (isGiven || windows.isSame())
      windows.pad(i, std::max<int64_t>(all - output, 0));
    else
      output = all - windows.low[i] - windows.high[i];
    int64_t end = std::min(output, written - windows.low[i]);
    if (end < 1)
      return node.error("expects an output of at least 1 element along each spatial dim, got " +
                        Twine(output) + " along spatial dim " + Twine(i) + " (" + Twine(all) +
                        " before padding of " + Twine(windows.low[i]) + " and " + Twine(windows.high[i]) +
                        " is taken away)");
    size.push_back(end);
    windows.high[i] = written - windows.low[i] - end;
    behind.push_back(output - end);
  }
  SmallVector<NamedAttribute> attributes = windows.attributes();
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

static const Row rows[] = {
    {"Conv", 1, conv, 2, 3, "auto_pad dilations group kernel_shape pads strides"},
    {"ConvTranspose", 1, convTranspose, 2, 3,
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides"},
};

ArrayRef<Row> convRows() { return rows; }

} // namespace dlc::onnx
