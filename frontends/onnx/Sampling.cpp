//===- Sampling.cpp - images read at computed places -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Sampling.h"

using namespace mlir;
using nn::Expr;

namespace dlc::onnx {

static Expr floor(Expr x) { return {x.getBuilder(), nn::FloorOp::create(x.getBuilder(), x)}; }
static Expr round(Expr x) { return {x.getBuilder(), nn::RoundOp::create(x.getBuilder(), x)}; }

Expr Sampling::atBorder(Expr x) const {
  Expr low = nn::select(nn::greater(x, x.scalar(0)), x, 0);
  return nn::select(nn::less(low, x.scalar(size - 1)), low, size - 1);
}

/// Back and forth between the borders.
Expr Sampling::reflected(Expr x) const {
  double low = aligned ? 0 : -0.5, span = aligned ? size - 1 : size;
  if (span == 0)
    return x * 0;
  Expr distance = x - low;
  Expr isBefore = nn::less(distance, x.scalar(0)), opposite = -distance;
  distance = nn::select(isBefore, opposite, distance);
  Expr turns = floor(distance / span), rest = distance - turns * span;
  Expr isEven = nn::equal(floor(turns / 2) * 2, turns);
  Expr forth = rest + low, back = span + low - rest;
  return atBorder(nn::select(isEven, forth, back));
}

Expr Sampling::moved(Expr x) const {
  return padding == Padding::Border ? atBorder(x) : padding == Padding::Reflection ? reflected(x) : x;
}

/// `place` is a whole number. Beyond the image the weight is 0, and any pixel will do.
Tap Sampling::tap(Expr place, Expr weight) const {
  if (padding == Padding::Zeros) {
    Expr behind = nn::greaterEqual(place, place.scalar(0));
    Expr before = nn::lessEqual(place, place.scalar(size - 1));
    weight = nn::select(nn::logicalAnd(behind, before), weight, 0);
  }
  return {nn::cast(atBorder(place), place.getBuilder().getI64Type()), weight};
}

/// Keys' kernel (1981) with -3/4, the one of PyTorch and of ONNX. The four places are moved, not the point.
Taps Sampling::cubic(Expr x) const {
  constexpr double a = -0.75;
  auto near = [&](Expr t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  auto far = [&](Expr t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  Expr first = floor(x), part = x - first;
  Expr toFirst = part + 1, toThird = 1 - part, toLast = 2 - part;
  SmallVector<Expr> weights{far(toFirst), near(part), near(toThird), far(toLast)};
  Taps taps;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    Expr place = first + (double(i) - 1);
    taps.push_back(tap(padding == Padding::Reflection ? round(moved(place)) : place, weight));
  }
  return taps;
}

Taps Sampling::taps(Expr x) const {
  if (mode == Mode::Cubic)
    return cubic(x);
  x = moved(x);
  Expr ones = x * 0 + 1;
  if (mode == Mode::Nearest)
    return {tap(round(x), ones)};
  Expr first = floor(x), part = x - first;
  Tap near = tap(first, 1 - part);
  return {near, tap(first + 1, part)};
}

Value readBetween(Node &node, Value images, ArrayRef<Taps> taps) {
  nn::Shape shape = nn::shapeOf(images), places = nn::shapeOf(taps.front().front().index);
  SmallVector<int64_t> channelsLast{0};
  for (size_t axis = 2; axis < shape.size(); ++axis)
    channelsLast.push_back(axis);
  channelsLast.push_back(1);
  nn::Shape table{nn::elementCount(ArrayRef(shape).drop_front(2)) * shape[0], shape[1]};
  Value pixels = node.make<nn::TransposeOp>({images}, {node.attr("permutation", channelsLast)});
  pixels = node.reshape(pixels, table);
  if (!pixels)
    return {};

  // Each combination of taps: the pixel's number, and the product of the weights.
  nn::Shape first(places.size(), nn::Dim(1));
  first[0] = shape[0];
  Expr image(node.b, nn::IotaOp::create(node.b, nn::tensorType(first, node.b.getI64Type()), 0));
  Taps combinations;
  for (auto [along, dim] : llvm::zip_equal(taps, ArrayRef(shape).drop_front(2))) {
    double size = dim.factor;
    Taps longer;
    for (const Tap &tap : along) {
      if (combinations.empty())
        longer.push_back({image * size + tap.index, tap.weight});
      for (const Tap &before : combinations)
        longer.push_back({before.index * size + tap.index, before.weight * tap.weight});
    }
    combinations = std::move(longer);
  }
  places.push_back(nn::Dim(1));
  Value sum;
  for (const Tap &tap : combinations) {
    Value read = node.make<nn::GatherOp>({pixels, tap.index}, {node.attr("axis", int64_t(0))});
    Value part = node.make<nn::MulOp>({read, node.reshape(tap.weight, places)});
    sum = sum ? node.make<nn::AddOp>({sum, part}) : part;
  }
  return sum;
}

} // namespace dlc::onnx
