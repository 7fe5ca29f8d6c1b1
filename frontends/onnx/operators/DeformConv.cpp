//===- DeformConv.cpp - ONNX operators of the family Conv: convolutions at computed places
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deformable convolutions (Dai et al., "Deformable convolutional networks", ICCV 2017), with a mask or
// without (version 2): the image is read at each place of each window, moved by the offsets, and what was
// read is multiplied with the weight. All inputs have a gradient.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Convolution.h"
#include "frontends/onnx/OperatorTables.h"
#include "frontends/onnx/Sampling.h"

using namespace mlir;
using nn::Expr;

namespace dlc::onnx {

namespace {
/// The parts of a deformable convolution.
struct Deformed {
  WindowAttributes windows;
  nn::Dim batch;
  int64_t channels, groups, offsetGroups;
  nn::Shape kernel, outputs;
  nn::Dim places = 1; ///< of a kernel
};
} // namespace

/// Whether input `i` has `numbers` for each place of each window.
static bool checkPerPlace(Node &node, int i, StringRef what, const Deformed &conv, int64_t numbers) {
  nn::Shape expected{conv.batch, conv.places * nn::Dim(conv.offsetGroups * numbers)};
  expected.append(conv.outputs);
  if (node.shape(i) == expected && node.elementType(i) == node.elementType(0))
    return true;
  node.error("expects " + what + " of shape " + nn::str(expected) + " and the image's type, got " +
             nn::str(node.shape(i)) + " of " + nn::str(node.elementType(i)));
  return false;
}

static std::optional<Deformed> readDeformed(Node &node) {
  std::optional<WindowAttributes> windows = readConvolution(node, readWindows);
  if (!windows)
    return std::nullopt;
  nn::Shape x = node.shape(0), w = node.shape(1);
  Deformed conv{*windows, x[0], x[1].factor, node.integer("group", 1), node.integer("offset_group", 1),
                {},       {}};
  auto divides = [](int64_t part, int64_t whole) { return part > 0 && whole > 0 && whole % part == 0; };
  if (!divides(conv.groups, conv.channels) || !divides(conv.groups, w[0].factor) ||
      !divides(conv.offsetGroups, conv.channels) || w[1].factor * conv.groups != conv.channels) {
    node.error("expects channels that " + Twine(conv.groups) + " groups and " + Twine(conv.offsetGroups) +
               " groups of offsets divide, got shapes " + nn::str(x) + " and " + nn::str(w));
    return std::nullopt;
  }
  for (auto [window, size] : llvm::zip_equal(conv.windows.windows, conv.windows.sizes)) {
    int64_t rest = window.low + size + window.high - window.span();
    if (size < 1 || rest < 0) {
      node.error("expects an image with a place for at least one window, got shapes " + nn::str(x) + " and " +
                 nn::str(w));
      return std::nullopt;
    }
    conv.kernel.push_back(window.kernel);
    conv.outputs.push_back(rest / window.stride + 1);
  }
  conv.places = nn::elementCount(conv.kernel);
  int64_t spatial = conv.kernel.size();
  if (!checkPerPlace(node, 2, "offsets", conv, spatial) ||
      (node.has(4) && !checkPerPlace(node, 4, "a mask", conv, 1)))
    return std::nullopt;
  return conv;
}

/// Where the windows read along a spatial dim without offsets, in the shape [1, kernel..., outputs...].
static Expr regularPlaces(Node &node, const Deformed &conv, size_t dim, Type type) {
  size_t spatial = conv.kernel.size();
  const nn::Window &window = conv.windows.windows[dim];
  nn::Shape within(2 * spatial + 1, nn::Dim(1)), starts = within;
  within[1 + dim] = conv.kernel[dim];
  starts[1 + spatial + dim] = conv.outputs[dim];
  Expr place(node.b, nn::IotaOp::create(node.b, nn::tensorType(within, type), 1 + dim));
  Expr start(node.b, nn::IotaOp::create(node.b, nn::tensorType(starts, type), 1 + spatial + dim));
  Expr inWindow = place * double(window.dilation), ofWindow = start * double(window.stride);
  return inWindow + ofWindow - double(window.low);
}

static void deformConv(Node &node) {
  std::optional<Deformed> conv = readDeformed(node);
  if (!conv)
    return;
  int64_t spatial = conv->kernel.size();
  nn::Dim images = conv->batch * nn::Dim(conv->offsetGroups), channels = conv->channels / conv->offsetGroups;
  auto shaped = [](std::initializer_list<nn::Dim> first, ArrayRef<nn::Dim> then,
                   ArrayRef<nn::Dim> last = {}) {
    nn::Shape shape(first);
    shape.append(then.begin(), then.end());
    shape.append(last.begin(), last.end());
    return shape;
  };

  // Each group of offsets has an image of its own.
  nn::Shape sizes(ArrayRef(node.shape(0)).drop_front(2)),
      points = shaped({images}, conv->kernel, conv->outputs);
  Value image = node.reshape(node.value(0), shaped({images, channels}, sizes));
  Value offsets =
      node.reshape(node.value(2), shaped({images, conv->places, nn::Dim(spatial)}, conv->outputs));
  if (!image || !offsets || !node.checkSize(points))
    return;
  SmallVector<Taps> taps;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    Expr offset(node.b, node.reshape(node.part(offsets, 2, dim, dim + 1), points));
    Expr x = offset + regularPlaces(node, *conv, dim, offset.elementType());
    double size = sizes[dim].factor;
    taps.push_back(Sampling(Sampling::Mode::Linear, Sampling::Padding::Zeros, false, size).taps(x));
  }
  Value read = readBetween(node, image, taps);
  if (node.has(4))
    read = node.make<nn::MulOp>({read, node.reshape(node.value(4), shaped({}, points, {nn::Dim(1)}))});

  // What was read: an image of all places of a kernel, which a convolution of kernel 1 adds up.
  SmallVector<int64_t> channelsSecond{0, 2 * spatial + 1};
  for (int64_t i = 1; i <= 2 * spatial; ++i)
    channelsSecond.push_back(i);
  Value columns = node.make<nn::TransposeOp>({read}, {node.attr("permutation", channelsSecond)});
  columns =
      node.reshape(columns, shaped({conv->batch, conv->places * nn::Dim(conv->channels)}, conv->outputs));
  nn::Shape w = node.shape(1);
  Value weight =
      node.reshape(node.value(1), shaped({w[0], w[1] * conv->places}, nn::Shape(spatial, nn::Dim(1))));
  SmallVector<int64_t> ones(spatial, 1), none(spatial, 0);
  giveWithBias(
      node, 3,
      node.make<nn::ConvOp>({columns, weight},
                            {node.attr("strides", ones), node.attr("dilations", ones), node.attr("low", none),
                             node.attr("high", none), node.attr("groups", conv->groups)}));
}

static const Operator deformConvOperators[] = {
    {"DeformConv", 19, deformConv, 3, 5, "dilations group kernel_shape offset_group pads strides", {1, 1}},
};

ArrayRef<Operator> operatorsOfDeformConv() { return deformConvOperators; }

} // namespace dlc::onnx
