//===- Windows.cpp - windows that slide over images ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Windows.h"

using namespace mlir;

namespace dlc::frontend {

void roundUp(nn::Window &window, int64_t size) {
  int64_t rest = window.low + size + window.high - window.span();
  int64_t steps = (rest + window.stride - 1) / window.stride; // rounded up where rest >= 0
  if (rest <= -window.stride)
    return; // not even one window: the operation says so
  if (steps * window.stride >= size + window.low)
    --steps;
  window.high = std::max<int64_t>(steps * window.stride + window.span() - size - window.low, 0);
}

static NamedAttribute perDim(OpMaker &maker, StringRef name, ArrayRef<nn::Window> windows,
                             int64_t nn::Window::*member) {
  SmallVector<int64_t> values;
  for (const nn::Window &window : windows)
    values.push_back(window.*member);
  return maker.attr(name, ArrayRef<int64_t>(values));
}

SmallVector<NamedAttribute> convolutionAttributes(OpMaker &maker, ArrayRef<nn::Window> windows) {
  return {perDim(maker, "strides", windows, &nn::Window::stride),
          perDim(maker, "dilations", windows, &nn::Window::dilation),
          perDim(maker, "low", windows, &nn::Window::low), perDim(maker, "high", windows, &nn::Window::high)};
}

SmallVector<NamedAttribute> poolingAttributes(OpMaker &maker, ArrayRef<nn::Window> windows) {
  SmallVector<NamedAttribute> attributes = convolutionAttributes(maker, windows);
  attributes.push_back(perDim(maker, "kernel", windows, &nn::Window::kernel));
  return attributes;
}

/// What the sum of each window is multiplied with, with one dim of size 1 for the batch and one for the
/// channels.
static nn::Expr reciprocalCounts(OpMaker &maker, ArrayRef<nn::Window> windows, ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> high, bool countsPadding, Type type) {
  SmallVector<int64_t> shape{1, 1};
  SmallVector<double> counts{1};
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t size = sizes[i], begin = countsPadding ? -window.low : 0;
    int64_t end = countsPadding ? size + high[i] : size;
    shape.push_back(window.count(size));
    SmallVector<double> next;
    for (double count : counts)
      for (int64_t o = 0; o < shape.back(); ++o)
        next.push_back(count * double(window.covered(o, begin, end)));
    counts = std::move(next);
  }
  SmallVector<Attribute> reciprocals;
  for (double count : counts)
    reciprocals.push_back(maker.b.getFloatAttr(type, 1 / count));
  auto elements = DenseElementsAttr::get(RankedTensorType::get(shape, type), reciprocals);
  return {maker.b, nn::ConstantOp::create(maker.b, elements)};
}

Value averageOfWindows(OpMaker &maker, Value x, ArrayRef<nn::Window> windows, ArrayRef<int64_t> sizes,
                       ArrayRef<int64_t> high, bool countsPadding) {
  Value total = maker.make<nn::SumPoolOp>({x}, poolingAttributes(maker, windows));
  if (!total)
    return {};
  Type type = nn::elementTypeOf(x);
  return nn::Expr(maker.b, total) * reciprocalCounts(maker, windows, sizes, high, countsPadding, type);
}

Value transposedConvolution(OpMaker &maker, Value x, Value w, ArrayRef<nn::Window> given,
                            ArrayRef<int64_t> counts, ArrayRef<int64_t> outputs, int64_t groups) {
  SmallVector<nn::Window> windows(given);
  SmallVector<int64_t> size, behind{0, 0}; // nothing behind the batch and the channels
  for (auto [window, count, output] : llvm::zip_equal(windows, counts, outputs)) {
    int64_t written = nn::saturatingAdd(nn::saturatingMultiply(count - 1, window.stride), window.span());
    int64_t end = std::min(output, written - window.low);
    if (end < 1) {
      maker.error("expects an output of at least 1 element along each spatial dim, got " + Twine(output) +
                  " along spatial dim " + Twine(size.size()) + " (" + Twine(written) + " before padding of " +
                  Twine(window.low) + " and " + Twine(window.high) + " is taken away)");
      return {};
    }
    size.push_back(end);
    window.high = written - window.low - end;
    behind.push_back(output - end);
  }
  SmallVector<NamedAttribute> attributes = convolutionAttributes(maker, windows);
  attributes.push_back(maker.attr("groups", groups));
  attributes.push_back(maker.attr("size", size));
  Value y = maker.make<nn::ConvTransposeOp>({x, w}, attributes);
  if (llvm::all_of(behind, [](int64_t count) { return count == 0; }))
    return y;
  SmallVector<int64_t> none(behind.size(), 0);
  auto mode = nn::PadModeAttr::get(maker.b.getContext(), nn::PadMode::constant);
  return maker.make<nn::PadOp>({y}, {maker.b.getNamedAttr("mode", mode), maker.attr("low", none),
                                     maker.attr("high", behind), maker.attr("interior", none),
                                     maker.attr("value", 0.0)});
}

} // namespace dlc::frontend
