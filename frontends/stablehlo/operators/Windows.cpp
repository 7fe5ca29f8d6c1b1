//===- Windows.cpp - convolutions and pooling of StableHLO -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO says where the batch, the channels and the sizes of an image stand; nn has them in this order.
//===----------------------------------------------------------------------===//
#include "frontends/common/Windows.h"
#include "frontends/stablehlo/Node.h"
#include <cmath>

using namespace mlir;

namespace dlc::stablehlo {

namespace {
/// Where the dims of a tensor stand: two with a name of their own, then those of the window.
struct Layout {
  Numbers places;

  Numbers inverse() const {
    Numbers result(places.size());
    for (auto [i, place] : llvm::enumerate(places))
      result[place] = i;
    return result;
  }
};
} // namespace

/// "b, 0, 1, f" for the names "bf": [0, 3, 1, 2]. Nullopt after an error.
static std::optional<Layout> parseLayout(Node &node, StringRef text, StringRef names, size_t rank) {
  SmallVector<StringRef> words;
  text.split(words, ',');
  Layout layout{Numbers(rank, -1)};
  for (auto [i, word] : llvm::enumerate(words)) {
    word = word.trim();
    unsigned spatial = 0;
    size_t place = word.size() == 1 && names.contains(word.front())    ? names.find(word.front())
                   : !word.getAsInteger(10, spatial) && spatial < rank ? spatial + 2
                                                                       : rank;
    if (words.size() != rank || place >= rank || layout.places[place] != -1)
      return node.error("cannot read the order of dims '" + text.take_front(80) + "'"), std::nullopt;
    layout.places[place] = i;
  }
  return layout;
}

static bool parseLayouts(Node &node, size_t rank, Layout (&layouts)[3]) {
  StringRef text = node.text("dimension_numbers");
  text.consume_front("conv<");
  text.consume_back(">");
  SmallVector<StringRef> lists;
  while (text.contains('[') && text.contains(']')) {
    auto [list, rest] = text.split('[').second.split(']');
    lists.push_back(list);
    text = rest;
  }
  if (lists.size() != 3)
    return node.error("expects three orders of dims as dimension_numbers"), false;
  static constexpr StringLiteral names[] = {"bf", "oi", "bf"};
  for (unsigned i = 0; i < 3; ++i) {
    std::optional<Layout> layout = parseLayout(node, lists[i], names[i], rank);
    if (!layout)
      return false;
    layouts[i] = *layout;
  }
  return true;
}

/// Zeros between the elements of an image's sizes.
static Value spread(Node &node, Value x, ArrayRef<int64_t> dilation) {
  if (llvm::all_of(dilation, [](int64_t d) { return d == 1; }))
    return x;
  size_t rank = dilation.size() + 2;
  Numbers none(rank, 0), between(rank, 0);
  for (auto [i, d] : llvm::enumerate(dilation))
    between[i + 2] = d - 1;
  auto mode = nn::PadModeAttr::get(node.b.getContext(), nn::PadMode::constant);
  return node.make<nn::PadOp>({x}, {node.b.getNamedAttr("mode", mode), node.attr("low", none),
                                    node.attr("high", none), node.attr("interior", between),
                                    node.attr("value", 0.0)});
}

/// Whether all are in [low, nn::largestWindow].
static bool areWithin(Node &node, StringRef what, ArrayRef<int64_t> numbers, int64_t low) {
  for (int64_t number : numbers)
    if (number < low || number > nn::largestWindow)
      return node.error("expects " + what + " from " + Twine(low) + " to " + Twine(nn::largestWindow) +
                        ", got " + Twine(number)),
             false;
  return true;
}

static void convolution(Node &node) {
  Value x = node.value(0), w = x ? node.value(1) : Value();
  if (!w)
    return;
  size_t rank = nn::shapeOf(x).size();
  if (rank < 3 || nn::shapeOf(w).size() != rank || !isa<FloatType>(nn::elementTypeOf(x)))
    return node.unsupported("operands of shapes " + nn::str(nn::shapeOf(x)) + " and " +
                            nn::str(nn::shapeOf(w)) + "; expected floats of 3 to 5 dims");
  size_t spatial = rank - 2;
  Layout layouts[3];
  auto strides = node.perDim("window_strides", spatial, 1), padding = node.perDim("padding", 2 * spatial, 0);
  auto spreads = node.perDim("lhs_dilation", spatial, 1), dilations = node.perDim("rhs_dilation", spatial, 1);
  auto reversals = node.perDim("window_reversal", spatial, 0);
  if (!strides || !padding || !spreads || !dilations || !reversals || !parseLayouts(node, rank, layouts) ||
      !areWithin(node, "strides", *strides, 1) || !areWithin(node, "dilations", *dilations, 1) ||
      !areWithin(node, "dilations", *spreads, 1) || !areWithin(node, "padding", *padding, 0))
    return;
  if (node.number("batch_group_count", 1) != 1)
    return node.unsupported("groups of the batch");
  x = spread(node, node.transpose(x, layouts[0].places), *spreads);
  w = node.transpose(w, layouts[1].places);
  SmallVector<nn::Window> windows;
  Numbers reversed;
  for (size_t i = 0; x && w && i < spatial; ++i) {
    nn::Dim kernel = nn::shapeOf(w)[i + 2];
    if (!kernel.isStatic() || !nn::shapeOf(x)[i + 2].isStatic())
      return node.error("expects known sizes of images");
    windows.push_back(
        {kernel.factor, (*strides)[i], (*padding)[2 * i], (*padding)[2 * i + 1], (*dilations)[i]});
    if ((*reversals)[i] != 0)
      reversed.push_back(i + 2);
  }
  if (w && !reversed.empty())
    w = nn::ReverseOp::create(node.b, w, reversed).getY();
  SmallVector<NamedAttribute> attributes = frontend::convolutionAttributes(node, windows);
  attributes.push_back(node.attr("groups", node.number("feature_group_count", 1)));
  Value y = node.make<nn::ConvOp>({x, w}, attributes);
  node.give(node.transpose(y, layouts[2].inverse()));
}

//===-- Pooling --------------------------------------------------------------------===//

namespace {
/// Windows over some dims of a tensor; the others come first, as one or two.
struct Pooling {
  Numbers order;   ///< of the tensor's dims
  nn::Shape image; ///< the shape in that order, with two dims before those of the windows
  SmallVector<nn::Window> windows;
};
} // namespace

static std::optional<Pooling> readPooling(Node &node, ArrayRef<nn::Dim> shape) {
  size_t rank = shape.size();
  auto kernels = node.perDim("window_dimensions", rank, 0), strides = node.perDim("window_strides", rank, 1);
  auto spreads = node.perDim("base_dilations", rank, 1), dilations = node.perDim("window_dilations", rank, 1);
  auto padding = node.perDim("padding", 2 * rank, 0);
  if (!kernels || !strides || !spreads || !dilations || !padding ||
      !areWithin(node, "sizes of windows", *kernels, 1) || !areWithin(node, "strides", *strides, 1) ||
      !areWithin(node, "dilations", *dilations, 1) || !areWithin(node, "padding", *padding, 0))
    return std::nullopt;
  if (llvm::any_of(*spreads, [](int64_t d) { return d != 1; }))
    return node.unsupported("base_dilations"), std::nullopt;
  Pooling result;
  Numbers others, spatial;
  for (size_t i = 0; i < rank; ++i) {
    nn::Window window{(*kernels)[i], (*strides)[i], (*padding)[2 * i], (*padding)[2 * i + 1],
                      (*dilations)[i]};
    bool isPlain = window.kernel == 1 && window.stride == 1 && !window.isPadded();
    (isPlain ? others : spatial).push_back(i);
    if (isPlain)
      continue;
    if (!shape[i].isStatic())
      return node.error("expects known sizes of dims with windows, got shape " + nn::str(shape)),
             std::nullopt;
    result.windows.push_back(window);
  }
  if (spatial.empty() || spatial.size() > 3)
    return node.unsupported("windows over " + Twine(spatial.size()) + " dims; dlc has it for 1 to 3"),
           std::nullopt;
  result.order = others;
  llvm::append_range(result.order, spatial);
  nn::Dim rest(1);
  for (int64_t i : ArrayRef(others).drop_front(others.empty() ? 0 : 1))
    rest = rest * shape[i];
  result.image = {others.empty() ? nn::Dim(1) : shape[others.front()], rest};
  for (int64_t i : spatial)
    result.image.push_back(shape[i]);
  return result;
}

/// The result of the windows, in the tensor's own order of dims.
static Value restored(Node &node, const Pooling &pooling, ArrayRef<nn::Dim> shape, Value y) {
  if (!y)
    return y;
  nn::Shape image = nn::shapeOf(y), ordered;
  size_t others = shape.size() - pooling.windows.size();
  for (size_t i = 0; i < shape.size(); ++i)
    ordered.push_back(i < others ? shape[pooling.order[i]] : image[i - others + 2]);
  return node.transpose(node.reshape(y, ordered), Layout{pooling.order}.inverse());
}

static void reduceWindow(Node &node) {
  Value x = node.value(0);
  std::optional<double> initial = node.splat(1);
  std::string combined = combiningOperation(node.op);
  bool isSum = combined == "stablehlo.add", isLargest = combined == "stablehlo.maximum";
  bool isSmallest = combined == "stablehlo.minimum";
  if (!x)
    return;
  if (!isa<FloatType>(nn::elementTypeOf(x)) || (!isSum && !isLargest && !isSmallest))
    return node.unsupported("anything but sums, largest and smallest elements of floats");
  double neutral = isSum ? 0.0 : isLargest ? -INFINITY : INFINITY;
  if (!initial || *initial != neutral)
    return node.unsupported("an initial value other than " + str(neutral));
  nn::Shape shape = nn::shapeOf(x);
  std::optional<Pooling> pooling = readPooling(node, shape);
  if (!pooling)
    return;
  Value image = node.reshape(node.transpose(x, pooling->order), pooling->image), y;
  if (image && isSmallest)
    image = -nn::Expr(node.b, image);
  SmallVector<NamedAttribute> attributes = frontend::poolingAttributes(node, pooling->windows);
  if (isSum)
    y = node.make<nn::SumPoolOp>({image}, attributes);
  else if (auto op = node.makeOp<nn::MaxPoolOp>({image}, attributes))
    y = op.getY();
  if (y && isSmallest)
    y = -nn::Expr(node.b, y);
  node.give(restored(node, *pooling, shape, y));
}

static const Operator windowsOperators[] = {
    {"stablehlo.convolution", convolution, 2},
    {"stablehlo.reduce_window", reduceWindow, 2},
};

ArrayRef<Operator> operatorsOfWindows() { return windowsOperators; }

} // namespace dlc::stablehlo
