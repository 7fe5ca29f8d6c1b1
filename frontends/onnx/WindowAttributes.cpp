//===- WindowAttributes.cpp - the attributes of sliding windows ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/WindowAttributes.h"

using namespace mlir;

namespace dlc::onnx {

namespace {
/// Reads lists of one number per spatial dim, each in [least, most].
class Lists {
public:
  Lists(Node &node, unsigned spatial) : node(node), spatial(spatial) {}

  SmallVector<int64_t> read(StringRef name, int64_t fallback, int64_t least, unsigned perDim = 1) {
    SmallVector<int64_t> list =
        node.integerList(name).value_or(SmallVector<int64_t>(spatial * perDim, fallback));
    check(name, list, least, perDim);
    return list;
  }
  void check(StringRef name, ArrayRef<int64_t> list, int64_t least, unsigned perDim = 1) {
    if (list.size() != spatial * perDim)
      return fail(name + " must have " + Twine(spatial * perDim) + " entries for " + Twine(spatial) +
                  " spatial dims, got " + Twine(list.size()));
    for (int64_t number : list)
      if (number < least || number > nn::largestWindow)
        return fail("entries of " + name + " must be in [" + Twine(least) + ", " + Twine(nn::largestWindow) +
                    "], got " + Twine(number));
  }
  bool failed() const { return hasFailed; }
  void fail(const Twine &message) {
    if (!hasFailed)
      node.error(message);
    hasFailed = true;
  }

private:
  Node &node;
  unsigned spatial;
  bool hasFailed = false;
};
} // namespace

/// auto_pad SAME_UPPER and SAME_LOWER: ceil(size / stride) windows, an odd rest of the padding after the
/// image or before it.
static void padSame(nn::Window &window, int64_t size, bool upper) {
  int64_t count = (size + window.stride - 1) / window.stride;
  int64_t total = std::max<int64_t>((count - 1) * window.stride + window.span() - size, 0);
  window.low = upper ? total / 2 : total - total / 2;
  window.high = total - window.low;
}

/// ceil_mode: a last window counts that begins in the image or in the padding before it, and may end beyond
/// all padding.
static void roundUp(nn::Window &window, int64_t size) {
  int64_t rest = window.low + size + window.high - window.span();
  int64_t steps = (rest + window.stride - 1) / window.stride; // rounded up where rest >= 0
  if (rest <= -window.stride)
    return; // not even one window: the operation says so
  if (steps * window.stride >= size + window.low)
    --steps;
  window.high = std::max<int64_t>(steps * window.stride + window.span() - size - window.low, 0);
}

std::optional<WindowAttributes> readWindows(Node &node, ArrayRef<nn::Dim> shape,
                                            std::optional<SmallVector<int64_t>> kernel) {
  if (shape.size() < 3) {
    node.error("expects a batch, channels and at least one spatial dim, got input of shape " +
               nn::str(shape));
    return std::nullopt;
  }
  unsigned spatial = shape.size() - 2;
  Lists lists(node, spatial);
  WindowAttributes result;
  for (const nn::Dim &dim : shape.drop_front(2)) {
    if (!dim.isStatic())
      lists.fail("spatial dims must have static sizes, got input of shape " + nn::str(shape));
    result.sizes.push_back(dim.factor);
  }
  if (std::optional<SmallVector<int64_t>> given = node.integerList("kernel_shape"); given || !kernel)
    kernel = given;
  if (!kernel) {
    node.error("attribute 'kernel_shape' is missing");
    return std::nullopt;
  }
  lists.check("kernel_shape", *kernel, 1);
  SmallVector<int64_t> strides = lists.read("strides", 1, 1), dilations = lists.read("dilations", 1, 1);
  SmallVector<int64_t> pads = lists.read("pads", 0, 0, /*perDim=*/2);
  std::string autoPad = node.text("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!isSame && autoPad != "NOTSET" && autoPad != "VALID" && !autoPad.empty())
    lists.fail("auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, got '" + autoPad + "'");
  if (lists.failed())
    return std::nullopt;
  for (unsigned i = 0; i < spatial; ++i) {
    nn::Window window{(*kernel)[i], strides[i], pads[i], pads[spatial + i], dilations[i]};
    if (isSame)
      padSame(window, result.sizes[i], autoPad == "SAME_UPPER");
    else if (autoPad == "VALID")
      window.low = window.high = 0;
    result.high.push_back(window.high);
    if (node.integer("ceil_mode", 0) != 0 && !isSame)
      roundUp(window, result.sizes[i]);
    result.windows.push_back(window);
  }
  return result;
}

SmallVector<NamedAttribute> WindowAttributes::operation(Node &node) const {
  auto list = [&](StringRef name, int64_t nn::Window::*member) {
    SmallVector<int64_t> values;
    for (const nn::Window &window : windows)
      values.push_back(window.*member);
    return node.attr(name, ArrayRef<int64_t>(values));
  };
  return {list("kernel", &nn::Window::kernel), list("strides", &nn::Window::stride),
          list("low", &nn::Window::low), list("high", &nn::Window::high),
          list("dilations", &nn::Window::dilation)};
}

} // namespace dlc::onnx
