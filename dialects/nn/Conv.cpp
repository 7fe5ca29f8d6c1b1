//===- Conv.cpp - nn: types of convolutions
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"
#include "dialects/nn/Window.h"

using namespace mlir;
using namespace nn;

/// What the three operations share: `image` is [N, C, ...], `result` [N, M, ...] and `weight` [M, C/G, ...].
/// Each is an operand or, without its value, what inference computes.
template <typename Adaptor> class Convolution {
public:
  Convolution(Adaptor op, const Inference &infer) : op(op), infer(infer) {}

  /// One to three spatial dims, of static sizes, and for each a stride, a dilation and padding.
  LogicalResult checkOperands(Value a, StringRef nameOfA, Value b, StringRef nameOfB);
  /// The window fits into the image along each spatial dim; `positions` becomes how many places it has.
  LogicalResult checkWindows(ArrayRef<int64_t> image, ArrayRef<int64_t> kernel, Shape &positions);
  /// `groups` divides both numbers of channels.
  LogicalResult checkGroups(const Dim &imageChannels, const Dim &resultChannels);
  /// Nothing that the operation or its gradients need on the way is too large.
  LogicalResult checkWork(const Dim &rows, const Dim &imageChannels, const Dim &resultChannels,
                          ArrayRef<int64_t> image, ArrayRef<int64_t> kernel);
  /// `sizes` has a number of at least 1 for each spatial dim.
  LogicalResult checkSizes(StringRef what, ArrayRef<int64_t> sizes);

  unsigned spatialDims() { return spatial; }

private:
  LogicalResult checkAtLeast(StringRef what, ArrayRef<int64_t> values, int64_t least);

  Adaptor op;
  const Inference &infer;
  unsigned spatial = 0;
};

/// The sizes of spatial dims, which are known to be static.
static SmallVector<int64_t> spatialSizes(ArrayRef<Dim> shape) {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape.drop_front(2))
    sizes.push_back(dim.factor);
  return sizes;
}

template <typename Adaptor>
LogicalResult Convolution<Adaptor>::checkAtLeast(StringRef what, ArrayRef<int64_t> values, int64_t least) {
  if (values.size() != spatial)
    return infer.error("expects " + Twine(spatial) + " " + what + ", one per spatial dim, got " +
                       Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    if (value < least)
      return infer.error("expects " + what + " of at least " + Twine(least) + ", got " + Twine(value) +
                         " for spatial dim " + Twine(i));
  return success();
}

template <typename Adaptor>
LogicalResult Convolution<Adaptor>::checkOperands(Value a, StringRef nameOfA, Value b, StringRef nameOfB) {
  if (failed(infer.checkSameElementType(a, b)))
    return failure();
  Shape shapeA = shapeOf(a), shapeB = shapeOf(b);
  if (shapeA.size() != shapeB.size() || shapeA.size() < 3 || shapeA.size() > 5)
    return infer.error("expects operands of the same rank, 3, 4 or 5, for one to three spatial dims, got " +
                       nameOfA + " of shape " + nn::str(shapeA) + " and " + nameOfB + " of shape " +
                       nn::str(shapeB));
  spatial = shapeA.size() - 2;
  for (auto [name, shape] : {std::pair(nameOfA, shapeA), std::pair(nameOfB, shapeB)})
    for (unsigned axis = 1; axis < shape.size(); ++axis)
      if (!shape[axis].isStatic())
        return infer.error("expects channels and spatial dims of static size, got dim " + Twine(axis) +
                           " of " + name + " of size " + shape[axis].str());
  if (failed(checkAtLeast("strides", op.getStrides(), 1)) ||
      failed(checkAtLeast("dilations", op.getDilations(), 1)) ||
      failed(checkAtLeast("counts of padding (low)", op.getLow(), 0)) ||
      failed(checkAtLeast("counts of padding (high)", op.getHigh(), 0)))
    return failure();
  return success();
}

template <typename Adaptor>
LogicalResult Convolution<Adaptor>::checkSizes(StringRef what, ArrayRef<int64_t> sizes) {
  return checkAtLeast(what, sizes, 1);
}

/// "3x3".
static std::string times(ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

template <typename Adaptor>
LogicalResult Convolution<Adaptor>::checkWindows(ArrayRef<int64_t> image, ArrayRef<int64_t> kernel,
                                                 Shape &positions) {
  for (unsigned i = 0; i < spatial; ++i) {
    Window window = windowOf(op, i, kernel[i]);
    std::string where = " along spatial dim " + std::to_string(i);
    if (kernel[i] < 1)
      return infer.error("expects a kernel of at least 1 element, got " + Twine(kernel[i]) + where);
    if (window.span() > window.padded(image[i]))
      return infer.error("expects a window that fits into the padded image, got a window of " +
                         Twine(window.span()) + " (kernel " + Twine(kernel[i]) + ", dilation " +
                         Twine(window.dilation) + ") and an image of " + Twine(window.padded(image[i])) +
                         " (" + Twine(image[i]) + " and padding of " + Twine(window.low) + " and " +
                         Twine(window.high) + ")" + where + "; the image is " + times(image) +
                         ", with a kernel of " + times(kernel) + ", a stride of " + times(op.getStrides()) +
                         " and padding of " + times(op.getLow()) + " before and " + times(op.getHigh()) +
                         " behind it: a smaller kernel, more padding, or layers before that leave a larger "
                         "image would make it fit");
    positions.push_back(window.count(image[i]));
  }
  return success();
}

template <typename Adaptor>
LogicalResult Convolution<Adaptor>::checkGroups(const Dim &imageChannels, const Dim &resultChannels) {
  int64_t groups = op.getGroups();
  if (groups < 1 || imageChannels.factor % groups != 0 || resultChannels.factor % groups != 0)
    return infer.error("expects a number of groups that divides the channels, got " + Twine(groups) +
                       " groups of " + imageChannels.str() + " channels of the image and " +
                       resultChannels.str() + " of the result");
  return success();
}

// The largest tensors on the way are the padded image, the padded result of a transposed convolution, and the
// weight rounded up to a multiple of the stride: all within these sizes.
template <typename Adaptor>
LogicalResult Convolution<Adaptor>::checkWork(const Dim &rows, const Dim &imageChannels,
                                              const Dim &resultChannels, ArrayRef<int64_t> image,
                                              ArrayRef<int64_t> kernel) {
  Shape images{rows, std::max(imageChannels.factor, resultChannels.factor)};
  Shape weights{imageChannels, resultChannels};
  for (unsigned i = 0; i < spatial; ++i) {
    Window window = windowOf(op, i, kernel[i]);
    int64_t slack = saturatingAdd(window.span(), std::min(window.stride, window.padded(image[i])));
    images.push_back(saturatingAdd(window.padded(image[i]), saturatingMultiply(2, slack)));
    weights.push_back(slack);
  }
  if (isTooLarge(images) || isTooLarge(weights))
    return infer.error("needs tensors that are too large: images up to " + nn::str(images) +
                       " with their padding, weights up to " + nn::str(weights) +
                       " with dilation and stride");
  return success();
}

NN_INFER(ConvOp) {
  Convolution<ConvOp::Adaptor> convolution(op, infer);
  if (failed(convolution.checkOperands(op.getX(), "x", op.getW(), "w")))
    return failure();
  Shape x = shapeOf(op.getX()), w = shapeOf(op.getW()), y{x[0], w[0]};
  if (!w[0].isStatic())
    return infer.error("expects output channels of static size, got " + w[0].str());
  if (failed(convolution.checkGroups(x[1], w[0])))
    return failure();
  int64_t groups = op.getGroups();
  if (w[1].factor != x[1].factor / groups)
    return infer.error("expects a weight for " + Twine(x[1].factor / groups) +
                       " input channels (the image has " + x[1].str() + ", in " + Twine(groups) +
                       (groups == 1 ? " group" : " groups") + "), got a weight of shape " + nn::str(w));
  SmallVector<int64_t> image = spatialSizes(x), kernel = spatialSizes(w);
  if (failed(convolution.checkWindows(image, kernel, y)) ||
      failed(convolution.checkWork(x[0], x[1], w[0], image, kernel)))
    return failure();
  FailureOr<Type> type = infer.checkSumType(elementTypeOf(op.getX()), op.getWide());
  return failed(type) ? failure() : infer.give(y, *type);
}

NN_INFER(ConvTransposeOp) {
  Convolution<ConvTransposeOp::Adaptor> convolution(op, infer);
  if (failed(convolution.checkOperands(op.getDy(), "dy", op.getW(), "w")) ||
      failed(convolution.checkSizes("sizes of the result", op.getSize())))
    return failure();
  Shape dy = shapeOf(op.getDy()), w = shapeOf(op.getW());
  if (dy[1] != w[0])
    return infer.error("expects a weight for the " + dy[1].str() + " channels of dy, got a weight of shape " +
                       nn::str(w));
  int64_t groups = op.getGroups();
  Dim channels = w[1] * Dim(std::max<int64_t>(groups, 0));
  if (failed(convolution.checkGroups(channels, w[0])))
    return failure();
  Shape dx{dy[0], channels}, positions{dy[0], w[0]};
  llvm::append_range(dx, op.getSize());
  SmallVector<int64_t> kernel = spatialSizes(w);
  if (failed(convolution.checkWindows(op.getSize(), kernel, positions)) ||
      failed(infer.checkShape("dy", op.getDy(), positions)) ||
      failed(convolution.checkWork(dy[0], channels, w[0], op.getSize(), kernel)))
    return failure();
  FailureOr<Type> type = infer.checkSumType(elementTypeOf(op.getDy()), op.getWide());
  return failed(type) ? failure() : infer.give(dx, *type);
}

NN_INFER(ConvWeightGradientOp) {
  Convolution<ConvWeightGradientOp::Adaptor> convolution(op, infer);
  if (failed(convolution.checkOperands(op.getX(), "x", op.getDy(), "dy")) ||
      failed(convolution.checkSizes("sizes of the kernel", op.getKernel())))
    return failure();
  Shape x = shapeOf(op.getX()), dy = shapeOf(op.getDy());
  if (failed(convolution.checkGroups(x[1], dy[1])))
    return failure();
  Shape dw{dy[1], Dim(x[1].factor / int64_t(op.getGroups()))}, positions{x[0], dy[1]};
  llvm::append_range(dw, op.getKernel());
  SmallVector<int64_t> image = spatialSizes(x);
  if (failed(convolution.checkWindows(image, op.getKernel(), positions)) ||
      failed(infer.checkShape("dy", op.getDy(), positions)) ||
      failed(convolution.checkWork(x[0], x[1], dy[1], image, op.getKernel())))
    return failure();
  FailureOr<Type> type = infer.checkSumType(elementTypeOf(op.getX()), op.getWide());
  return failed(type) ? failure() : infer.give(dw, *type);
}
