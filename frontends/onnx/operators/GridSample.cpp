//===- GridSample.cpp - ONNX operators of the family GridSample
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid's numbers go from -1 to 1 over the image.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/OperatorTables.h"
#include "frontends/onnx/Sampling.h"

using namespace mlir;
using nn::Expr;

namespace dlc::onnx {

using Mode = Sampling::Mode;
using Padding = Sampling::Padding;

static std::optional<Mode> readMode(Node &node) {
  std::string mode = node.text("mode", node.since < 20 ? "bilinear" : "linear");
  if (mode == "nearest")
    return Mode::Nearest;
  if (mode == (node.since < 20 ? "bilinear" : "linear"))
    return Mode::Linear;
  if (mode == (node.since < 20 ? "bicubic" : "cubic"))
    return Mode::Cubic;
  node.error("mode must be one of nearest, " +
             Twine(node.since < 20 ? "bilinear, bicubic" : "linear, cubic") + ", got '" + mode + "'");
  return std::nullopt;
}

static std::optional<Padding> readPadding(Node &node) {
  std::string padding = node.text("padding_mode", "zeros");
  for (auto [name, mode] : {std::pair("zeros", Padding::Zeros), std::pair("border", Padding::Border),
                            std::pair("reflection", Padding::Reflection)})
    if (padding == name)
      return mode;
  node.error("padding_mode must be one of zeros, border, reflection, got '" + padding + "'");
  return std::nullopt;
}

/// The image and the grid fit: [N, C, sizes...] and [N, sizes of the result..., one number for each of
/// `sizes`].
static bool checkShapes(Node &node, ArrayRef<nn::Dim> image, ArrayRef<nn::Dim> grid) {
  size_t rank = image.size();
  if (rank < 3 || grid.size() != rank || grid.front() != image.front() || grid.back() != nn::Dim(rank - 2)) {
    node.error("expects an image [N, C, sizes...] and a grid [N, sizes of the result..., number of sizes], "
               "got shapes " +
               nn::str(nn::Shape(image)) + " and " + nn::str(nn::Shape(grid)));
    return false;
  }
  for (const nn::Dim &size : image.drop_front(2))
    if (!size.isStatic() || size.factor < 1) {
      node.error("expects known sizes of the image of at least 1, got shape " + nn::str(nn::Shape(image)) +
                 ": give open ones with --dim");
      return false;
    }
  return true;
}

static void gridSample(Node &node) {
  nn::Shape image = node.shape(0), points = node.shape(1);
  std::optional<Mode> mode = readMode(node);
  std::optional<Padding> padding = readPadding(node);
  if (!mode || !padding || !checkShapes(node, image, points))
    return;
  size_t spatial = image.size() - 2;
  if (*mode == Mode::Cubic && spatial != 2)
    return node.error("expects two spatial dims for this mode, got " + Twine(spatial));
  if (node.elementType(0) != node.elementType(1))
    return node.error("expects an image and a grid of one type");

  Value images = node.value(0), grid = node.value(1);
  if (!images || !grid)
    return;
  bool aligned = node.integer("align_corners", 0) != 0;
  nn::Shape places(ArrayRef<nn::Dim>(points).drop_back());
  SmallVector<Taps> taps;
  SmallVector<int64_t> channelsSecond{0, int64_t(spatial + 1)};
  for (size_t i = 0; i < spatial; ++i) {
    channelsSecond.push_back(i + 1);
    int64_t column = spatial - 1 - i; // a grid's numbers begin with the last dim
    Expr along(node.b, node.reshape(node.part(grid, spatial + 1, column, column + 1), places));
    double size = image[i + 2].factor;
    Expr x = aligned ? (along + 1) * ((size - 1) / 2) : ((along + 1) * size - 1) / 2;
    taps.push_back(Sampling(*mode, *padding, aligned, size).taps(x));
  }
  Value y = readBetween(node, images, taps);
  node.give(0, node.make<nn::TransposeOp>({y}, {node.attr("permutation", channelsSecond)}));
}

/// The numbers of a grid along one dim: -1 and 1 are the outer pixels' centres or edges.
static Expr steps(Node &node, ArrayRef<nn::Dim> shape, int64_t axis, bool aligned, Type type) {
  Expr i(node.b, nn::IotaOp::create(node.b, nn::tensorType(shape, type), axis));
  double size = shape[axis].factor;
  if (!aligned)
    return (2 * i + 1) / size - 1;
  return size == 1 ? i * 0 : i * (2 / (size - 1)) - 1;
}

/// The grid of an affine map, theta [N, dims, dims + 1], for images of a size that is known but for N.
static void affineGrid(Node &node) {
  std::optional<DimTensor> given = node.dims(1);
  if (!given) {
    (void)node.integers(1, "the size");
    return;
  }
  nn::Shape theta = node.shape(0), size(ArrayRef<nn::Dim>(given->elements));
  int64_t spatial = int64_t(size.size()) - 2;
  auto isPositive = [](const nn::Dim &dim) {
    return dim.isStatic() && dim.factor > 0 && dim.factor <= maxDim;
  };
  if (spatial < 1 || theta.size() != 3 || theta[1] != nn::Dim(spatial) || theta[2] != nn::Dim(spatial + 1) ||
      !llvm::all_of(ArrayRef<nn::Dim>(size).drop_front(2), isPositive))
    return node.error("expects theta [N, dims, dims + 1] and a size [N, C, sizes...] of known positive "
                      "numbers, got shape " +
                      nn::str(theta) + " and " + nn::str(size));
  bool isFixedBatch = size[0].isStatic() && !theta[0].isStatic(); // of the model's export
  if (theta[0] != size[0] && !isFixedBatch)
    return node.error("expects as many maps as the size has samples, got " + theta[0].str() + " and " +
                      size[0].str());
  nn::Shape entry(spatial + 2, nn::Dim(1));
  entry.front() = theta[0];
  entry.back() = theta[1];
  auto entries = [&](int64_t i) {
    return Expr(node.b, node.reshape(node.part(node.value(0), 2, i, i + 1), entry));
  };
  nn::Shape whole(ArrayRef<nn::Dim>(size).drop_front(2));
  whole.insert(whole.begin(), theta[0]);
  whole.push_back(theta[1]);
  if (!node.checkSize(whole) || !node.value(0))
    return;
  bool aligned = node.integer("align_corners", 0) != 0;
  Expr grid = entries(spatial);
  for (int64_t i = 0; i < spatial; ++i) {
    nn::Shape along(spatial + 2, nn::Dim(1));
    int64_t axis = spatial - i; // a grid's numbers begin with the last dim
    along[axis] = size[axis + 1];
    Expr column = entries(i);
    grid = column * steps(node, along, axis, aligned, node.elementType(0)) + grid;
  }
  node.give(0, node.expand(grid, whole));
}

static const Operator gridSampleOperators[] = {
    {"AffineGrid", 20, affineGrid, 2, 2, "align_corners"},
    {"GridSample", 16, gridSample, 2, 2, "align_corners mode padding_mode"},
    {"GridSample", 20, gridSample, 2, 2, "align_corners mode padding_mode"},
};

ArrayRef<Operator> operatorsOfGridSample() { return gridSampleOperators; }

} // namespace dlc::onnx
