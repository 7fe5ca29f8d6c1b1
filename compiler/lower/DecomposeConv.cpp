//===- DecomposeConv.cpp - padding and strides of convolutions -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convolutions that remain read nothing outside of their operands: padding becomes operations of its own,
// which a convolution and its gradients share.
//
// A transposed convolution of stride s meets, at position i of the padded image, the elements k of the kernel
// with k = i mod s only. So kernel and image are cut into s parts, one for each remainder: the kernel is
// padded to a multiple of s, k = s j + r, i = s q + r, and dx[q, r] = sum over j of dy[q - j] w[j, r]. No
// zeros are put between the elements of dy. Zeros in front of the kernel move the image's first element:
// where possible, to the first of its block, so that nothing is computed that is not wanted.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "dialects/nn/Window.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value;
using nn::Expr, nn::spatialSizes;

namespace dlc::lower {
namespace {

/// One number for each spatial dim.
using Sizes = SmallVector<int64_t>;

Sizes zeros(size_t count) { return Sizes(count, 0); }

bool anyNot(ArrayRef<int64_t> numbers, int64_t expected) {
  return llvm::any_of(numbers, [&](int64_t number) { return number != expected; });
}

/// Pads the last dims of `x`, as many as there are counts, with zeros; a negative count takes elements away.
Expr resize(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  ArrayRef<int64_t> shape = x.type().getShape();
  size_t rank = shape.size(), first = rank - low.size();
  Sizes starts = zeros(rank), limits, before = zeros(rank), after = zeros(rank);
  for (int64_t size : shape)
    limits.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
  bool cuts = false, pads = false;
  for (auto [i, l, h] : llvm::enumerate(low, high)) {
    size_t dim = first + i;
    // What is taken away at one end may be all, and padding of the other end too.
    int64_t end = std::max<int64_t>(limits[dim] + std::min<int64_t>(h, 0), 0);
    starts[dim] = std::min(std::max<int64_t>(-l, 0), end);
    cuts |= starts[dim] != 0 || end != limits[dim];
    limits[dim] = end;
    before[dim] = std::max<int64_t>(l, 0);
    after[dim] = std::max<int64_t>(h, 0);
    pads |= l > 0 || h > 0;
  }
  if (cuts)
    x = {builder, nn::SliceOp::create(builder, x.get(), starts, limits, Sizes(rank, 1))};
  if (pads)
    x = {builder, nn::PadOp::create(builder, nn::PadMode::constant, x.get(), before, after, zeros(rank),
                                    llvm::APFloat(0.0))};
  return x;
}

/// The image as windows without padding read it; null where they may read `x` as it is.
template <typename Op>
Value withoutPadding(Op op, Value x, ArrayRef<int64_t> kernel, ImplicitLocOpBuilder &builder) {
  Sizes high;
  bool isNeeded = anyNot(op.getLow(), 0) || anyNot(op.getHigh(), 0);
  for (auto [i, size] : llvm::enumerate(spatialSizes(x))) {
    nn::Window window = nn::windowOf(op, i, kernel[i]);
    int64_t positions = window.count(size);
    int64_t unused = window.padded(size) - window.span() - (positions - 1) * window.stride;
    // The only window of an image is read by the kernel's loop alone, which must not be shorter than the
    // image.
    bool mustFit = positions == 1 && window.dilation == 1;
    isNeeded |= mustFit && unused > 0;
    high.push_back(mustFit ? window.high - unused : std::max<int64_t>(window.high - unused, 0));
  }
  return isNeeded ? Value(resize(Expr(builder, x), op.getLow(), high)) : Value();
}

Values conv(nn::ConvOp op, ImplicitLocOpBuilder &builder) {
  Value x = withoutPadding(op, op.getX(), spatialSizes(op.getW()), builder);
  if (!x)
    return {};
  Sizes none = zeros(op.getLow().size());
  return {nn::ConvOp::create(builder, x, op.getW(), op.getStrides(), op.getDilations(), none, none,
                             op.getGroups(), op.getWide())};
}

Values convWeightGradient(nn::ConvWeightGradientOp op, ImplicitLocOpBuilder &builder) {
  Value x = withoutPadding(op, op.getX(), op.getKernel(), builder);
  if (!x)
    return {};
  Sizes none = zeros(op.getLow().size());
  return {nn::ConvWeightGradientOp::create(builder, x, op.getDy(), op.getKernel(), op.getStrides(),
                                           op.getDilations(), none, none, op.getGroups(), op.getWide())};
}

//===-- Transposed convolution -------------------------------------------------===//

/// A kernel of stride 1, or of no dilation and a multiple of the stride, as the image is; nothing outside of
/// `dy` is read.
bool isPrimitive(nn::ConvTransposeOp op) {
  for (auto [i, kernel] : llvm::enumerate(spatialSizes(op.getW()))) {
    nn::Window window = nn::windowOf(op, i, kernel);
    int64_t beyond = window.span() - window.stride;
    if (kernel % window.stride != 0 || op.getSize()[i] % window.stride != 0 ||
        (window.stride > 1 && window.dilation > 1) || window.low != beyond || window.high != beyond)
      return false;
  }
  return true;
}

/// The kernel with zeros between its elements where a dilation and a stride meet (the remainders of an
/// undilated kernel are enough then), and in `front` of them and behind them up to a multiple of the stride.
Expr fittedKernel(nn::ConvTransposeOp op, ImplicitLocOpBuilder &builder, ArrayRef<int64_t> strides,
                  Sizes &dilations, Sizes &steps, Sizes &front) {
  size_t spatial = steps.size();
  Sizes between = zeros(spatial + 2), before = zeros(spatial + 2), behind = zeros(spatial + 2);
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t stride = strides[i], kernel = spatialSizes(op.getW())[i];
    if (stride > 1 && dilations[i] > 1) {
      between[i + 2] = dilations[i] - 1;
      kernel = (kernel - 1) * dilations[i] + 1;
      dilations[i] = 1;
    }
    // A kernel shorter than the stride is cut into as many parts as it has elements: the others would be
    // zero.
    steps[i] = std::min(stride, kernel);
    int64_t missing = (steps[i] - kernel % steps[i]) % steps[i];
    front[i] = (stride - op.getLow()[i] % stride) % stride;
    if (front[i] > missing)
      front[i] = 0;
    before[i + 2] = front[i];
    behind[i + 2] = missing - front[i];
  }
  Expr w(builder, op.getW());
  if (anyNot(between, 0) || anyNot(before, 0) || anyNot(behind, 0))
    w = {builder, nn::PadOp::create(builder, nn::PadMode::constant, w.get(), before, behind, between,
                                    llvm::APFloat(0.0))};
  return w;
}

/// Limits the stride along a dim with a single position to the length of the kernel: a longer one means the
/// same.
Sizes stridesOf(nn::ConvTransposeOp op) {
  Sizes strides(op.getStrides());
  for (auto [i, positions] : llvm::enumerate(spatialSizes(op.getDy())))
    if (positions == 1)
      strides[i] = std::min(strides[i], nn::windowOf(op, i, spatialSizes(op.getW())[i]).span());
  return strides;
}

/// From `steps` parts to `strides` parts of each spatial dim, of which the last ones are zero.
Expr withEmptyParts(Expr x, ArrayRef<int64_t> steps, ArrayRef<int64_t> strides) {
  nn::Shape shape = nn::shapeOf(x.type()), parts(shape.begin(), shape.begin() + 2), whole = parts;
  Sizes high;
  for (auto [i, step, stride] : llvm::enumerate(steps, strides)) {
    nn::Dim count = shape[i + 2].factor / step;
    parts.append({count, nn::Dim(step)});
    whole.push_back(count * nn::Dim(stride));
    high.append({0, stride - step});
  }
  if (!anyNot(high, 0))
    return x;
  x = reshape(x, nn::tensorType(parts, x.elementType()));
  return reshape(resize(x, zeros(high.size()), high), nn::tensorType(whole, x.elementType()));
}

Values convTranspose(nn::ConvTransposeOp op, ImplicitLocOpBuilder &builder) {
  if (isPrimitive(op))
    return {};
  size_t spatial = op.getSize().size();
  Sizes strides = stridesOf(op), dilations(op.getDilations()), steps(spatial), front(spatial);
  Expr w = fittedKernel(op, builder, strides, dilations, steps, front), dy(builder, op.getDy());
  // The padded image consists of blocks of a stride; the blocks [first, first + blocks) hold what is
  // computed.
  Sizes beyond, size, dyLow, dyHigh, low, high;
  bool isZero = false;
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t stride = strides[i], before = op.getLow()[i] + front[i], after = before + op.getSize()[i];
    int64_t positions = spatialSizes(dy)[i];
    // In blocks: how far the kernel reaches.
    int64_t reach = stride == 1 ? (spatialSizes(w)[i] - 1) * dilations[i] : spatialSizes(w)[i] / steps[i] - 1;
    int64_t first = before / stride, last = std::min((after + stride - 1) / stride, positions + reach);
    int64_t blocks = last - first;
    isZero |= blocks <= 0;
    beyond.push_back(reach * steps[i]);
    size.push_back(blocks * steps[i]);
    dyLow.push_back(reach - first);
    dyHigh.push_back(last - positions);
    low.push_back(first * stride - before);
    high.push_back(after - last * stride);
  }
  if (isZero) // no window meets the image
    return {nn::expand(nn::cast(dy, op.getDx().getType().getElementType()).scalar(0), op.getDx().getType())};
  Expr dx(builder, nn::ConvTransposeOp::create(builder, resize(dy, dyLow, dyHigh), w, size, steps, dilations,
                                               beyond, beyond, op.getGroups(), op.getWide()));
  return {resize(withEmptyParts(dx, steps, strides), low, high)};
}

} // namespace

void addConvDecompositions(Decompositions &table) {
  table.add<nn::ConvOp>(conv);
  table.add<nn::ConvTransposeOp>(convTranspose);
  table.add<nn::ConvWeightGradientOp>(convWeightGradient);
}

} // namespace dlc::lower
