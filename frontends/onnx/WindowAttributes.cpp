//===- WindowAttributes.cpp - the attributes of sliding windows ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/WindowAttributes.h"
#include "frontends/common/Windows.h"

using namespace mlir;

namespace dlc::onnx {

static bool check(Node &node, StringRef name, ArrayRef<int64_t> numbers, unsigned count, StringRef each,
                  int64_t least, int64_t most = nn::largestWindow, const Twine &where = "") {
  if (numbers.size() != count) {
    node.error("attribute '" + name + "' must have " + Twine(count) + " numbers, " + each + ", got " +
               Twine(numbers.size()));
    return false;
  }
  for (int64_t number : numbers)
    if (number < least || number > most) {
      node.error("attribute '" + name + "' must have numbers in [" + Twine(least) + ", " + Twine(most) + "]" +
                 where + ", got " + Twine(number));
      return false;
    }
  return true;
}

std::optional<SmallVector<int64_t>> readPerDim(Node &node, StringRef name, unsigned spatial, int64_t fallback,
                                               int64_t least) {
  SmallVector<int64_t> list = node.integerList(name).value_or(SmallVector<int64_t>(spatial, fallback));
  if (!check(node, name, list, spatial, "one per spatial dim", least))
    return std::nullopt;
  return list;
}

void WindowAttributes::pad(unsigned dim, int64_t total) {
  windows[dim].low = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
  windows[dim].high = total - windows[dim].low;
}

/// The sizes of the image's spatial dims.
static bool readSizes(Node &node, ArrayRef<nn::Dim> shape, SmallVector<int64_t> &sizes) {
  if (shape.size() < 3) {
    node.error("expects a batch, channels and at least one spatial dim, got input of shape " +
               nn::str(shape));
    return false;
  }
  for (const nn::Dim &dim : shape.drop_front(2)) {
    if (!dim.isStatic()) {
      node.error("spatial dims must have static sizes, got input of shape " + nn::str(shape));
      return false;
    }
    sizes.push_back(dim.factor);
  }
  return true;
}

static bool readPads(Node &node, WindowAttributes &result) {
  std::string &autoPad = result.autoPad;
  unsigned spatial = result.windows.size();
  autoPad = node.text("auto_pad", "NOTSET");
  if (autoPad.empty()) // an empty text is the default's other spelling
    autoPad = "NOTSET";
  bool isStated = autoPad == "NOTSET";
  if (!isStated && autoPad != "VALID" && !result.isSame()) {
    node.error("attribute 'auto_pad' is '" + autoPad + "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
    return false;
  }
  SmallVector<int64_t> pads = node.integerList("pads").value_or(SmallVector<int64_t>(2 * spatial, 0));
  if (!check(node, "pads", pads, 2 * spatial, "a begin and an end per spatial dim", 0,
             isStated ? nn::largestWindow : 0, isStated ? "" : " where auto_pad is " + autoPad))
    return false;
  for (unsigned i = 0; i < spatial; ++i) {
    result.windows[i].low = pads[i];
    result.windows[i].high = pads[spatial + i];
  }
  return true;
}

std::optional<WindowAttributes> readStatedWindows(Node &node, ArrayRef<nn::Dim> shape,
                                                  std::optional<SmallVector<int64_t>> kernel) {
  WindowAttributes result;
  if (!readSizes(node, shape, result.sizes))
    return std::nullopt;
  unsigned spatial = result.sizes.size();
  if (std::optional<SmallVector<int64_t>> given = node.integerList("kernel_shape")) {
    if (!check(node, "kernel_shape", *given, spatial, "one per spatial dim", 1))
      return std::nullopt;
    kernel = given;
  }
  if (!kernel) {
    node.error("attribute 'kernel_shape' is missing");
    return std::nullopt;
  }
  auto strides = readPerDim(node, "strides", spatial, 1, 1);
  if (!strides)
    return std::nullopt;
  auto dilations = readPerDim(node, "dilations", spatial, 1, 1);
  if (!dilations)
    return std::nullopt;
  for (unsigned i = 0; i < spatial; ++i)
    result.windows.push_back({(*kernel)[i], (*strides)[i], 0, 0, (*dilations)[i]});
  if (!readPads(node, result))
    return std::nullopt;
  return result;
}

std::optional<WindowAttributes> readWindows(Node &node, ArrayRef<nn::Dim> shape,
                                            std::optional<SmallVector<int64_t>> kernel) {
  std::optional<WindowAttributes> result = readStatedWindows(node, shape, kernel);
  if (!result)
    return std::nullopt;
  for (auto [i, window] : llvm::enumerate(result->windows)) {
    int64_t size = result->sizes[i];
    if (result->isSame()) { // as many windows as the image has elements, divided by the stride
      int64_t count = (size + window.stride - 1) / window.stride;
      int64_t read = nn::saturatingAdd((count - 1) * window.stride, window.span());
      result->pad(i, std::max<int64_t>(read - size, 0));
    }
    result->high.push_back(window.high);
    if (node.integer("ceil_mode", 0) != 0 && !result->isSame())
      frontend::roundUp(window, size);
  }
  return result;
}

SmallVector<NamedAttribute> WindowAttributes::convolution(Node &node) const {
  return frontend::convolutionAttributes(node, windows);
}

SmallVector<NamedAttribute> WindowAttributes::operation(Node &node) const {
  return frontend::poolingAttributes(node, windows);
}

} // namespace dlc::onnx
