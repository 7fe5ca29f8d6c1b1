//===- Pool.cpp - nn: types of pooling and resampling
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"
#include "dialects/nn/Window.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace nn;

int64_t Window::covered(int64_t o, int64_t begin, int64_t end) const {
  // The numbers k with begin <= first + k * dilation < end.
  int64_t first = o * stride - low;
  auto below = [&](int64_t position) {
    return position <= first ? 0 : std::min(kernel, (position - first - 1) / dilation + 1);
  };
  return below(end) - below(begin);
}

// Positions in the spatial dims of one image are numbered with 32 bits.
constexpr int64_t mostPositions = std::numeric_limits<int32_t>::max();

static LogicalResult checkNumber(const Inference &infer, StringRef what, unsigned dim, int64_t number,
                                 int64_t least, int64_t most = largestWindow) {
  if (number >= least && number <= most)
    return success();
  return infer.error("expects " + what + " in [" + Twine(least) + ", " + Twine(most) + "] for spatial dim " +
                     Twine(dim) + ", got " + Twine(number));
}

/// Windows along one spatial dim of `size` positions.
static LogicalResult checkWindow(const Inference &infer, unsigned dim, const Window &window, int64_t size) {
  if (failed(checkNumber(infer, "a kernel size", dim, window.kernel, 1)) ||
      failed(checkNumber(infer, "a stride", dim, window.stride, 1)) ||
      failed(checkNumber(infer, "a dilation", dim, window.dilation, 1)) ||
      failed(checkNumber(infer, "low padding", dim, window.low, 0)) ||
      failed(checkNumber(infer, "high padding", dim, window.high, 0)) ||
      failed(checkNumber(infer, "an image size", dim, size, 1, mostPositions)))
    return failure();
  int64_t count = window.count(size);
  if (count == 0)
    return infer.error(
        "expects windows that fit the image and its padding: along spatial dim " + Twine(dim) +
        " a window spans " + Twine(window.span()) + " positions, image and padding have " +
        Twine(window.low + size + window.high) + " (kernel " + Twine(window.kernel) + ", stride " +
        Twine(window.stride) + ", padding " + Twine(window.low) + " and " + Twine(window.high) +
        ", dilation " + Twine(window.dilation) + ", image size " + Twine(size) +
        "): a smaller kernel, more padding, or layers before that leave a larger image would make it fit");
  // Windows that begin in the image cover a position of it. A window that begins before it may still miss it
  // where the dilation is larger than the image.
  for (int64_t o = 0; o < count; ++o) {
    int64_t first = o * window.stride - window.low;
    if (first >= 0 && first < size) {
      o = std::max(o, (size - 1 + window.low) / window.stride);
      continue;
    }
    if (window.covered(o, 0, size) == 0)
      return infer.error(
          "expects windows that cover a position of the image: along spatial dim " + Twine(dim) + " window " +
          Twine(o) + " of " + Twine(count) + " lies wholly in padding (kernel " + Twine(window.kernel) +
          ", stride " + Twine(window.stride) + ", padding " + Twine(window.low) + " and " +
          Twine(window.high) + ", dilation " + Twine(window.dilation) + ", image size " + Twine(size) + ")");
  }
  return success();
}

/// The shape of one number per window over images of shape `x`.
template <typename Adaptor>
static FailureOr<Shape> pooledShape(const Inference &infer, Adaptor &op, ArrayRef<Dim> x) {
  int64_t spatial = int64_t(x.size()) - 2;
  if (spatial < 1)
    return infer.error("expects images of rank 3 or more (batch, channels, spatial dims), got rank " +
                       Twine(x.size()));
  std::pair<StringRef, ArrayRef<int64_t>> perDim[] = {{"kernel sizes", op.getKernel()},
                                                      {"strides", op.getStrides()},
                                                      {"counts of low padding", op.getLow()},
                                                      {"counts of high padding", op.getHigh()},
                                                      {"dilations", op.getDilations()}};
  for (auto [what, numbers] : perDim)
    if (int64_t(numbers.size()) != spatial)
      return infer.error("expects " + Twine(spatial) + " " + what + ", one per spatial dim, got " +
                         Twine(numbers.size()));
  Shape y(x.begin(), x.begin() + 2), padded = y;
  int64_t plane = 1;
  for (int64_t i = 0; i < spatial; ++i) {
    const Dim &dim = x[2 + i];
    if (!dim.isStatic())
      return infer.error("expects spatial dims of static size, got " + dim.str() + " for spatial dim " +
                         Twine(i));
    Window window = windowOf(op, i);
    if (failed(checkWindow(infer, i, window, dim.factor)))
      return failure();
    y.push_back(window.count(dim.factor));
    padded.push_back(window.low + dim.factor + window.high);
    plane = saturatingMultiply(plane, dim.factor);
  }
  if (isTooLarge(padded))
    return infer.error("expects images that are not too large with their padding, got " + str(padded));
  if (plane > mostPositions)
    return infer.error("expects at most " + Twine(mostPositions) +
                       " positions in the spatial dims of an image, got " + Twine(plane));
  return y;
}

NN_INFER(MaxPoolOp) {
  FailureOr<Shape> y = pooledShape(infer, op, shapeOf(op.getX()));
  if (failed(y))
    return failure();
  (void)infer.give(*y, elementTypeOf(op.getX()));
  return infer.give(*y, IntegerType::get(op.getX().getContext(), 32));
}

NN_INFER(SumPoolOp) {
  FailureOr<Shape> y = pooledShape(infer, op, shapeOf(op.getX()));
  return failed(y) ? failure() : infer.give(*y, elementTypeOf(op.getX()));
}

/// The images of `op.getSizes()` that the windows of `y` lie on.
template <typename Adaptor> static LogicalResult inferUnpool(const Inference &infer, Adaptor &op) {
  Shape y = shapeOf(op.getY());
  if (y.size() < 2 || op.getSizes().size() != y.size() - 2)
    return infer.error("expects one size per spatial dim, got " + Twine(op.getSizes().size()) +
                       " for windows of shape " + str(y));
  Shape x(y.begin(), y.begin() + 2);
  x.append(op.getSizes().begin(), op.getSizes().end());
  FailureOr<Shape> pooled = pooledShape(infer, op, x);
  if (failed(pooled) || failed(infer.checkShape("windows", op.getY(), *pooled)))
    return failure();
  return infer.give(x, elementTypeOf(op.getY()));
}

NN_INFER(SumUnpoolOp) { return inferUnpool(infer, op); }
NN_INFER(MaxUnpoolOp) {
  if (failed(infer.checkShape("positions", op.getPositions(), shapeOf(op.getY()))))
    return failure();
  return inferUnpool(infer, op);
}

NN_INFER(ResampleOp) {
  Shape shape = shapeOf(op.getX());
  int64_t axis = op.getAxis(), taps = op.getTaps(), count = op.getPositions().size();
  if (failed(infer.checkAxis(axis, shape.size())))
    return failure();
  if (!shape[axis].isStatic())
    return infer.error("expects a static size along axis " + Twine(axis) + ", got " + shape[axis].str());
  // Without a limit an empty result would have any number of taps, for each of which something is built.
  constexpr int64_t mostTaps = 1 << 20;
  if (taps < 1 || taps > mostTaps || count % taps != 0 || count != int64_t(op.getWeights().size()))
    return infer.error(
        "expects 1 to 1048576 taps, and a position and a weight for each of them and each element of "
        "the result, got " +
        Twine(taps) + " taps, " + Twine(count) + " positions and " + Twine(op.getWeights().size()) +
        " weights");
  for (int64_t position : op.getPositions())
    if (position < 0 || position >= shape[axis].factor)
      return infer.error("expects positions in [0, " + shape[axis].str() + "), got " + Twine(position));
  for (double weight : op.getWeights())
    if (!std::isfinite(weight))
      return infer.error("expects finite weights, got " + Twine(std::to_string(weight)));
  shape[axis] = count / taps;
  return infer.give(shape, elementTypeOf(op.getX()));
}
